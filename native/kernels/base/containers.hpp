// One bit for each of many things, the first in the highest bit of the first byte, as NumPy packs them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace nearkin {

inline void set_bits(std::span<std::uint8_t> bits, std::size_t from, std::size_t to) {
  while (from < to && from % 8) bits[from / 8] |= 0x80 >> from % 8, ++from;
  if (from < to) std::memset(bits.data() + from / 8, 0xff, (to - from) / 8);
  for (from += (to - from) / 8 * 8; from < to; ++from) bits[from / 8] |= 0x80 >> from % 8;
}

// 64 of them from a multiple of 64 on, the first in the highest bit; those that are not there are not set.
inline std::uint64_t sixty_four(std::span<const std::uint8_t> bits, std::size_t from) {
  std::uint64_t some = 0;
  const auto many = std::min<std::size_t>(8, bits.size() - std::min(bits.size(), from / 8));
  for (std::size_t i = 0; i < many; ++i) some |= std::uint64_t{bits[from / 8 + i]} << (56 - 8 * i);
  return some;
}

// The first at or after `from` that is set, or not set; `count` if none of so many is.
inline std::size_t next_bit(std::span<const std::uint8_t> bits, std::size_t count, std::size_t from, bool set) {
  while (from < count) {
    auto some = sixty_four(bits, from / 64 * 64);
    if (!set) some = ~some;
    some &= ~std::uint64_t{0} >> from % 64;
    if (some) return std::min(count, from / 64 * 64 + static_cast<std::size_t>(std::countl_zero(some)));
    from = from / 64 * 64 + 64;
  }
  return count;
}

// Calls visit(from, to) for each run of set ones among so many.
template <class Visit>
void each_run(std::span<const std::uint8_t> bits, std::size_t count, Visit&& visit) {
  for (std::size_t from = 0; (from = next_bit(bits, count, from, true)) < count;) {
    const auto to = next_bit(bits, count, from, false);
    visit(from, to);
    from = to;
  }
}

}  // namespace nearkin
