// Which contents may match: the prefix filter (Bayardo, Ma, Srikant 2007; Xiao et al. 2008), on Broder's samples.
//
// Features are ordered rarest first, one order for all. If two lists share at least k features, then at the first one
// they share at least k are left in each list, this one included. So a list is looked up only while enough of it is
// left, and a pair is scored only if enough is left of both. For resemblance the least k follows from both sizes; for
// containment from the part's size alone, so the part's prefix meets the container's whole list.
//
// What is shared says something else in every estimator, but all begin with features in common:
//   overlap     |A ∩ B| / |A ∪ B| of the lists
//   smallest    of the n smallest of the union, how many are in both (Broder 1997, Theorem 1). At least k of n are then
//               in both lists, whatever else is. Two lists of fewer than n are complete: they overlap.
//   slots       n slots each, in how many both have the same. The n slots are the union.
//   collision   one feature in common makes a candidate; what it is worth, the texts decide. Nothing can be cut.
//
// What comes out depends on nothing but the pair and on whether the rarest feature the two share is rare; the first one
// they meet at is that one. So part of a collection can be joined as the whole would be.
//
// Samples of unequal modulus are compared at the larger (Broder 1997 §3). Every list is therefore looked up at its own
// modulus and at every larger one in use ("level"), each time among the lists whose own modulus that is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "join/intersect.hpp"
#include "base/uncleared.hpp"

namespace nearkin {

enum class Estimator : std::uint8_t { overlap, smallest, slots, collision };

// What lists tell.
struct Evidence {
  bool sampled = false;  // false: lists are complete, or have no sampling theory
  Estimator estimator = Estimator::overlap;
  std::uint64_t limit = 0;  // n of smallest and slots: no list is longer
  bool contains = true;     // whether lists tell containment; otherwise it is not looked for
};

struct Postings {
  std::span<const std::uint64_t> offsets;   // of each content's features; one more than there are contents
  std::span<const std::uint64_t> features;  // ascending within a content
  std::span<const std::uint32_t> weights;   // empty: every feature weighs 1
  std::span<const std::uint64_t> moduli;    // of each content; where they differ, each twice another
  Evidence evidence;
  // Where each content's features are, if they are not end to end; then `features` is empty.
  std::span<const std::uint64_t* const> starts;
  // A part of a collection, to be joined as the whole would be. Only pairs with a touched content count, and of their
  // features these, ascending, are in more than floor_reach contents of the whole. Empty: this is the whole.
  std::span<const std::uint8_t> touched;
  std::span<const std::uint64_t> common;

  bool partial() const { return !touched.empty(); }
  std::size_t count() const { return offsets.back(); }

  List list(std::uint32_t content) const {
    const auto from = offsets[content], size = offsets[content + 1] - from;
    return {starts.empty() ? features.subspan(from, size) : std::span(starts[content], size),
            weights.empty() ? weights : weights.subspan(from, size)};
  }
};

// Lists without features that only one content has, and what else is known of their contents. Where these are but a bin
// of a collection too large to be joined at once, also what the whole knows of the features.
struct Bin {
  std::span<const std::uint32_t> often;    // by posting: in how many lists of the whole; empty: these are all
  std::span<const std::uint64_t> sizes;    // by content and level: of the list with all its features
  std::uint32_t levels = 1;                // of the whole; its base is the least modulus that is possible here
  std::uint64_t base = 1;
  std::span<const std::uint64_t> hot;      // features, ascending; their stars were made
  std::span<const std::uint32_t> home;     // by content: its star; empty: there are none
  std::span<const std::uint8_t> side;      // by content; where given, only pairs across count
};

struct Thresholds {
  double resemblance, containment, floor;
  double confidence;          // of the interval whose upper bound must reach a threshold
  std::uint32_t floor_reach;  // pairs below the thresholds must share a feature that at most so many postings have …
  std::uint32_t floor_most;   // … and so many kept for each content, the strongest
  // A content of fewer shingles, whose sample at the modulus compared has fewer features than this, is looked for inside
  // others only by features as rare: one or two features of a stub are found in thousands of contents and prove nothing.
  std::uint64_t short_part, short_sample;
  // A feature that is in the prefixes of more contents than this is hot: their pairs are too many to be met one by one.
  // Each of these contents is compared with a few principals instead, as a star.
  std::uint32_t hot;
};

struct Candidate {
  std::uint32_t a, b;                    // a < b
  std::uint64_t shared, size_a, size_b;  // features (or bytes) in common and of each, at the modulus compared
  std::uint64_t united;                  // of how many the shared ones are: the union, or the sample of it
  bool strong;                           // may reach a threshold: to be verified on the texts

  double resemblance() const { return static_cast<double>(shared) / static_cast<double>(united); }
};

struct Candidates {
  Uncleared<Candidate> pairs;         // sorted by (a, b)
  std::vector<std::uint32_t> starred;   // contents with a hot feature in their prefix, ascending: not all pairs were met
  std::uint64_t hot_features = 0;
  std::uint64_t hot_links = 0;  // pairs that only a star has met
};

// By (a, b), each once: a pair may be met from both sides, as alike and as part and container.
Uncleared<Candidate> in_order(std::vector<Uncleared<Candidate>> pieces, unsigned threads);

// Of the weak candidates, those among the strongest of one of their two contents; ties by the other's row.
void keep_strongest(Uncleared<Candidate>& all, std::uint32_t most);

Candidates find_candidates(const Postings& postings, const Thresholds& thresholds, unsigned threads);
Candidates find_candidates(const Postings& postings, const Bin& bin, const Thresholds& thresholds, unsigned threads);

}  // namespace nearkin
