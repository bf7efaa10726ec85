#include "sign/similarity_index.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "sign/java_hash.hpp"
#include "base/hash.hpp"
#include "sign/rabin.hpp"
#include "sign/signature.hpp"

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

// The smallest of every `window` in a row, the last of equal ones; each place once (Schleimer, Wilkerson and Aiken
// 2003). Fewer than that are one window.
Fingerprints winnowed(const Fingerprints& all, std::size_t window) {
  Fingerprints kept;
  std::deque<std::size_t> rising;  // places whose fingerprints rise; the first is the window's smallest
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

// A third, rounded up, in the order of the text (Knuth's selection sampling). The same text has the same third.
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

// Of the fingerprints one behind the other, four bytes each, the highest first.
std::int64_t rabin(const Fingerprints& sketch) {
  std::string bytes;
  bytes.reserve(4 * sketch.size());
  for (const std::int32_t f : sketch)
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(static_cast<std::uint32_t>(f) >> shift));
  return static_cast<std::int64_t>(fingerprint(bytes));
}

// The hashes of the most frequent tokens; of those that occur equally often the first.
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
  std::stable_sort(counted.begin(), counted.end(), [](const Counted& x, const Counted& y) { return x.count > y.count; });
  counted.resize(std::min(counted.size(), kFrequent));
  Fingerprints hashes;
  for (const Counted& one : counted) hashes.push_back(static_cast<std::int32_t>(java_hash(one.token).hash));
  return hashes;
}

Hashed decimal(std::int32_t number) {
  char digits[12];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return java_hash({digits, static_cast<std::size_t>(end - digits)});
}

std::optional<std::int64_t> super_shingle(Fingerprints all, std::size_t k) {
  const auto count = static_cast<std::uint64_t>(all.size());
  if (count / 2 > SimilarityIndex::kMostSuperShingles / std::max<std::uint64_t>(count, 1) * (k - 1)) return std::nullopt;
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

// The number's two's complement is the only feature. It stands for the text as a whole.
void sign_with(const SimilarityIndex& scheme, std::string_view text, Signature& out) {
  if (const auto number = similarity_index(scheme, text)) out.features.push_back(static_cast<std::uint64_t>(*number));
}

std::vector<Placed> place_with(const SimilarityIndex& scheme, std::string_view text) {
  const auto number = similarity_index(scheme, text);
  if (!number) return {};
  return {{0, static_cast<std::uint64_t>(*number), 1}};
}

}  // namespace nearkin
