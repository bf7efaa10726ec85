// What two lists have in common.
#pragma once

#include <cstdint>
#include <span>

namespace nearkin {

template <class Feature>
struct Listed {
  std::span<const Feature> features;       // ascending
  std::span<const std::uint32_t> weights;  // empty: every feature weighs 1
};

using List = Listed<std::uint64_t>;
using Numbered = Listed<std::uint32_t>;  // by numbers that stand for features

// How many features two lists share, or Σ weight · min(count in a, count in b) where they have weights.
std::uint64_t shared_weight(const List& a, const List& b);
std::uint64_t shared_weight(const Numbered& a, const Numbered& b);

// How many numbers two ascending lists share; none is in a list twice. Compares four with four at once.
std::uint64_t shared_numbers(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

// Of the n smallest features of two lists together, how many are in both.
std::uint64_t shared_of_smallest(const List& a, const List& b, std::uint64_t n);

}  // namespace nearkin
