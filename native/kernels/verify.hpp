// The exact measure of a pair, on the texts: |S(A) ∩ S(B)|, |S(A)|, |S(B)| over all shingles (Broder 1997 §2), and
// how many bytes of each text lie in common shingles.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rabin.hpp"

namespace nearkin {

struct Pair {
  std::uint32_t a, b;
};

struct Measure {
  std::uint64_t shared, size_a, size_b;  // distinct shingles
  std::uint64_t covered_a, covered_b;    // bytes of each text inside common shingles; 0 where nobody will ask
};

// Pairs that reach neither bound have no coverage measured: it costs more than all the rest.
struct Bounds {
  double resemblance, containment;
};

// Pairs index into texts.
std::vector<Measure> verify(std::span<const std::string_view> texts, std::span<const Pair> pairs, const Roller& roller,
                            const Bounds& bounds, unsigned threads);

}  // namespace nearkin
