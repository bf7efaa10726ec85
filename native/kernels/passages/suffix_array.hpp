// Suffix arrays in linear time by induced sorting (Nong, Zhang and Chan 2009, SA-IS).
//
// Only the suffixes that begin a descent (LMS) are sorted, by the same method one level down where their pieces are not
// all unlike; the order of all others follows from theirs in two sweeps. The reduced text lies in the unused end of the
// array itself, so beyond the array it takes a bit a symbol and the buckets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

// The text must end with a symbol that is smaller than all others and found nowhere else; symbols are below `alphabet`.
// At most 2^31 - 2 symbols.
std::vector<std::int32_t> suffix_array(std::span<const std::uint8_t> text, std::int32_t alphabet);
std::vector<std::int32_t> suffix_array(std::span<const std::uint16_t> text, std::int32_t alphabet);

}  // namespace nearkin
