// Common passages of two texts: maximal runs of text that both hold, wherever they stand (docs/decisions/024-passages.md).
//
// A run of A is maximal if it lies in B and no longer run around it does. The suffix array of both texts together puts
// next to each suffix of A the suffixes of B that agree with it longest, so one sweep each way finds them all in linear
// time, however often a text repeats itself (matching statistics, Chang and Lawler 1994).
//
// Listed, from left to right: at each point of A not covered yet the run that reaches farthest. Then the same for what
// is left of B, where a text stands twice that A has once. What would add fewer than `least` characters is left out as
// noise. Of several places in the other text the one is named that keeps on the diagonal of the run before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nearkin {

struct Passage {
  std::uint64_t a_start, a_end, b_start, b_end;  // bytes
};

// What counts as a character, and where a run may end.
enum class Reading {
  bytes,  // as they are
  words,  // canonical text: runs of whole code points, without the spaces at their ends
};

// In the order of A, then of B. Both texts together have fewer than 2^31 - 3 bytes; std::length_error otherwise.
std::vector<Passage> common_passages(std::string_view a, std::string_view b, std::uint64_t least, Reading reading);

}  // namespace nearkin
