// Families around principals. Contents are taken in turn; one that is linked to no principal becomes one, any other goes
// to the principal it resembles most, of equal ones to the one that came first. So each member is linked to its
// principal, which came before it, and no two principals are linked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "group/views.hpp"

namespace nearkin {

struct Principals {
  std::vector<std::uint32_t> of;   // of each content; its own: it is one
  std::vector<std::uint32_t> via;  // the link to it; kNoLink for principals
};

// `order` names every content once.
Principals principals(std::span<const std::uint32_t> order, const Links& links);

}  // namespace nearkin
