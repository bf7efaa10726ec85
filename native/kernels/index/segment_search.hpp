// Which contents of a segment are like a query: a text's features, looked up one by one.
//
// Lists are taken shortest first. A content is admitted while enough of the query is left for it to reach a bar; as
// ranks go by size, the admissible ones are a few ranges of every list (Bayardo, Ma, Srikant 2007; Xiao et al. 2008).
// The counts of those admitted are completed by binary search. So boilerplate that is in 100,000 contents costs a few
// steps, not a walk through 100,000.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index/segment.hpp"
#include "join/thresholds.hpp"

namespace nearkin {

struct SegmentQuery {
  std::span<const std::uint64_t> features;  // ascending, each once
  std::span<const std::uint32_t> weights;   // as the segment has them, or empty
  std::uint64_t modulus = 1;                // what the features are a sample at; 1: all of them
};

// A content that may reach a bar. Everything is as counted at the larger modulus of the two.
struct SegmentMatch {
  std::int64_t content;
  std::uint64_t shared, mine, size, modulus;
};

// In order of rank.
std::vector<SegmentMatch> search_segment(const Segment& segment, const SegmentQuery& query, const Bars& bars);

}  // namespace nearkin
