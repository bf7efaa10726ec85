// The frame of two texts: common passages that stand in one order in both, as a careful reader would line them up
// (docs/decisions/024-passages.md).
//
// As in patience diff, passages that stand once in either text come first, here by characters and weighed by length. Of
// these the heaviest chain is kept. Where it leaves out over a quarter of what both texts have, passages that an eye
// meets when it reads both texts side by side may be part of it, too. Between two passages of the chain the same is
// done again where more is unique. At last each unique passage that was left out is given a trial: whether more stands
// in order with it and all that fits around it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "passages/common_runs.hpp"
#include "passages/passages.hpp"

namespace nearkin {

// Returns the frame; `whole` holds the runs that the texts have in common.
std::vector<Passage> frame_of(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least,
                              Reading reading, Widener& widened);

// Reads two texts side by side: goes from one common passage to the nearest next one, as an eye that keeps its place
// does. Where every paragraph resembles many others, the longest runs lie far from where a reader looks for them.
//
// The passages ascend in both texts and do not overlap. Of the runs ahead, the one with the least to skip in both texts
// comes next. The effort is bounded by the length of both texts, however often they repeat themselves.
std::vector<Passage> read_side_by_side(std::string_view a, std::string_view b, std::uint64_t least, Reading reading);

// Tells whether both ends of the second passage stand behind those of the first, in both texts. They may overlap.
inline bool rises(const Passage& x, const Passage& y) {
  return x.a_start < y.a_start && x.b_start < y.b_start && x.a_end < y.a_end && x.b_end < y.b_end;
}

// Returns how much must be cut off the start of the second passage, so that they do not overlap in either text.
inline std::uint64_t overlap(const Passage& x, const Passage& y) {
  const std::uint64_t a = x.a_end > y.a_start ? x.a_end - y.a_start : 0;
  const std::uint64_t b = x.b_end > y.b_start ? x.b_end - y.b_start : 0;
  return a > b ? a : b;
}

// Returns the weight of a passage: its length less a fixed cost. Short ones weigh by their square, so that many of them
// are never better than a long one, while the longer of two still is.
inline std::uint64_t worth(std::uint64_t length, std::uint64_t each_costs) {
  if (length >= 2 * each_costs) return length - each_costs;
  return std::max<std::uint64_t>(length * length / (4 * each_costs), 1);
}

// Returns the heaviest chain of passages that stand in one order in both texts, in that order. Overlaps count once.
std::vector<Passage> heaviest_chain(std::vector<Passage> passages, std::uint64_t each_costs);

// Returns the weight of such a chain.
std::uint64_t weight_of(const std::vector<Passage>& chain, std::uint64_t each_costs);

}  // namespace nearkin
