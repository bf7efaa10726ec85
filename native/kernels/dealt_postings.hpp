// Postings dealt into parts by the high bits of their features, each part sorted by feature within the nearest caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "candidates.hpp"
#include "uncleared.hpp"

namespace nearkin {

struct Dealt {
  std::uint64_t feature;
  std::uint32_t rank;
  std::uint32_t at;  // in the postings as they were given
};

class DealtPostings {
 public:
  // In the order of `content`, which holds the contents by rank.
  DealtPostings(const Postings& postings, std::span<const std::uint32_t> content, unsigned threads);

  std::size_t parts() const { return start_.size() - 1; }
  std::span<const Dealt> part(std::size_t number) const {
    return {entries_.data() + start_[number], start_[number + 1] - start_[number]};
  }

  // By place_of the feature, then by rank, then as they were given. Parts are in that order too.
  void sort(std::size_t part);

 private:
  Estimator estimator_;
  int unused_ = 0, bits_ = 1;
  std::vector<std::size_t> start_;
  Uncleared<Dealt> entries_;
};

}  // namespace nearkin
