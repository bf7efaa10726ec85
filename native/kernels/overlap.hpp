// What two lists have in common.
#pragma once

#include <cstdint>
#include <span>

namespace nearkin {

struct List {
  std::span<const std::uint64_t> features;  // ascending
  std::span<const std::uint32_t> weights;   // empty: every feature weighs 1
};

// How many features two lists share, or Σ weight · min(count in a, count in b) where they have weights.
std::uint64_t shared_weight(const List& a, const List& b);

// Of the n smallest features of two lists together, how many are in both.
std::uint64_t shared_of_smallest(const List& a, const List& b, std::uint64_t n);

}  // namespace nearkin
