// Parts and their containers. Containment attaches a content that resembles no other to the family of what contains it
// best; it never joins two parts or two containers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

struct Containments {
  std::span<const std::uint32_t> a, b;
  std::span<const double> a_in_b, b_in_a;  // NaN: unknown
  std::span<const std::int64_t> size_a, size_b;
};

// For each content the one in whose family it belongs as a part, or itself. Only those `alone` may be parts; `share` is
// the least that must lie in the container, `size` what it must measure at the least.
std::vector<std::uint32_t> homes(std::span<const std::uint8_t> alone, const Containments& pairs, double share,
                                 std::int64_t size);

}  // namespace nearkin
