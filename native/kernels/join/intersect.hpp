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

// How many numbers two ascending lists of distinct 64-bit numbers have in common.
//
// A walk of one at a time waits for each step before it knows the next. Where there is AVX2, four of one list are
// compared with four of the other at once, and the four that end first are passed.

// 0 as soon as they can be no more than so few.
std::uint64_t in_common(std::span<const std::uint64_t> x, std::span<const std::uint64_t> y, std::uint64_t fewer_than);

}  // namespace nearkin
