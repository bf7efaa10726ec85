#include "sign/similarity_index.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.hpp"
#include "sign/rabin.hpp"
#include "sign/signature.hpp"
#include "text/encoding.hpp"
#include "text/soundex.hpp"

namespace nearkin {
namespace {

using Fingerprints = std::vector<std::int32_t>;

constexpr std::size_t kExtreme = 400;   // lowest or highest (§3.3; §6.1's "200" is a slip)
constexpr std::size_t kFrequent = 200;  // tokens
constexpr std::int32_t kDivisor = 25;

Fingerprints fingerprints_of(const SimilarityIndex& scheme, const InputStream& stream) {
  if (scheme.stream == Stream::characters) return gram_hashes(stream.characters(), scheme.k);
  std::vector<Hashed> tokens;
  for (const std::string_view token : stream.tokens()) tokens.push_back(java_hash(token));
  return gram_hashes(tokens, scheme.k);
}

// Keeps the smallest of every `window` in a row, the last of equal ones, and each place once (Schleimer, Wilkerson and
// Aiken 2003). Fewer fingerprints than that are one window.
Fingerprints winnowed(const Fingerprints& all, std::size_t window) {
  Fingerprints kept;
  std::deque<std::size_t> rising;  // places of ascending fingerprints; the first is the window's smallest
  std::size_t last = all.size();
  window = std::min(window, all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    while (!rising.empty() && all[rising.back()] >= all[i]) rising.pop_back();
    rising.push_back(i);
    if (rising.front() + window <= i) rising.pop_front();
    if (i + 1 >= window && rising.front() != last) {
      last = rising.front();
      kept.push_back(all[last]);
    }
  }
  return kept;
}

template <class Before>
Fingerprints extreme(Fingerprints all, Before before) {
  const std::size_t count = std::min(kExtreme, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), before);
  all.resize(count);
  return all;
}

// Keeps a third, rounded up, in the order of the text (Knuth's selection sampling). A text always keeps the same third.
Fingerprints random_third(const Fingerprints& all, std::uint64_t seed) {
  Fingerprints kept;
  std::uint64_t dice = seed;
  std::size_t wanted = (all.size() + 2) / 3;
  for (std::size_t i = 0; i < all.size() && wanted > 0; ++i) {
    if (mix(dice += kGolden) % (all.size() - i) < wanted) {
      kept.push_back(all[i]);
      --wanted;
    }
  }
  return kept;
}

Fingerprints sketch_of(const SimilarityIndex& scheme, Fingerprints all) {
  switch ((scheme.method - 1) / 2) {
    case 1:
      std::erase_if(all, [](std::int32_t f) { return f % kDivisor != 0; });
      return all;
    case 2: return winnowed(all, scheme.window);
    case 3: return extreme(std::move(all), std::less<>());
    case 4: return extreme(std::move(all), std::greater<>());
    case 5: return random_third(all, scheme.seed);
    default: return all;
  }
}

std::int64_t sum(const Fingerprints& sketch) { return std::accumulate(sketch.begin(), sketch.end(), std::int64_t{0}); }

// Takes the Rabin fingerprint of all, four bytes each, most significant first.
std::int64_t rabin(const Fingerprints& sketch) {
  std::string bytes;
  bytes.reserve(4 * sketch.size());
  for (const std::int32_t f : sketch)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<char>(static_cast<std::uint32_t>(f) >> shift));
  return static_cast<std::int64_t>(fingerprint(bytes));
}

// Returns the hashes of the most frequent tokens; of tokens that are equally frequent, the first.
Fingerprints frequent(const std::vector<std::string_view>& tokens) {
  struct Counted {
    std::string_view token;
    std::size_t count;
  };
  std::vector<Counted> counted;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const std::string_view token : tokens) {
    const auto [at, is_new] = place.try_emplace(token, counted.size());
    if (is_new) counted.push_back({token, 0});
    ++counted[at->second].count;
  }
  std::stable_sort(counted.begin(), counted.end(),
                   [](const Counted& x, const Counted& y) { return x.count > y.count; });
  counted.resize(std::min(counted.size(), kFrequent));
  Fingerprints hashes;
  for (const Counted& entry : counted) hashes.push_back(static_cast<std::int32_t>(java_hash(entry.token).hash));
  return hashes;
}

Hashed decimal(std::int32_t number) {
  char digits[12];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return java_hash({digits, static_cast<std::size_t>(end - digits)});
}

