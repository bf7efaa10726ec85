#include "sign/java_hash.hpp"

#include <algorithm>
#include <array>

#include "text/encoding.hpp"

namespace nearkin {
namespace {

constexpr std::uint32_t kBase = 31;
constexpr std::uint32_t kInverse = 0xbdef7bdf;
static_assert(kBase * kInverse == 1);
constexpr std::uint32_t kSpace = U' ';

template <class Visit>
void each_unit(std::string_view utf8, Visit&& visit) {
  const char* at = utf8.data();
  const char* const end = at + utf8.size();
  while (at != end) {
    const auto [c, length] = decode_one(at, end);
    if (length == 0) {
      visit(static_cast<char16_t>(0xDC00 | static_cast<unsigned char>(*at++)));
      continue;
    }
    at += length;
    if (c < 0x10000) {
      visit(static_cast<char16_t>(c));
    } else {
      visit(static_cast<char16_t>(0xD7C0 + (c >> 10)));
      visit(static_cast<char16_t>(0xDC00 | (c & 0x3FF)));
    }
  }
}

constexpr std::uint32_t power(std::uint32_t base, std::size_t exponent) {
  std::uint32_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

// Most words and all numbers are shorter than this.
constexpr std::size_t kShort = 32;

constexpr std::array<std::uint32_t, kShort> powers(std::uint32_t base) {
  std::array<std::uint32_t, kShort> table{};
  for (std::size_t i = 0; i < kShort; ++i) table[i] = power(base, i);
  return table;
}

constexpr auto kPowers = powers(kBase), kInverses = powers(kInverse);

// A token and the space after it.
struct Spaced {
  std::uint32_t hash, power, inverse;

  explicit Spaced(const Hashed& token) : hash(token.hash * kBase + kSpace) {
    const std::size_t length = token.length + 1;
    power = length < kShort ? kPowers[length] : nearkin::power(kBase, length);
    inverse = length < kShort ? kInverses[length] : nearkin::power(kInverse, length);
  }
};

}  // namespace

void append_utf16(std::string_view utf8, std::u16string& out) {
  each_unit(utf8, [&](char16_t unit) { out.push_back(unit); });
}

Hashed java_hash(std::string_view utf8) {
  Hashed hashed{0, 0};
  each_unit(utf8, [&](char16_t unit) {
    hashed.hash = hashed.hash * kBase + unit;
    ++hashed.length;
  });
  return hashed;
}

std::vector<std::int32_t> gram_hashes(std::u16string_view units, std::size_t k) {
  std::vector<std::int32_t> grams;
  if (units.empty()) return grams;
  k = std::min(k, units.size());
  grams.reserve(units.size() - k + 1);
  const std::uint32_t leaving = power(kBase, k);
  std::uint32_t hash = 0;
  for (const char16_t unit : units.substr(0, k)) hash = hash * kBase + unit;
  grams.push_back(static_cast<std::int32_t>(hash));
  for (std::size_t i = k; i < units.size(); ++i) {
    hash = hash * kBase + units[i] - leaving * units[i - k];
    grams.push_back(static_cast<std::int32_t>(hash));
  }
  return grams;
}

std::vector<std::int32_t> gram_hashes(std::span<const Hashed> tokens, std::size_t k) {
  std::vector<std::int32_t> grams;
  if (tokens.empty()) return grams;
  k = std::min(k, tokens.size());
  grams.reserve(tokens.size() - k + 1);
  // The hash and power of the window's tokens, each with a space after it; the last space is taken off a gram.
  std::uint32_t hash = 0, power = 1;
  const auto enter = [&](const Spaced& token) {
    hash = hash * token.power + token.hash;
    power *= token.power;
  };
  const auto give = [&] { grams.push_back(static_cast<std::int32_t>((hash - kSpace) * kInverse)); };
  for (const Hashed& token : tokens.first(k)) enter(Spaced(token));
  give();
  for (std::size_t i = k; i < tokens.size(); ++i) {
    const Spaced leaving(tokens[i - k]);
    power *= leaving.inverse;
    hash -= leaving.hash * power;
    enter(Spaced(tokens[i]));
    give();
  }
  return grams;
}

}  // namespace nearkin
