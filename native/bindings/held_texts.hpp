// Some texts or signatures that a native object holds: nothing is copied for those who read them natively.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bindings/convert.hpp"

namespace nearkin::bindings {

struct HeldTexts {
  nb::object owner;
  std::vector<std::string_view> views;
};

struct HeldFeatures {
  nb::object owner;
  std::vector<std::span<const std::uint64_t>> views;  // by content
};

}  // namespace nearkin::bindings
