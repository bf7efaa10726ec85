// The sieve drops pairs of texts that cannot reach a bound.
//
// Each text that may contain another becomes a row of bits, four for every shingle: a bit that is not set proves that
// the text has none of the shingles that would have set it. Of the shorter text of a pair only as many shingles are
// looked up as show that too many are missing, mostly some 64. Nothing is guessed: a pair is dropped only if it can
// reach neither bound, whatever is hidden by bits that stand for several shingles.
//
// Large groups of texts are mostly connected by pairs that reach nothing. Without these they fall into families, whose
// shingles are numbered (docs/decisions/005-verification.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sign/rabin.hpp"
#include "verify/verify.hpp"

namespace nearkin {

// Returns those of the pairs (`which` of all) that may reach a bound, in their order. Shingles are of bytes, and all of
// them count. It takes half a byte for a byte of the texts.
std::vector<std::uint32_t> sieve(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                                 std::span<const std::uint32_t> which, const Roller& roller, const Bounds& bounds,
                                 unsigned threads);

}  // namespace nearkin
