// The hash of a window: of eight bytes at least, all of which count.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nearkin {

inline std::uint64_t word(const char* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Multiplications that do not wait for one another; the last mixes what they brought into the high bits.
inline std::uint64_t window_hash(const char* window, std::size_t length) {
  std::uint64_t h = word(window + length - 8) * 0xd6e8feb86659fd93;
  for (std::size_t at = 0; at + 8 < length; at += 8)
    h = std::rotl(h, 23) ^ word(window + at) * 0x9e3779b97f4a7c15;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
  return h ^ h >> 32;
}

}  // namespace nearkin
