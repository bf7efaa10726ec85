#include "text/entity.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "tables/entities.hpp"
#include "text/encoding.hpp"

namespace nearkin {
namespace {

using tables::Entity;

// windows-1252 from 0x80 to 0x9F; the five bytes it leaves undefined stay C1 controls, as the standard has it.
constexpr char16_t kWindows1252[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
};

bool vanishes(char32_t value) {
  if (value < 0x20) return value != '\t' && value != '\n' && value != '\f' && value != '\r';
  return value == 0x7F || (value >= 0xFDD0 && value <= 0xFDEF) || (value & 0xFFFE) == 0xFFFE;
}

int digit(char c, unsigned base) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return base == 16 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

Reference numeric(const char* at, const char* end) {
  const char* p = at + 2;
  unsigned base = 10;
  if (p != end && (*p == 'x' || *p == 'X')) base = 16, ++p;
  const char* const first = p;
  std::uint32_t value = 0;
  for (int d; p != end && (d = digit(*p, base)) >= 0; ++p) {
    value = std::min(value * base + static_cast<unsigned>(d), 0x110000u);
  }
  if (p == first) return {};
  if (p != end && *p == ';') ++p;

  Reference found{};
  found.consumed = static_cast<std::size_t>(p - at);
  char32_t scalar = value;
  if (value == 0 || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    scalar = 0xFFFD;
  } else if (value >= 0x80 && value <= 0x9F) {
    scalar = kWindows1252[value - 0x80];
  } else if (vanishes(scalar)) {
    return found;
  }
  found.length = encode_one(scalar, found.text);
  return found;
}

// Narrows the range of names that begin with what was read, one character at a time: when a name equals what was
// read it is the first of the range.
Reference named(const char* at, const char* end) {
  const Entity* low = std::begin(tables::kEntities);
  const Entity* high = std::end(tables::kEntities);
  const Entity* best = nullptr;
  std::size_t length = 0;
  for (const char* p = at + 1; p != end; ++p, ++length) {
    const char c = *p;  // names are ASCII, so signed comparison will do
    const auto before = [=](const Entity& e) { return length >= e.name.size() || e.name[length] < c; };
    const auto equal = [=](const Entity& e) { return e.name[length] == c; };
    low = std::partition_point(low, high, before);
    high = std::partition_point(low, high, equal);
    if (low == high) break;
    if (low->name.size() == length + 1) best = low;
  }
  Reference found{};
  if (best == nullptr) return found;
  found.consumed = 1 + best->name.size();
  found.length = static_cast<unsigned>(best->text.size());
  std::memcpy(found.text, best->text.data(), best->text.size());
  return found;
}

}  // namespace

Reference decode_reference(const char* at, const char* end) {
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  // Nearly every reference of real pages is one of these.
  if (rest.starts_with("&lt;")) return {4, 1, {'<'}};
  if (rest.starts_with("&gt;")) return {4, 1, {'>'}};
  if (rest.starts_with("&amp;")) return {5, 1, {'&'}};
  if (rest.starts_with("&quot;")) return {6, 1, {'"'}};
  if (rest.starts_with("&nbsp;")) return {6, 2, {'\xC2', '\xA0'}};
  if (rest.size() < 3) return {};
  return rest[1] == '#' ? numeric(at, end) : named(at, end);
}

}  // namespace nearkin
