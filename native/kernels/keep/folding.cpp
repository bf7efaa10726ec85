#include "keep/folding.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "text/encoding.hpp"

namespace nearkin {
namespace {

enum Look : std::uint8_t { plain, space, lead };

constexpr std::array<Look, 256> looks = [] {
  std::array<Look, 256> table{};
  for (const unsigned char c : {'\t', '\n', '\v', '\f', '\r', '\x1c', '\x1d', '\x1e', '\x1f', ' '}) table[c] = space;
  for (const unsigned c : {0xc2u, 0xe1u, 0xe2u, 0xe3u}) table[c] = lead;
  return table;
}();

// How many bytes of white space begin here, one character of it; 0 for none.
std::size_t white(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const auto first = byte(0);
  switch (looks[first]) {
    case plain: return 0;
    case space: return 1;
    case lead: break;
  }
  const auto second = byte(1), third = byte(2);
  if (first == 0xc2) return second == 0x85 || second == 0xa0 ? 2 : 0;
  if (first == 0xe1) return second == 0x9a && third == 0x80 ? 3 : 0;
  if (first == 0xe3) return second == 0x80 && third == 0x80 ? 3 : 0;
  if (second == 0x81) return third == 0x9f ? 3 : 0;
  const bool there = (third >= 0x80 && third <= 0x8a) || third == 0xa8 || third == 0xa9 || third == 0xaf;
  return second == 0x80 && there ? 3 : 0;
}

struct Block {
  char32_t first, last;
};

// None of these combines with or is reordered before another, and none is decomposed by NFC; tested against Python's
// tables for every code point.
constexpr Block composed[] = {
    {0x0000, 0x02ff}, {0x0391, 0x03ff}, {0x0400, 0x0482}, {0x048a, 0x052f}, {0x05d0, 0x05ea}, {0x1e00, 0x1eff},
    {0x2010, 0x205e}, {0x20a0, 0x20cf}, {0x2150, 0x2328}, {0x232b, 0x2adb}, {0x3000, 0x3029}, {0x3041, 0x3096},
    {0x30a0, 0x30ff}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3}, {0xfffd, 0xfffd}};

}  // namespace

Spaced fold_spaces(std::string_view text) {
  Spaced found;
  found.text.resize(text.size());
  char* out = found.text.data();
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (looks[byte] == plain) {
      *out++ = text[at++];
      continue;
    }
    auto end = at;
    for (std::size_t long_; (long_ = white(text, end)) != 0;) end += long_;
    if (end == at) {  // a lead of something else
      *out++ = text[at++];
      continue;
    }
    *out++ = ' ';
    if (end - at > 1) found.changes.push_back({at, end});
    at = end;
  }
  found.text.resize(static_cast<std::size_t>(out - found.text.data()));
  return found;
}

bool surely_composed(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    std::uint64_t eight;
    if (end - at >= 8 && (std::memcpy(&eight, at, 8), (eight & 0x8080808080808080) == 0)) {
      at += 8;
      continue;
    }
    const auto one = decode_one(at, end);
    if (one.length == 0) return false;
    at += one.length;
    if (one.value < 0x300) continue;
    const auto inside = [&](const Block& block) { return one.value >= block.first && one.value <= block.last; };
    if (!std::any_of(std::begin(composed), std::end(composed), inside)) return false;
  }
  return true;
}

}  // namespace nearkin
