// Suffix arrays in linear time by induced sorting (Nong, Zhang and Chan 2009, SA-IS).
//
// Only the suffixes that begin a descent (LMS) are sorted, by the same method one level down unless their pieces are
// all different. The order of all others follows from theirs in two sweeps. The reduced text lies in the unused end of
// the array itself, so beyond the array it takes a bit a symbol and the buckets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

// Builds the suffix array. The text must end with a symbol that is smaller than all others and occurs nowhere else.
// Symbols are below `alphabet`, and there are at most 2^31 - 2 of them.
std::vector<std::int32_t> suffix_array(std::span<const std::uint8_t> text, std::int32_t alphabet);
std::vector<std::int32_t> suffix_array(std::span<const std::uint16_t> text, std::int32_t alphabet);

}  // namespace nearkin
