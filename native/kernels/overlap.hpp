// What two contents of a collection have in common.
#pragma once

#include <cstdint>

#include "candidates.hpp"

namespace nearkin {

// What two lists share: how many features, or Σ weight · min(count in a, count in b) where they have weights.
std::uint64_t shared_weight(const Postings& postings, std::uint32_t a, std::uint32_t b);

// Of the n smallest features of two lists together, how many are in both; n is the postings' limit.
std::uint64_t shared_of_smallest(const Postings& postings, std::uint32_t a, std::uint32_t b);

}  // namespace nearkin
