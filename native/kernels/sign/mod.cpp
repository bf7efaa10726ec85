#include "sign/mod.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/hash.hpp"
#include "base/sort.hpp"
#include "sign/signature.hpp"

namespace nearkin {

std::uint64_t Mod::modulus_for(std::uint64_t shingles) const {
  if (sample == 0) return modulus;
  std::uint64_t chosen = 1;
  while (chosen < most && shingles > sample * chosen) chosen *= 2;
  return chosen;
}

namespace {

// Collects the fingerprints that pass the test, through a block that stays in the nearest cache. A hit costs a
// mispredicted branch, some 20 cycles. Where hits are frequent, every fingerprint is written and only the count depends
// on the test; where they are rare, the branch is cheaper.
template <class Finish, class Test>
void collect(const Roller& roller, std::string_view text, bool frequent, Finish&& finish, Test&& test,
             std::vector<std::uint64_t>& kept) {
  constexpr std::size_t kBlock = 16384;
  std::array<std::uint64_t, kBlock + 1> hits;
  const std::size_t overlap = roller.window() - 1;
  for (std::size_t start = 0; start + overlap < text.size(); start += kBlock) {
    const auto block = text.substr(start, kBlock + overlap);
    std::size_t count = 0;
    if (frequent) {
      roll(roller, block, [&](std::size_t, std::uint64_t f) {
        f = finish(f);
        hits[count] = f;
        count += test(f);
      });
    } else {
      roll(roller, block, [&](std::size_t, std::uint64_t f) {
        f = finish(f);
        if (test(f)) [[unlikely]] hits[count++] = f;
      });
    }
    kept.insert(kept.end(), hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

// Calls use(test) with the quickest test for multiples of the modulus.
template <class Use>
void with_test(std::uint64_t modulus, Use&& use) {
  if (std::has_single_bit(modulus)) {
    const std::uint64_t mask = modulus - 1;
    use([mask](std::uint64_t f) { return (f & mask) == 0; });
  } else {
    const Divisor divisor(modulus);
    use([divisor](std::uint64_t f) { return divisor.divides(f); });
  }
}

void collect_multiples(const Shingler& shingler, std::string_view text, std::uint64_t modulus,
                       std::vector<std::uint64_t>& kept) {
  with_test(modulus, [&](auto test) {
    const auto finish = [&](std::uint64_t f) { return shingler.finish(f); };
    if (shingler.plain()) {
      collect(shingler.roller(), text, modulus <= 32, [](std::uint64_t f) { return f; }, test, kept);
    } else if (shingler.label()) {  // labels are known only when all shingles have been seen
      shingler.all(text, kept);
      std::erase_if(kept, [&](std::uint64_t f) { return !test(f); });
    } else if (shingler.unit() == Unit::byte) {
      collect(shingler.roller(), text, modulus <= 32, finish, test, kept);
    } else {
      shingler.each(text, [&](std::uint64_t f, std::size_t, std::size_t) {
        f = finish(f);
        if (test(f)) kept.push_back(f);
      });
    }
  });
}

// A text that keeps less than this part of the expected sample repeats itself, or is one in a hundred million.
constexpr std::uint64_t kRepetitive = 4;

void keep_distinct(const Shingler& shingler, std::vector<std::uint64_t>& features) {
  sort_features(features.data(), features.size(), shingler.bits());
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

// Collects the distinct shingles of a text, ascending. Returns false if there are more than `most`. Few are held at a
// time, however long the text is.
bool distinct_shingles(const Shingler& shingler, std::string_view text, std::size_t most,
                       std::vector<std::uint64_t>& all) {
  constexpr std::size_t kRoom = 1 << 16;
  if (shingler.label()) return false;  // labelled shingles are all distinct
  bool few = true;
  shingler.each(text, [&](std::uint64_t f, std::size_t, std::size_t) {
    if (!few) return;
    all.push_back(shingler.finish(f));
    if (all.size() < most + kRoom) return;
    keep_distinct(shingler, all);
    few = all.size() <= most;
  });
  keep_distinct(shingler, all);
  return few && all.size() <= most;
}

}  // namespace

void sample_shingles(const Shingler& shingler, std::string_view text, std::uint64_t modulus,
                     std::vector<std::uint64_t>& kept) {
  kept.clear();
  if (modulus == 1 || shingler.whole(text)) {
    shingler.all(text, kept);
  } else {
    collect_multiples(shingler, text, modulus, kept);
  }
  keep_distinct(shingler, kept);
}

void sign_with(const Mod& scheme, std::string_view text, Signature& out) {
  out.modulus = scheme.modulus_for(scheme.shingler.count(text));
  sample_shingles(scheme.shingler, text, out.modulus, out.features);
  if (scheme.sample == 0 || out.modulus == 1 || kRepetitive * out.features.size() >= scheme.sample) return;
  std::vector<std::uint64_t> all;
  if (!distinct_shingles(scheme.shingler, text, scheme.sample * (out.modulus / 2), all)) return;
  out.modulus = scheme.modulus_for(all.size());
  std::erase_if(all, [&](std::uint64_t f) { return (f & (out.modulus - 1)) != 0; });
  out.features = std::move(all);
}

std::vector<PlacedFeature> place_with(const Mod& scheme, std::string_view text) {
  Signature signature;
  sign_with(scheme, text, signature);
  const std::uint64_t modulus = signature.modulus;
  const bool whole = scheme.shingler.whole(text);
  const Divisor divisor(modulus);
  std::vector<PlacedFeature> placed;
  for (const auto& [f, offset, bytes] : scheme.shingler.placed(text))
    if (whole || divisor.divides(f)) placed.push_back({offset, f, static_cast<std::uint32_t>(modulus)});
  keep_first_places(placed);
  return placed;
}

void keep_first_places(std::vector<PlacedFeature>& placed) {
  // A set holds each shingle once, at the first of its places.
  std::sort(placed.begin(), placed.end(), [](const PlacedFeature& x, const PlacedFeature& y) {
    return x.feature != y.feature ? x.feature < y.feature : x.offset < y.offset;
  });
  const auto last = std::unique(placed.begin(), placed.end(),
                                [](const PlacedFeature& x, const PlacedFeature& y) { return x.feature == y.feature; });
  placed.erase(last, placed.end());
  std::sort(placed.begin(), placed.end(),
            [](const PlacedFeature& x, const PlacedFeature& y) { return x.offset < y.offset; });
}

}  // namespace nearkin
