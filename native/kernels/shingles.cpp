#include "shingles.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "divisor.hpp"
#include "radix.hpp"
#include "signature.hpp"

namespace nearkin {

std::uint64_t Shingles::modulus_for(std::size_t length) const {
  if (sample == 0) return modulus;
  const std::uint64_t width = roller.window();
  const std::uint64_t windows = length < width ? 1 : length - width + 1;
  std::uint64_t chosen = 1;
  while (chosen < most && windows > sample * chosen) chosen *= 2;
  return chosen;
}

namespace {

// Hits go through a block that stays in the nearest cache. A hit costs a mispredicted branch, some 20 cycles: where
// hits are frequent every fingerprint is written and only the count depends on the test; where they are rare the
// branch is cheaper.
template <class Test>
void collect(const Roller& roller, std::string_view text, bool frequent, Test&& test, std::vector<std::uint64_t>& kept) {
  constexpr std::size_t kBlock = 16384;
  std::array<std::uint64_t, kBlock + 1> hits;
  const std::size_t overlap = roller.window() - 1;
  for (std::size_t start = 0; start + overlap < text.size(); start += kBlock) {
    const auto block = text.substr(start, kBlock + overlap);
    std::size_t found = 0;
    if (frequent) {
      roll(roller, block, [&](std::size_t, std::uint64_t f) {
        hits[found] = f;
        found += test(f);
      });
    } else {
      roll(roller, block, [&](std::size_t, std::uint64_t f) {
        if (test(f)) [[unlikely]] hits[found++] = f;
      });
    }
    kept.insert(kept.end(), hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(found));
  }
}

void collect_multiples(const Roller& roller, std::string_view text, std::uint64_t modulus, std::vector<std::uint64_t>& kept) {
  const bool frequent = modulus <= 32;
  if (std::has_single_bit(modulus)) {
    const std::uint64_t mask = modulus - 1;
    collect(roller, text, frequent, [mask](std::uint64_t f) { return (f & mask) == 0; }, kept);
  } else {
    const Divisor divisor(modulus);
    collect(roller, text, frequent, [divisor](std::uint64_t f) { return divisor.divides(f); }, kept);
  }
}

}  // namespace

void sign_with(const Shingles& scheme, std::string_view text, Signature& out) {
  out.modulus = scheme.modulus_for(text.size());
  auto& kept = out.features;
  if (out.modulus == 1) {
    kept.reserve(text.size());
    roll(scheme.roller, text, [&](std::size_t, std::uint64_t f) { kept.push_back(f); });
  } else if (text.size() < scheme.roller.window()) {
    if (!text.empty()) kept.push_back(fingerprint(text));  // compared whole: sampling would lose it
  } else {
    collect_multiples(scheme.roller, text, out.modulus, kept);
  }
  sort_features(kept.data(), kept.size());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
}

std::vector<Placed> place_with(const Shingles& scheme, std::string_view text) {
  const std::uint64_t modulus = scheme.modulus_for(text.size());
  const bool whole = text.size() < scheme.roller.window();
  const Divisor divisor(modulus);
  std::vector<Placed> placed;
  roll(scheme.roller, text, [&](std::size_t position, std::uint64_t f) {
    if (whole || divisor.divides(f)) placed.push_back({position, f, static_cast<std::uint32_t>(modulus)});
  });
  // A set has each shingle once: the first place it stands at.
  std::sort(placed.begin(), placed.end(), [](const Placed& x, const Placed& y) {
    return x.feature != y.feature ? x.feature < y.feature : x.offset < y.offset;
  });
  const auto last = std::unique(placed.begin(), placed.end(),
                                [](const Placed& x, const Placed& y) { return x.feature == y.feature; });
  placed.erase(last, placed.end());
  std::sort(placed.begin(), placed.end(), [](const Placed& x, const Placed& y) { return x.offset < y.offset; });
  return placed;
}

}  // namespace nearkin
