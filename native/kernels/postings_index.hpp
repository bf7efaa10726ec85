// The postings turned round: for every feature the contents that have it, in order of their rank.
//
// Contents are ranked by (level, size, row): the contents of one level and a range of sizes are a range of ranks, and
// within a feature's run they stand together.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "candidates.hpp"
#include "mix.hpp"

namespace nearkin {

struct Slot {
  std::uint32_t rank;
  std::uint32_t left;  // weight of the content's list from this feature on, rarest first, at its own level
};

// A feature of a content's list, with its run: all a look-up must know before it goes there.
struct Listed {
  std::uint32_t slot, run, run_end;
};

struct PostingsIndex {
  std::uint64_t base = 1;    // modulus of level 0
  std::uint32_t levels = 1;  // moduli in use: base · 2^level

  std::vector<std::uint32_t> content;      // by rank
  std::vector<std::uint8_t> level;         // by rank
  std::vector<std::uint64_t> size;         // by rank, at its own level
  std::vector<std::uint32_t> level_start;  // first rank of each level, and one past the last

  std::vector<std::uint64_t> feature;   // by slot
  std::vector<Slot> slots;              // feature by feature, in an order of their own, then by rank
  std::vector<std::uint64_t> offset;    // by rank: where its list begins in `order`
  std::vector<Listed> order;            // of each list, rarest feature first, ties by slot
  std::vector<std::uint32_t> weight;    // by place in `order`; empty where all weigh 1
  std::vector<std::uint32_t> often;     // by slot, of a bin: how many postings of the whole have the feature
  std::vector<std::uint8_t> common;     // by slot, of part of a collection: whether the whole has the feature too often
};

// The highest level at which a feature counts.
inline std::uint32_t highest_level(std::uint64_t feature, std::uint64_t base, std::uint32_t levels) {
  return std::min<std::uint32_t>(levels - 1, static_cast<std::uint32_t>(std::countr_zero(feature / base)));
}

// Ties of equally rare features are broken by this number of theirs: samples are uniform, the smallest of a text, tagged
// slots and codes are not; their bits are spread.
inline std::uint64_t place_of(std::uint64_t feature, Estimator estimator) {
  return estimator == Estimator::overlap ? feature : feature * kGolden;
}

// `bin`: null where the postings are those of a whole.
PostingsIndex build_index(const Postings& postings, const Bin* bin, unsigned threads);

}  // namespace nearkin
