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

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/containers.hpp"
#include "join/intersect.hpp"

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
  // A content of fewer shingles, whose sample at the modulus compared has fewer features than this, is looked for
  // inside others only by features as rare: one or two features of a stub are found in thousands of contents and prove
  // nothing.
  std::uint64_t short_part, short_sample;
  // A feature that is in the prefixes of more contents than this is hot: their pairs are too many to be met one by one.
  // Each of these contents is compared with a few principals instead, as a star.
  std::uint32_t hot;
};

// Two contents by their rows.
struct Pair {
  std::uint32_t a, b;
};

struct Candidate {
  std::uint32_t a, b;                    // a < b
  std::uint64_t shared, size_a, size_b;  // features (or bytes) in common and of each, at the modulus compared
  std::uint64_t united;                  // of how many the shared ones are: the union, or the sample of it
  bool strong;                           // may reach a threshold: to be verified on the texts

  double resemblance() const { return static_cast<double>(shared) / static_cast<double>(united); }
};

struct Candidates {
  UninitVector<Candidate> pairs;         // sorted by (a, b)
  std::vector<std::uint32_t> starred;   // contents with a hot feature in their prefix, ascending: not all pairs were met
  std::uint64_t hot_features = 0;
  std::uint64_t hot_links = 0;  // pairs that only a star has met
};

// By (a, b), each once: a pair may be met from both sides, as alike and as part and container.
UninitVector<Candidate> in_order(std::vector<UninitVector<Candidate>> pieces, unsigned threads);

// Of the weak candidates, those among the strongest of one of their two contents; ties by the other's row.
void keep_strongest(UninitVector<Candidate>& all, std::uint32_t most);

Candidates find_candidates(const Postings& postings, const Thresholds& thresholds, unsigned threads);
Candidates find_candidates(const Postings& postings, const Bin& bin, const Thresholds& thresholds, unsigned threads);

// Contents with a hot feature in their prefix are linked as stars: all pairs would be too many.
//
// Each content of a hot run is compared with the run's principals until one is its twin (`Judge::is_twin`): with those
// of contents that another run has linked already, then with the contents that were nobody's twin, largest first. So
// near-identical texts hang on one principal, and a run that several groups share has one for each, up to a limit. What
// is like a principal on the way, or part of it, is linked as well, so many for each content; and so are principals of
// two stars that meet in a run: two forms may resemble each other, and runs of their own have made their stars before.
// Runs of few contents come first: what they share sets them apart from the rest. In one order, so it does not matter
// who works on them.
//
// Two contents of one star are not compared with each other, whatever else they share: that would be all pairs again.
// As twins of one principal they are alike in any case, and in one family by their links. All others, and those of
// stars that are no larger than what is not hot, are compared as ever by what they share besides hot features: so what
// is only likely to match a principal loses nothing by it.

// A content beside a principal: the pair, and whether they are twins.
struct Beside {
  Candidate pair;
  bool twins;
};

class Stars {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  // `small`: the most contents of a star whose pairs may all be met.
  Stars(std::size_t contents, std::uint32_t small)
      : home_(contents, kNowhere), compared_(contents), linked_(contents), small_(small) {}

  // One run: the contents with its feature in their prefix, largest first. `compare` puts a content beside a principal;
  // it gives nothing where the pair is not strong.
  template <class Compare>
  void link(std::span<const std::uint32_t> inside, Compare&& compare, UninitVector<Candidate>& links) {
    std::vector<std::uint32_t> principals;
    for (const std::uint32_t one : inside) {
      const std::uint32_t home = home_[one];
      if (home != kNowhere && principals.size() < kPrincipals &&
          std::find(principals.begin(), principals.end(), home) == principals.end())
        principals.push_back(home);
    }
    for (std::size_t i = 1; i < principals.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (met_.insert(std::minmax(principals[i], principals[j])).second)
          if (const std::optional<Beside> beside = compare(principals[j], principals[i])) links.push_back(beside->pair);
    for (const std::uint32_t one : inside) {
      if (home_[one] != kNowhere || compared_[one] >= kTries) continue;
      for (const std::uint32_t principal : principals) {
        ++compared_[one];
        const std::optional<Beside> beside = compare(principal, one);
        if (!beside) continue;
        if (beside->twins || linked_[one] < kLinks) links.push_back(beside->pair);
        if (beside->twins) {
          home_[one] = principal;
          break;
        }
        linked_[one] += linked_[one] < kLinks;
      }
      if (home_[one] == kNowhere && principals.size() < kPrincipals) {
        principals.push_back(one);
        home_[one] = one;
      }
    }
  }

  // Of each content the principal of its star; of those of small stars there is none.
  std::vector<std::uint32_t> homes() && {
    std::vector<std::uint32_t> members(home_.size());
    for (const std::uint32_t home : home_)
      if (home != kNowhere) ++members[home];
    for (std::uint32_t& home : home_)
      if (home != kNowhere && members[home] <= small_) home = kNowhere;
    return std::move(home_);
  }

 private:
  // Of a hot feature: as many groups of unlike contents that share it can be told apart.
  static constexpr std::size_t kPrincipals = 32;
  // Of a content that finds no twin: how many principals it is compared with in all, and linked with.
  static constexpr std::uint16_t kTries = 8 * kPrincipals;
  static constexpr std::uint8_t kLinks = 8;

  std::vector<std::uint32_t> home_;
  std::vector<std::uint16_t> compared_;
  std::vector<std::uint8_t> linked_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> met_;  // principals of two stars that some run holds both of
  std::uint32_t small_;
};

}  // namespace nearkin
