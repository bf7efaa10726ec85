// Which contents may match: the prefix filter (Bayardo, Ma, Srikant 2007, applied to Broder's samples).
//
// Features are ordered rarest first, one order for all. Two lists that must share at least k features share one
// among the first |list| - k + 1 of each, so only these prefixes are looked up. For containment the part's prefix
// meets the container's whole list. Samples of unequal modulus are compared at the larger (Broder 1997 §3): a
// list's prefix is therefore taken at its own modulus and at every larger one in use, and a pair counts only at the
// level where it would be compared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

struct Postings {
  std::span<const std::uint64_t> offsets;   // of each content's features; one more than there are contents
  std::span<const std::uint64_t> features;  // ascending within a content
  std::span<const std::uint32_t> weights;   // empty: every feature weighs 1
  std::span<const std::uint64_t> moduli;    // of each content
  bool sampled;                             // false: lists are complete, or have no sampling theory
};

struct Thresholds {
  double resemblance, containment, floor;
  double confidence;          // of the interval whose upper bound must reach a threshold
  std::uint32_t floor_reach;  // pairs below the thresholds are looked for among features in at most so many contents
};

struct Candidate {
  std::uint32_t a, b;                    // a < b
  std::uint64_t shared, size_a, size_b;  // features (or bytes) in common and of each, at the modulus compared
  bool strong;                           // may reach a threshold: to be verified on the texts

  double resemblance() const {
    return static_cast<double>(shared) / static_cast<double>(size_a + size_b - shared);
  }
};

std::vector<Candidate> find_candidates(const Postings& postings, const Thresholds& thresholds, unsigned threads);

// What two lists share: how many features, or Σ weight · min(count in a, count in b) where they have weights.
std::uint64_t shared_weight(const Postings& postings, std::uint32_t a, std::uint32_t b);

}  // namespace nearkin