std::optional<std::int64_t> super_shingle(Fingerprints all, std::size_t k) {
  const auto count = static_cast<std::uint64_t>(all.size());
  if (count / 2 > SimilarityIndex::kMostSuperShingles / std::max<std::uint64_t>(count, 1) * (k - 1))
    return std::nullopt;
  std::vector<Hashed> decimals;
  while (all.size() > 1) {
    decimals.clear();
    for (const std::int32_t f : all) decimals.push_back(decimal(f));
    all = gram_hashes(decimals, k);
  }
  return all.empty() ? std::nullopt : std::optional<std::int64_t>(all.front());
}

}  // namespace

std::optional<std::int64_t> similarity_index(const SimilarityIndex& scheme, std::string_view text) {
  const InputStream stream(scheme.stream, scheme.variation, text);
  if (scheme.method == 14) return super_shingle(fingerprints_of(scheme, stream), scheme.k);
  const Fingerprints sketch =
      scheme.method == 13 ? frequent(stream.tokens()) : sketch_of(scheme, fingerprints_of(scheme, stream));
  if (sketch.empty()) return std::nullopt;
  return scheme.method % 2 == 1 ? sum(sketch) : rabin(sketch);
}

// The only feature is the number's two's complement. It stands for the text as a whole.
void sign_with(const SimilarityIndex& scheme, std::string_view text, Signature& out) {
  if (const auto number = similarity_index(scheme, text)) out.features.push_back(static_cast<std::uint64_t>(*number));
}

std::vector<PlacedFeature> place_with(const SimilarityIndex& scheme, std::string_view text) {
  const auto number = similarity_index(scheme, text);
  if (!number) return {};
  return {{0, static_cast<std::uint64_t>(*number), 1}};
}

namespace {

using namespace std::string_view_literals;

// Lucene's StopAnalyzer.ENGLISH_STOP_WORDS_SET, sorted.
constexpr std::array kStopWords = {
    "a"sv,  "an"sv,  "and"sv, "are"sv,  "as"sv,   "at"sv,    "be"sv,   "but"sv,   "by"sv,    "for"sv,  "if"sv,
    "in"sv, "into"sv, "is"sv, "it"sv,   "no"sv,   "not"sv,   "of"sv,   "on"sv,    "or"sv,    "such"sv, "that"sv,
    "the"sv, "their"sv, "then"sv, "there"sv, "these"sv, "they"sv, "this"sv, "to"sv, "was"sv, "will"sv, "with"sv};
static_assert(std::is_sorted(kStopWords.begin(), kStopWords.end()));

constexpr bool is_vowel(char16_t c) { return c == u'a' || c == u'e' || c == u'i' || c == u'o' || c == u'u'; }
constexpr bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

template <class Visit>
void each_word(std::string_view text, Visit&& visit) {
  std::string word;
  for (const char c : text) {
    if (!is_white(c)) {
      word.push_back(lower(c));
    } else if (!word.empty()) {
      visit(word);
      word.clear();
    }
  }
  if (!word.empty()) visit(word);
}

}  // namespace

InputStream::InputStream(Stream stream, Variation variation, std::string_view text) {
  std::unordered_set<std::string> seen;
  each_word(text, [&](std::string& word) {
    if (!variation.stop_words && std::binary_search(kStopWords.begin(), kStopWords.end(), std::string_view(word)))
      return;
    if (stream == Stream::characters) {
      const auto start = static_cast<std::ptrdiff_t>(characters_.size());
      append_utf16(word, characters_);
      if (!variation.vowels_or_duplicates)
        characters_.erase(std::remove_if(characters_.begin() + start, characters_.end(), is_vowel), characters_.end());
      return;
    }
    if (stream == Stream::soundex) {
      const auto code = soundex(word);
      if (!code) return;
      word.assign(code->begin(), code->end());
    }
    if (!variation.vowels_or_duplicates && !seen.insert(word).second) return;
    held_ += word;
    ends_.push_back(held_.size());
  });
}

std::vector<std::string_view> InputStream::tokens() const {
  std::vector<std::string_view> tokens;
  tokens.reserve(ends_.size());
  std::size_t start = 0;
  for (const std::size_t end : ends_) {
    tokens.push_back(std::string_view(held_).substr(start, end - start));
    start = end;
  }
  return tokens;
}

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

// The powers of shorter tokens are tabled: those of most words and all numbers.
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
  // The hash and the power of the window's tokens, each with a space after it; a gram drops the last space.
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
