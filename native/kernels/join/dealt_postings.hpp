// Postings grouped by feature: dealt into parts by the high bits of their features, each part sorted within the nearest
// caches. What too few contents have is left out, most of all features.
//
// Parts are dealt band by band, each by one thread, in room that the next band uses again: all postings at once would be
// twice as much memory as their features, and touching fresh memory takes longer than dealing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "join/candidates.hpp"
#include "base/uncleared.hpp"

namespace nearkin {

struct Posted {
  std::uint32_t rank;
  std::uint32_t at;  // in the postings as they were given
};

struct Run {
  std::uint64_t feature;
  std::uint32_t from, count;     // of its band's postings
  std::uint32_t often, number;   // for those who number them
};

// Runs in the order of place_of their features; within a run by rank, then as they were given.
struct Band {
  std::vector<Run> runs;
  Uncleared<Posted> postings;

  std::span<const Posted> of(const Run& run) const { return {postings.data() + run.from, run.count}; }
};

// In the order of `content`, which holds the contents by rank. Bands are in the order of their features too.
std::vector<Band> deal(const Postings& postings, std::span<const std::uint32_t> content, std::size_t fewest,
                       unsigned threads);

}  // namespace nearkin
