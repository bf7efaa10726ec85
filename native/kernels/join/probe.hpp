// What one thread of the join holds while it looks lists up, used again for the next list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "join/candidates.hpp"
#include "join/intersect.hpp"
#include "join/postings.hpp"
#include "base/uncleared.hpp"

namespace nearkin {

struct Visit {
  std::uint32_t number;
  std::uint64_t left;  // of the list from this feature on
};

// A list, and what is known of its features.
struct Hinted : Numbered {
  std::span<const Hint> hints;
};

struct Probe {
  static constexpr std::size_t kPiece = 16384;  // candidates

  std::vector<std::uint32_t> seen;              // by rank: the last rank that met it
  std::vector<Visit> visits;
  std::vector<std::uint32_t> numbers, weights;  // a list without what does not count at a level
  Uncleared<Hint> hints;
  std::vector<Uncleared<Candidate>> found;      // in pieces: one list would be copied, into fresh memory, as it grows

  void add(const Candidate& candidate) {
    if (found.empty() || found.back().size() == kPiece) found.emplace_back().reserve(kPiece);
    found.back().push_back(candidate);
  }
};

}  // namespace nearkin
