// The frame of two texts: common passages that stand in one order in both, as a careful reader would line them up
// (docs/decisions/024-passages.md).
//
// As in patience diff what stands once in either text comes first, here by characters and weighed by length: of such
// passages the heaviest chain is kept; where that leaves out over a quarter of what both have, what an eye meets that
// keeps its place in both (following.hpp) may be in it, too. Between two of them the same again, where more is unique.
// At last each unique passage that was left out is given a trial: whether with it, and all that fits around it, more
// stands in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "passages/common_runs.hpp"
#include "passages/passages.hpp"

namespace nearkin {

// `whole` is what the texts have in common.
std::vector<Passage> frame_of(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least, Reading reading,
                              Widening& widened);

// Two texts read side by side: from one common passage on to the next nearest one, as an eye that keeps its place does.
// Where every paragraph stands in many like ones, the longest runs lie far from where a reader looks for them.

// They rise in both texts and do not overlap. Of the runs ahead the one with the least to skip in both texts comes
// next; what it takes is bound by the length of both texts, however often they repeat themselves.
std::vector<Passage> followed(std::string_view a, std::string_view b, std::uint64_t least, Reading reading);

// Of common passages those that stand in one order in both texts and are longest together.

// Whether both ends of the second stand behind those of the first, in both texts. They may overlap.
inline bool rises(const Passage& x, const Passage& y) {
  return x.a_start < y.a_start && x.b_start < y.b_start && x.a_end < y.a_end && x.b_end < y.b_end;
}

// How far the second must be cut at its start, so that they do not overlap in either text.
inline std::uint64_t overlap(const Passage& x, const Passage& y) {
  const std::uint64_t a = x.a_end > y.a_start ? x.a_end - y.a_start : 0, b = x.b_end > y.b_start ? x.b_end - y.b_start : 0;
  return a > b ? a : b;
}

// What a passage counts: its length less what each costs, and of short ones by their square, so that many of them are
// never better than a long one, but the longer of two still is.
inline std::uint64_t worth(std::uint64_t length, std::uint64_t each_costs) {
  if (length >= 2 * each_costs) return length - each_costs;
  return std::max<std::uint64_t>(length * length / (4 * each_costs), 1);
}

// The heaviest chain of passages that rise, in their order; overlaps count once.
std::vector<Passage> heaviest_chain(std::vector<Passage> passages, std::uint64_t each_costs);

// What such a chain counts.
std::uint64_t weight_of(const std::vector<Passage>& chain, std::uint64_t each_costs);

}  // namespace nearkin
