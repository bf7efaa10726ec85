// Properties of code points from native/tables/unicode_tables.hpp: kind, decomposition, composition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "tables/unicode_tables.hpp"

namespace nearkin::unicode {

enum Kind : std::uint8_t { separator, punctuation, letter, number, mark, dropped, joining_letter, joining_mark };
enum class How : std::uint8_t { slow, mapped, mapped_mark, mapped_separator };

inline constexpr std::uint32_t kAccent = 256;
inline constexpr std::uint32_t kJoiningAccent = 512;
inline constexpr std::uint32_t kStrings = 768;

inline std::uint32_t entry_of(char32_t c) {
  return tables::kBlocks[std::size_t{tables::kIndex[c >> 7]} << 7 | (c & 127)];
}

// The table entry of a code point that canonical text changes.
struct Changed {
  const std::uint16_t* at;

  explicit Changed(std::uint32_t entry) : at(tables::kStrings + (entry - kStrings)) {}

  Kind kind() const { return static_cast<Kind>(at[0] & 7); }
  How how() const { return static_cast<How>(at[0] >> 3 & 3); }
  bool has_number() const { return (at[0] >> 5 & 1) != 0; }
  bool joins() const { return (at[0] >> 6 & 1) != 0; }

  struct Units {
    const std::uint16_t* at;
    unsigned length;
  };
  Units folded() const { return {at + 1, at[0] >> 7 & 31u}; }
  Units plain() const {
    const unsigned length = at[0] >> 12;
    const Units same = folded();
    return length == 15 ? same : Units{same.at + same.length, length};
  }
  // Only for mapped code points.
  Units composed() const {
    const Units fold = folded();
    const char32_t first = fold.at[0];
    if (fold.length == 1 || (fold.length == 2 && (first & 0xFC00) == 0xD800)) return fold;
    const Units before = plain();
    const std::uint16_t* const after = std::max(fold.at + fold.length, before.at + before.length);
    return {after + 1, after[0]};
  }
};

// Calls f with each code point of UTF-16.
template <class F>
inline void each_code_point(Changed::Units units, F f) {
  for (unsigned i = 0; i < units.length; ++i) {
    char32_t c = units.at[i];
    if ((c & 0xFC00) == 0xD800) c = 0x10000 + ((c & 0x3FF) << 10 | (units.at[++i] & 0x3FFu));
    f(c);
  }
}

// Tells whether a code point with this entry may compose or change places with the character before it.
inline bool joins(std::uint32_t entry) {
  if (entry < kStrings) return entry >= joining_letter;
  return Changed(entry).joins();
}

inline Kind kind_of(std::uint32_t entry) {
  if (entry >= kStrings) return Changed(entry).kind();
  if (entry >= kAccent || entry == joining_mark) return mark;
  return entry == joining_letter ? letter : static_cast<Kind>(entry);
}

// Returns the canonical combining class of a code point that is fully decomposed.
inline std::uint8_t order_of(char32_t c, std::uint32_t entry) {
  if (entry < kAccent) return 0;
  if (entry < kStrings) return static_cast<std::uint8_t>(entry & 255);
  return c == 0x345 ? 240 : 0;
}

// Hangul syllables are composed by arithmetic (Unicode 16 §3.12).
namespace hangul {
inline constexpr char32_t kFirst = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7;
inline constexpr char32_t kLeads = 19, kVowels = 21, kTails = 28, kSyllables = kLeads * kVowels * kTails;
inline bool is_syllable(char32_t c) { return c >= kFirst && c < kFirst + kSyllables; }
}  // namespace hangul

// Returns the code point that two compose to, or 0.
inline char32_t compose(char32_t first, char32_t second) {
  using namespace hangul;
  if (second >= kVowel && second < kVowel + kVowels) {
    if (first < kLead || first >= kLead + kLeads) return 0;
    return kFirst + ((first - kLead) * kVowels + (second - kVowel)) * kTails;
  }
  if (second > kTail && second < kTail + kTails) {
    return is_syllable(first) && (first - kFirst) % kTails == 0 ? first + (second - kTail) : 0;
  }
  const auto* const end = std::end(tables::kComposites);
  const auto* const pair = std::lower_bound(
      std::begin(tables::kComposites), end, second, [first](const tables::Composite& composite, char32_t wanted) {
        return composite.first != first ? composite.first < first : composite.second < wanted;
      });
  return pair != end && pair->first == first && pair->second == second ? pair->whole : 0;
}

}  // namespace nearkin::unicode
namespace nearkin {

// A code point on its way to canonical order and composition (Unicode 16 §3.11).
struct Item {
  char32_t code;
  std::uint8_t order;
  std::uint64_t origin;
};

// Puts marks in canonical order: sorted by class, equal classes as they were. All take their starter's origin.
inline void put_in_order(std::vector<Item>& items) {
  const auto earlier = [](const Item& a, const Item& b) { return a.order < b.order; };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].order == 0) continue;
    std::size_t end = i;
    while (end < items.size() && items[end].order != 0) ++end;
    if (end - i > 16) {
      std::stable_sort(items.begin() + i, items.begin() + end, earlier);
    } else {  // by insertion, as std::stable_sort would allocate
      for (std::size_t j = i + 1; j < end; ++j) {
        for (std::size_t k = j; k > i && earlier(items[k], items[k - 1]); --k) std::swap(items[k], items[k - 1]);
      }
    }
    for (; i < end; ++i) {
      if (i > 0) items[i].origin = items[i - 1].origin;
    }
  }
}

// Composes the items canonically (Unicode 16 §3.11, D117).
inline void compose_in_place(std::vector<Item>& items) {
  std::size_t kept = 0, starter = items.size();
  std::uint8_t last_order = 0;
  for (const Item item : items) {
    if (starter < items.size() && (last_order == 0 || last_order < item.order)) {
      if (const char32_t whole = unicode::compose(items[starter].code, item.code); whole != 0) {
        items[starter].code = whole;
        continue;
      }
    }
    if (item.order == 0) starter = kept;
    last_order = item.order;
    items[kept++] = item;
  }
  items.resize(kept);
}

}  // namespace nearkin
