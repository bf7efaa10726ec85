// Encodings of text: UTF-8 as nearly all text is, UTF-16 and UTF-32 where no byte order mark announces them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nearkin {

// Tests for strict UTF-8 (Unicode 16 §3.9, table 3-7): no surrogates, no overlong forms, nothing above U+10FFFF. Most
// text is ASCII, so the test walks 32 bytes at a time until a byte has its top bit set.
bool valid_utf8(std::string_view bytes);

// Counts the code points of valid UTF-8 (of any bytes: those that are not continuation bytes).
std::size_t count_code_points(std::string_view utf8);

struct CodePoint {
  char32_t value;
  unsigned length;  // 0: the byte does not start a valid sequence
};

// Decodes the character that starts at `at`; reads no byte at or after `end`.
inline CodePoint decode_one(const char* at, const char* end) {
  const auto byte = [at](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
  const auto trails = [&byte](int i) { return (byte(i) & 0xC0) == 0x80; };
  const std::uint32_t lead = byte(0);
  const std::ptrdiff_t left = end - at;
  if (lead < 0x80) return {static_cast<char32_t>(lead), 1};
  if (lead < 0xC2 || lead > 0xF4) return {0, 0};
  if (lead < 0xE0) {
    if (left < 2 || !trails(1)) return {0, 0};
    return {static_cast<char32_t>((lead & 0x1F) << 6 | (byte(1) & 0x3F)), 2};
  }
  if (lead < 0xF0) {
    if (left < 3 || !trails(1) || !trails(2)) return {0, 0};
    const std::uint32_t value = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (value < 0x800 || (value >> 11) == 0x1B) return {0, 0};
    return {static_cast<char32_t>(value), 3};
  }
  if (left < 4 || !trails(1) || !trails(2) || !trails(3)) return {0, 0};
  const std::uint32_t value =
      (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  if (value < 0x10000 || value > 0x10FFFF) return {0, 0};
  return {static_cast<char32_t>(value), 4};
}

// Writes the UTF-8 of a scalar value to `out`, which has room for four bytes, and returns how many bytes it took.
inline unsigned encode_one(char32_t value, char* out) {
  if (value < 0x80) {
    out[0] = static_cast<char>(value);
    return 1;
  }
  if (value < 0x800) {
    out[0] = static_cast<char>(0xC0 | value >> 6);
    out[1] = static_cast<char>(0x80 | (value & 0x3F));
    return 2;
  }
  if (value < 0x10000) {
    out[0] = static_cast<char>(0xE0 | value >> 12);
    out[1] = static_cast<char>(0x80 | (value >> 6 & 0x3F));
    out[2] = static_cast<char>(0x80 | (value & 0x3F));
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | value >> 18);
  out[1] = static_cast<char>(0x80 | (value >> 12 & 0x3F));
  out[2] = static_cast<char>(0x80 | (value >> 6 & 0x3F));
  out[3] = static_cast<char>(0x80 | (value & 0x3F));
  return 4;
}

enum class Wide : std::uint8_t { none, utf16_le, utf16_be, utf32_le, utf32_be };

// Recognises UTF-16 and UTF-32 without a byte order mark by what text in them looks like.
//
// Latin text in UTF-16 has a NUL in nearly every other byte. Any other text is plausible in one byte order only: its
// code points belong to scripts, nearly all to one script besides ASCII and punctuation; surrogates come in pairs;
// there are spaces, line ends or Chinese stops. In the other order the same bytes mix many scripts or none, or lack the
// ASCII. Numbers and pictures look alike in both orders, and are no text.
Wide detect_wide(std::string_view bytes);

}  // namespace nearkin
