// Two texts read side by side: from one common passage on to the next nearest one, as an eye that keeps its place does.
// Where every paragraph stands in many like ones, the longest runs lie far from where a reader looks for them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "passages/common_runs.hpp"
#include "passages/passages.hpp"

namespace nearkin {

// They rise in both texts and do not overlap. Of the runs ahead the one with the least to skip in both texts comes next;
// what it takes is bound by the length of both texts, however often they repeat themselves.
std::vector<Passage> followed(std::string_view a, std::string_view b, std::uint64_t least, Reading reading);

}  // namespace nearkin
