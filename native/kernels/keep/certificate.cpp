#include "keep/certificate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "base/containers.hpp"
#include "text/encoding.hpp"

namespace nearkin {
namespace {

using Mask = std::vector<std::uint8_t>;  // 1 or 0 for each byte of a text

// Marks the bytes that lie in no held window, and those around a break, which lie in all windows of a gap between two.
Mask lacking(std::span<const std::uint8_t> bits, bool whole, std::size_t length, std::size_t window) {
  if (length < window) return Mask(length, whole ? 0 : 1);
  const auto count = length - window + 1;
  if (bits.size() != (count + 7) / 8) throw std::invalid_argument("there is one bit for each window");
  Mask mask(length, 1);
  each_run(bits, count, [&](std::size_t from, std::size_t to) {
    std::memset(mask.data() + from, 0, to - from + window - 1);
  });
  std::size_t gap = count;  // where the last run ended
  each_run(bits, count, [&](std::size_t from, std::size_t to) {
    if (gap < from && from - 1 < gap + window) std::memset(mask.data() + from - 1, 1, gap + window - from + 1);
    gap = to;
  });
  return mask;
}

bool starts_character(std::string_view text, std::size_t at, bool raw) {
  return raw || at == 0 || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

// Extends the mask to all bytes of characters that have one in it.
void align(Mask& mask, std::string_view text, bool raw) {
  if (raw) return;
  for (std::size_t at = 0; at < mask.size();) {
    auto end = at + 1;
    while (end < mask.size() && !starts_character(text, end, raw)) ++end;
    if (end - at > 1 && std::find(mask.begin() + at, mask.begin() + end, 1) != mask.begin() + end)
      std::fill(mask.begin() + at, mask.begin() + end, 1);
    at = end;
  }
}

// Translates a mask of the respaced bytes to the text's own. A change is in the mask as a whole if any of it is.
Mask to_original(const Mask& mask, const RespacedReading& reading, std::size_t length) {
  Mask result(length);
  std::size_t at = 0, there = 0;
  const auto copy = [&](std::size_t to) {
    if (to < at || to > length || there + (to - at) > mask.size()) throw std::invalid_argument("these are no changes");
    std::copy_n(mask.begin() + there, to - at, result.begin() + at);
    there += to - at;
    at = to;
  };
  for (std::size_t i = 0; i < reading.starts.size(); ++i) {
    copy(reading.starts[i]);
    const std::size_t end = reading.ends[i], respaced = reading.lengths[i];
    if (end < at || end > length || respaced > mask.size() - there) throw std::invalid_argument("these are no changes");
    const auto from = mask.begin() + there;
    std::fill(result.begin() + at, result.begin() + end, std::find(from, from + respaced, 1) != from + respaced);
    there += respaced;
    at = end;
  }
  copy(length);
  return result;
}

bool kept_is_all(const HeldWindows& held) {
  return held.kept.data() == held.anywhere.data() && held.kept.size() == held.anywhere.size();
}

}  // namespace

Certified certify(std::string_view text, bool raw, std::size_t window, const HeldWindows& held,
                  const std::optional<RespacedReading>& reading, std::size_t most_listed) {
  auto missing = lacking(held.kept, held.whole, text.size(), window);
  align(missing, text, raw);
  auto residue = missing;
  // Each mask is aligned before it is applied: otherwise borders of what others hold would count twice.
  const auto keep_only = [&](Mask lacking_elsewhere) {
    align(lacking_elsewhere, text, raw);
    for (std::size_t at = 0; at < residue.size(); ++at) residue[at] &= lacking_elsewhere[at];
  };
  if (!kept_is_all(held)) keep_only(lacking(held.anywhere, held.whole, text.size(), window));
  Certified result;
  if (reading) {
    const auto read = [&](std::span<const std::uint8_t> bits) {
      return to_original(lacking(bits, reading->held.whole, reading->length, window), *reading, text.size());
    };
    auto missing_respaced = read(reading->held.kept);
    align(missing_respaced, text, raw);
    for (std::size_t at = 0; at < text.size(); ++at)
      result.respaced += missing[at] & ~missing_respaced[at] & starts_character(text, at, raw);
    keep_only(kept_is_all(reading->held) ? std::move(missing_respaced) : read(reading->held.anywhere));
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (residue[at] && (at == 0 || !residue[at - 1]) && ++result.stretches <= most_listed)
      result.listed.push_back({at, text.size(), result.characters, 0});
    if (!residue[at] && at > 0 && residue[at - 1] && result.stretches <= most_listed) {
      result.listed.back().end = at;
      result.listed.back().last = result.characters;
    }
    const unsigned begins = starts_character(text, at, raw);
    result.characters += begins;
    result.missing += missing[at] & begins;
    result.residue += residue[at] & begins;
  }
  if (!residue.empty() && residue.back() && result.stretches <= most_listed)
    result.listed.back().last = result.characters;
  return result;
}

namespace {

enum ByteClass : std::uint8_t { plain, space, lead };

constexpr std::array<ByteClass, 256> kByteClasses = [] {
  std::array<ByteClass, 256> table{};
  for (const unsigned char c : {'\t', '\n', '\v', '\f', '\r', '\x1c', '\x1d', '\x1e', '\x1f', ' '}) table[c] = space;
  for (const unsigned c : {0xc2u, 0xe1u, 0xe2u, 0xe3u}) table[c] = lead;
  return table;
}();

// Returns the length of the white space character at `at`; 0 if there is none.
std::size_t white(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const auto first = byte(0);
  switch (kByteClasses[first]) {
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

// Blocks none of whose characters combines with or is reordered before another, or is decomposed by NFC. Tests check
// every code point against Python's tables.
constexpr Block kComposed[] = {
    {0x0000, 0x02ff}, {0x0391, 0x03ff}, {0x0400, 0x0482}, {0x048a, 0x052f}, {0x05d0, 0x05ea}, {0x1e00, 0x1eff},
    {0x2010, 0x205e}, {0x20a0, 0x20cf}, {0x2150, 0x2328}, {0x232b, 0x2adb}, {0x3000, 0x3029}, {0x3041, 0x3096},
    {0x30a0, 0x30ff}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3}, {0xfffd, 0xfffd}};

}  // namespace

Spaced fold_spaces(std::string_view text) {
  Spaced result;
  result.text.resize(text.size());
  char* out = result.text.data();
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (kByteClasses[byte] == plain) {
      *out++ = text[at++];
      continue;
    }
    auto end = at;
    for (std::size_t length; (length = white(text, end)) != 0;) end += length;
    if (end == at) {  // a lead byte of another character
      *out++ = text[at++];
      continue;
    }
    *out++ = ' ';
    if (end - at > 1) result.changes.push_back({at, end});
    at = end;
  }
  result.text.resize(static_cast<std::size_t>(out - result.text.data()));
  return result;
}

bool surely_composed(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    std::uint64_t eight;
    if (end - at >= 8 && (std::memcpy(&eight, at, 8), (eight & 0x8080808080808080) == 0)) {
      at += 8;
      continue;
    }
    const auto character = decode_one(at, end);
    if (character.length == 0) return false;
    at += character.length;
    if (character.value < 0x300) continue;
    const auto inside = [value = character.value](const Block& b) { return value >= b.first && value <= b.last; };
    if (!std::any_of(std::begin(kComposed), std::end(kComposed), inside)) return false;
  }
  return true;
}

}  // namespace nearkin
