// The frame of two texts: common passages that stand in one order in both, as a careful reader would line them up
// (docs/decisions/024-passages.md).
//
// As in patience diff what stands once in either text comes first, here by characters and weighed by length: of such
// passages the heaviest chain is kept; where that leaves out over a quarter of what both have, what an eye meets that
// keeps its place in both (following.hpp) may be in it, too. Between two of them the same again, where more is unique. At
// last each unique passage that was left out is given a trial: whether with it, and all that fits around it, more stands
// in order.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "passages/common_runs.hpp"
#include "passages/passages.hpp"
#include "passages/widening.hpp"

namespace nearkin {

// `whole` is what the texts have in common.
std::vector<Passage> frame_of(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least, Reading reading,
                              Widening& widened);

}  // namespace nearkin
