// The cosine of the angle between two texts' term vectors (Stein 2005 §3's reference similarity φ): the vectors hold
// how often each term occurs (terms.hpp), unweighted; 1 for the same terms in the same proportions, 0 for none in
// common. Order does not count.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "verify/verify.hpp"

namespace nearkin {

// Pairs index into texts. Needs about 16 bytes for every distinct term of the texts that stand in a pair. NaN where a
// text has no terms: nothing can be said.
std::vector<double> cosines(std::span<const std::string_view> texts, std::span<const Pair> pairs, unsigned threads);

}  // namespace nearkin
