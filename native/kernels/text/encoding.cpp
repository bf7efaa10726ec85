#include "text/encoding.hpp"

#include <cstring>

namespace nearkin {
namespace {

constexpr std::uint64_t kTopBits = 0x8080808080808080;

std::uint64_t word_at(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace

bool valid_utf8(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    if (static_cast<unsigned char>(*at) < 0x80) {
      while (end - at >= 32) {
        const std::uint64_t all = word_at(at) | word_at(at + 8) | word_at(at + 16) | word_at(at + 24);
        if ((all & kTopBits) != 0) break;
        at += 32;
      }
      while (at != end && static_cast<unsigned char>(*at) < 0x80) ++at;
      continue;
    }
    const unsigned length = decode_one(at, end).length;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::size_t count_code_points(std::string_view utf8) {
  std::size_t count = 0;  // a plain loop: the compiler vectorises it
  for (const char byte : utf8) count += static_cast<signed char>(byte) >= -64 ? 1 : 0;
  return count;
}

}  // namespace nearkin
