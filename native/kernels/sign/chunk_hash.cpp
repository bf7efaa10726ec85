#include "sign/chunk_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace nearkin {
namespace {

constexpr std::uint64_t kA = 0x9e3779b97f4a7c15ULL, kB = 0xd1b54a32d192ed03ULL, kC = 0x8cb92ba72f3d8dd7ULL;

std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load(const char* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return std::endian::native == std::endian::big ? __builtin_bswap64(value) : value;
}

// The `size` < 8 bytes before `end`, as the low bytes of a word. Eight bytes before `end` can be read.
std::uint64_t load_before(const char* end, std::size_t size) {
  return size == 0 ? 0 : load(end - 8) >> (64 - 8 * size);
}

}  // namespace

std::uint64_t chunk_hash(std::string_view chunk) {
  std::uint64_t state = kC ^ (chunk.size() * kA);
  const char* data = chunk.data();
  std::size_t left = chunk.size();
  char padded[16] = {};
  if (left < 8) {  // nothing can be read before its end
    std::memcpy(padded, data, left);
    return state = fold(load(padded) ^ kA, kB ^ state), fold(state ^ kA, state + kB);
  }
  for (; left >= 16; left -= 16, data += 16) state = fold(load(data) ^ kA, load(data + 8) ^ kB ^ state);
  const std::uint64_t low = left >= 8 ? load(data) : load_before(data + left, left);
  const std::uint64_t high = left > 8 ? load_before(data + left, left - 8) : 0;
  state = fold(low ^ kA, high ^ kB ^ state);
  return fold(state ^ kA, state + kB);
}

}  // namespace nearkin
