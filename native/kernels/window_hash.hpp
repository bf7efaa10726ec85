// The hash of a window: of eight bytes at least, all of which count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nearkin {

inline std::uint64_t word(const char* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline std::uint64_t window_hash(const char* window, std::size_t length) {
  std::uint64_t h = 0x9e3779b97f4a7c15;
  const auto mix = [&h](std::uint64_t w) {
    h = (h ^ w) * 0xd6e8feb86659fd93;
    h ^= h >> 32;
  };
  for (std::size_t at = 0; at + 8 < length; at += 8) mix(word(window + at));
  mix(word(window + length - 8));
  return h * 0xd6e8feb86659fd93;
}

}  // namespace nearkin
