// Some texts that a native object holds: nothing is copied for those who read them natively.
#pragma once

#include <string_view>
#include <vector>

#include "convert.hpp"

namespace nearkin::bindings {

struct HeldTexts {
  nb::object owner;
  std::vector<std::string_view> views;
};

}  // namespace nearkin::bindings
