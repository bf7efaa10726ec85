// The postings turned round: for every feature the contents that have it, in order of their rank.
//
// Contents are ranked by (level, size, row): the contents of one level and a range of sizes are a range of ranks, and
// within a feature's run they stand together.
//
// Features are numbered rarest first, in the one order in which all lists are looked up. A list of numbers is in that
// order when it is ascending, and takes half the room of a list of features. Those that meet nothing have no number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/containers.hpp"
#include "base/hash.hpp"
#include "join/candidates.hpp"
#include "join/intersect.hpp"

namespace nearkin {

struct Slot {
  std::uint32_t rank;
  std::uint32_t left;  // weight of the content's list from this feature on, rarest first, at its own level
};

// What a look-up must know of a feature before it goes to its run. It stands beside the number in every list: by number
// it would be one more place in memory to wait for.
struct Hint {
  std::uint8_t levels;        // bits of the levels that contents with it are of
  std::uint8_t highest : 7;   // the highest level at which it counts
  std::uint8_t followed : 1;  // whether more contents of the list's own level come after it

  // Whether a content of this level may have the feature.
  bool has_level(std::uint32_t level) const { return levels & level_bit(level); }
  static std::uint8_t level_bit(std::uint32_t level) { return static_cast<std::uint8_t>(1U << std::min(level, 7U)); }
};

struct PostingsIndex {
  // Of part of a collection: how often a feature is that the whole has too often to be rare, and more.
  static constexpr std::uint32_t kCommon = std::uint32_t{1} << 31;

  std::uint64_t base = 1;    // modulus of level 0
  std::uint32_t levels = 1;  // moduli in use: base · 2^level

  std::vector<std::uint32_t> content;      // by rank
  std::vector<std::uint8_t> level;         // by rank
  std::vector<std::uint64_t> size;         // by rank, at its own level
  std::vector<std::uint32_t> level_start;  // first rank of each level, and one past the last

  UninitVector<std::uint64_t> feature;  // by number
  UninitVector<std::uint8_t> highest;   // by number: the highest level at which it counts
  UninitVector<std::uint32_t> often;    // by number, ascending: how many contents have it, of the whole where this is a bin
  UninitVector<std::uint32_t> run;      // by number: where its slots begin; one more than there are numbers
  UninitVector<Slot> slots;             // number by number, then by rank

  std::vector<std::uint32_t> list_start;  // by rank: where its list begins in `numbers`; one more than there are ranks
  UninitVector<std::uint32_t> numbers;           // of each list, ascending
  UninitVector<std::uint32_t> weights;           // beside the numbers; empty where all weigh 1
  UninitVector<Hint> hints;                      // beside the numbers
  bool repeats = false;                   // whether a list may have a number twice

  std::span<const std::uint32_t> list(std::uint32_t rank) const {
    return std::span(numbers).subspan(list_start[rank], list_start[rank + 1] - list_start[rank]);
  }
  std::span<const Hint> hints_of(std::uint32_t rank) const {
    return std::span(hints).subspan(list_start[rank], list_start[rank + 1] - list_start[rank]);
  }
  std::span<const std::uint32_t> weights_of(std::uint32_t rank) const {
    if (weights.empty()) return {};
    return std::span(weights).subspan(list_start[rank], list_start[rank + 1] - list_start[rank]);
  }
};

// The highest level at which a feature counts.
inline std::uint32_t highest_level(std::uint64_t feature, std::uint64_t base, std::uint32_t levels) {
  if (levels == 1) return 0;
  // Where moduli differ they are powers of two, and a division would take longer than all else.
  const std::uint64_t times = std::has_single_bit(base) ? feature >> std::countr_zero(base) : feature / base;
  return std::min<std::uint32_t>(levels - 1, static_cast<std::uint32_t>(std::countr_zero(times)));
}

// How much of a list counts at each level from its own on.
inline void measure_levels(const List& list, std::uint32_t own, std::uint64_t base, std::span<std::uint64_t> sizes) {
  const auto levels = static_cast<std::uint32_t>(sizes.size());
  if (own + 1 == levels && list.weights.empty()) return void(sizes[own] = list.features.size());
  if (levels <= 8 && list.weights.empty()) {
    // Eight counters in one register: each in memory of its own waits for itself, and most features are of one level.
    constexpr std::size_t kMost = 255;
    for (auto left = list.features; !left.empty(); left = left.subspan(std::min(kMost, left.size()))) {
      std::uint64_t counts = 0;
      for (const auto feature : left.first(std::min(kMost, left.size())))
        counts += std::uint64_t{1} << 8 * std::max(own, highest_level(feature, base, levels));
      for (std::uint32_t level = own; level < levels; ++level) sizes[level] += counts >> 8 * level & 255;
    }
    for (std::uint32_t level = levels - 1; level > own; --level) sizes[level - 1] += sizes[level];
    return;
  }
  for (std::size_t i = 0; i < list.features.size(); ++i)
    sizes[std::max(own, highest_level(list.features[i], base, levels))] += list.weights.empty() ? 1 : list.weights[i];
  for (std::uint32_t level = levels - 1; level > own; --level) sizes[level - 1] += sizes[level];
}

// Ties of equally rare features are broken by this number of theirs: samples are uniform, the smallest of a text,
// tagged slots and codes are not; their bits are spread.
inline std::uint64_t place_of(std::uint64_t feature, Estimator estimator) {
  return estimator == Estimator::overlap ? feature : feature * kGolden;
}

// `bin`: null where the postings are those of a whole.
PostingsIndex build_index(const Postings& postings, const Bin* bin, unsigned threads);

// Postings grouped by feature: dealt into parts by the high bits of their features, each part sorted within the nearest
// caches. What too few contents have is left out, most of all features.
//
// Parts are dealt band by band, each by one thread, in room that the next band uses again: all postings at once would
// be twice as much memory as their features, and touching fresh memory takes longer than dealing.

struct Posted {
  std::uint32_t rank;
  std::uint32_t at;  // in the postings as they were given
};

struct Run {
  std::uint64_t feature;
  std::uint32_t from, count;     // of its band's postings
  std::uint32_t often, number;   // for those who number them
};

// Runs in the order of place_of their features; within a run by rank, then as they were given.
struct Band {
  std::vector<Run> runs;
  UninitVector<Posted> postings;

  std::span<const Posted> of(const Run& run) const { return {postings.data() + run.from, run.count}; }
};

// In the order of `content`, which holds the contents by rank. Bands are in the order of their features too.
std::vector<Band> deal(const Postings& postings, std::span<const std::uint32_t> content, std::size_t fewest,
                       unsigned threads);

// What one thread of the join holds while it looks lists up, used again for the next list.

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
  UninitVector<Hint> hints;
  std::vector<UninitVector<Candidate>> found;      // in pieces: one list would be copied, into fresh memory, as it grows

  void add(const Candidate& candidate) {
    if (found.empty() || found.back().size() == kPiece) found.emplace_back().reserve(kPiece);
    found.back().push_back(candidate);
  }
};

}  // namespace nearkin
