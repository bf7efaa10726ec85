// The exact measure of one pair of texts whose shingles do not fit into memory together.
//
// Shingles are uniform over all 64 bits, so those of one slice of the range are a sample as good as any, and a shingle
// that both texts have is in the same slice of both. Slice by slice both lists are made, sorted and walked side by
// side, and the counts added up: the very numbers of `verify` where no pair is given up, in one part of its memory for so
// many passes over the texts, at some 500 MB/s each. None is given up here: what is shared is known after the last slice.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "verify/verify.hpp"

namespace nearkin {

// Only for shingles of bytes that are not labelled: see `can_be_sliced`.
Measure measure_long(std::string_view a, std::string_view b, const Shingler& shingler,
                     std::span<const std::uint64_t> ignored, std::uint64_t slices);

inline bool can_be_sliced(const Shingler& shingler) { return shingler.unit() == Unit::byte && !shingler.label(); }

}  // namespace nearkin
