// Of common passages those that stand in one order in both texts and are longest together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "passages/passages.hpp"

namespace nearkin {

// Whether both ends of the second stand behind those of the first, in both texts. They may overlap.
inline bool rises(const Passage& x, const Passage& y) {
  return x.a_start < y.a_start && x.b_start < y.b_start && x.a_end < y.a_end && x.b_end < y.b_end;
}

// How far the second must be cut at its start, so that they do not overlap in either text.
inline std::uint64_t overlap(const Passage& x, const Passage& y) {
  const std::uint64_t a = x.a_end > y.a_start ? x.a_end - y.a_start : 0, b = x.b_end > y.b_start ? x.b_end - y.b_start : 0;
  return a > b ? a : b;
}

// What a passage counts: its length less what each costs, and of short ones by their square, so that many of them are
// never better than a long one, but the longer of two still is.
inline std::uint64_t worth(std::uint64_t length, std::uint64_t each_costs) {
  if (length >= 2 * each_costs) return length - each_costs;
  return std::max<std::uint64_t>(length * length / (4 * each_costs), 1);
}

// The heaviest chain of passages that rise, in their order; overlaps count once.
std::vector<Passage> heaviest_chain(std::vector<Passage> passages, std::uint64_t each_costs);

// What such a chain counts.
std::uint64_t weight_of(const std::vector<Passage>& chain, std::uint64_t each_costs);

}  // namespace nearkin
