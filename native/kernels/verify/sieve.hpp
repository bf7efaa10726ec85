// Which pairs of texts may reach a bound at all.
//
// Each text that may contain another becomes a row of bits, one for every quarter of a shingle: a bit that is not set
// says of all shingles that would have set it that the text has none of them. Of the shorter text of a pair as many
// shingles are then looked up as it takes to see that too many are missing, mostly some 64. Nothing is guessed: a pair
// is left out only if it can reach neither bound, whatever the bits that stand for several shingles hide.
//
// Large groups of texts mostly hang together by pairs that come to nothing. Without these they fall apart into
// families, whose shingles are numbered (docs/decisions/005-verification.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sign/rabin.hpp"
#include "verify/verify.hpp"

namespace nearkin {

// Of these pairs (`which` of all), those that may reach a bound, in their order. Shingles are of bytes, all of them
// count. It takes half a byte for a byte of the texts.
std::vector<std::uint32_t> sieve(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                                 std::span<const std::uint32_t> which, const Roller& roller, const Bounds& bounds,
                                 unsigned threads);

}  // namespace nearkin
