// Intersections of sorted lists: how much two lists share.
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
using Numbered = Listed<std::uint32_t>;  // of numbers that stand for features

// Counts the features that two lists share, or sums up Σ weight · min(count in a, count in b) where they have weights.
std::uint64_t shared_weight(const List& a, const List& b);
std::uint64_t shared_weight(const Numbered& a, const Numbered& b);

// Counts the numbers that two ascending lists of distinct numbers share. Blocks of eight or four are compared at once.
std::uint64_t shared_numbers(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

// Counts how many of the n smallest features of two lists together are in both.
std::uint64_t shared_of_smallest(const List& a, const List& b, std::uint64_t n);

// Counts the features that two ascending lists of distinct features share. Returns 0 as soon as these cannot be at
// least `at_least`.
//
// A walk of one feature at a time waits at each step for the step before. With AVX2, four features of one list are
// compared with four of the other at once, and the four that end first are passed.
std::uint64_t shared_features(std::span<const std::uint64_t> x, std::span<const std::uint64_t> y,
                              std::uint64_t at_least);

}  // namespace nearkin
