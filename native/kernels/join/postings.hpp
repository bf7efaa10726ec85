// An inverted index of the postings: for every feature the contents that have it, in order of their rank.
//
// Contents are ranked by (level, size, row), so that the contents of one level and a range of sizes are a range of
// ranks, and stand together within the run of a feature.
//
// Features are numbered rarest first, in the one order in which all lists are looked up. A list of ascending numbers is
// in that order, and takes half the room of a list of features. Features that only one content has are not numbered.
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

// A content in the run of a feature.
struct Slot {
  std::uint32_t rank;
  std::uint32_t left;  // the weight of the content's list from this feature on, rarest first, at its own level
};

// What a look-up must know of a feature before it goes to its run. Hints stand beside the numbers in every list: by
// number they would be one more place in memory to wait for.
struct Hint {
  std::uint8_t levels;        // a bit for each level of a content that has it
  std::uint8_t highest : 7;   // the highest level at which it counts
  std::uint8_t followed : 1;  // more contents of the list's own level come after it in the run

  // Tells whether a content of this level may have the feature.
  bool has_level(std::uint32_t level) const { return levels & level_bit(level); }
  static std::uint8_t level_bit(std::uint32_t level) { return static_cast<std::uint8_t>(1U << std::min(level, 7U)); }
};

struct PostingsIndex {
  // Added to the frequency of a feature that is common in the whole of which these postings are a part.
  static constexpr std::uint32_t kCommon = std::uint32_t{1} << 31;

  std::uint64_t base = 1;    // modulus of level 0
  std::uint32_t levels = 1;  // moduli in use: base · 2^level

  std::vector<std::uint32_t> content;      // by rank
  std::vector<std::uint8_t> level;         // by rank
  std::vector<std::uint64_t> size;         // by rank, at its own level
  std::vector<std::uint32_t> level_start;  // first rank of each level, and one past the last

  UninitVector<std::uint64_t> feature;  // by number
  UninitVector<std::uint8_t> highest;   // by number: the highest level at which it counts
  UninitVector<std::uint32_t> frequency;  // by number, ascending: how many contents (of the whole, for a bin) have it
  UninitVector<std::uint32_t> run;      // by number: where its slots begin; one more than there are numbers
  UninitVector<Slot> slots;             // number by number, then by rank

  std::vector<std::uint32_t> list_start;  // by rank: where its list begins in `numbers`; one more than there are ranks
  UninitVector<std::uint32_t> numbers;    // of each list, ascending
  UninitVector<std::uint32_t> weights;    // beside the numbers; empty where all weigh 1
  UninitVector<Hint> hints;               // beside the numbers
  bool repeats = false;                   // a list may have a number twice

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

// Returns the highest level at which a feature counts.
inline std::uint32_t highest_level(std::uint64_t feature, std::uint64_t base, std::uint32_t levels) {
  if (levels == 1) return 0;
  // Moduli that differ are powers of two, and a division would take longer than everything else here.
  const std::uint64_t times = std::has_single_bit(base) ? feature >> std::countr_zero(base) : feature / base;
  return std::min<std::uint32_t>(levels - 1, static_cast<std::uint32_t>(std::countr_zero(times)));
}

// Measures how much of a list counts at each level from its own on.
inline void measure_levels(const List& list, std::uint32_t own, std::uint64_t base, std::span<std::uint64_t> sizes) {
  const auto levels = static_cast<std::uint32_t>(sizes.size());
  if (own + 1 == levels && list.weights.empty()) return void(sizes[own] = list.features.size());
  if (levels <= 8 && list.weights.empty()) {
    // Eight counters share one register: a counter in memory waits for itself, and most features are of one level.
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

// Breaks ties between equally rare features. Samples are uniform; the smallest of a text, tagged slots and codes are
// not, so their bits are spread.
inline std::uint64_t place_of(std::uint64_t feature, Estimator estimator) {
  return estimator == Estimator::overlap ? feature : feature * kGolden;
}

// Builds the index; `bin` is null for the postings of a whole.
PostingsIndex build_index(const Postings& postings, const Bin* bin, Estimator estimator, unsigned threads);

// The working memory of one thread of the join, used again for each list that it looks up.
// A feature by which a list is looked up.
struct Visit {
  std::uint32_t number;
  std::uint64_t left;  // how much of the list is left from this feature on
};

// A list with the hints of its features.
struct Hinted : Numbered {
  std::span<const Hint> hints;
};

struct Probe {
  static constexpr std::size_t kPiece = 16384;  // candidates

  std::vector<std::uint32_t> seen;              // by rank: the last rank that met it
  std::vector<Visit> visits;
  std::vector<std::uint32_t> numbers, weights;  // the part of a list that counts at a level
  UninitVector<Hint> hints;
  std::vector<UninitVector<Candidate>> pieces;  // of the candidates: one growing list would be copied into fresh memory

  void add(const Candidate& candidate) {
    if (pieces.empty() || pieces.back().size() == kPiece) pieces.emplace_back().reserve(kPiece);
    pieces.back().push_back(candidate);
  }
};

}  // namespace nearkin
