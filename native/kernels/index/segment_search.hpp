// The search of a segment for contents that match a query, feature by feature.
//
// Lists are read shortest first. A content is admitted while enough of the query is left for it to reach a threshold.
// As ranks go by size, the admissible ones are a few ranges of every list (Bayardo, Ma, Srikant 2007; Xiao et al.
// 2008). Binary search completes the counts of the admitted. So boilerplate that is in 100,000 contents costs a few
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
  std::uint64_t modulus = 1;                // at which the features are sampled; 1: they are all
};

// A content that may reach a threshold. All numbers are counted at the larger modulus of the two.
struct SegmentMatch {
  std::int64_t content;
  std::uint64_t shared, query_size, size, modulus;
};

// Returns matches in order of rank.
std::vector<SegmentMatch> search_segment(const Segment& segment, const SegmentQuery& query,
                                         const Thresholds& thresholds);

}  // namespace nearkin
