// Candidates: the pairs of contents that may match, found by the prefix filter (Bayardo, Ma and Srikant 2007; Xiao et
// al. 2008) on Broder's samples.
//
// Features have one order for all lists, rarest first. If two lists share at least k features, then at the first
// feature they share at least k are left in each list, this one included. So a list is looked up only while enough of
// it is left, and a pair is measured only if enough is left of both. For resemblance the least k follows from both
// sizes; for containment it follows from the size of the part alone, so the prefix of the part meets the whole list of
// the container.
//
// Every estimator reads the shared features in its own way:
//   overlap     |A ∩ B| / |A ∪ B| of the lists
//   smallest    how many of the n smallest of the union are in both (Broder 1997, Theorem 1). At least k of n are then
//               in both lists. Two lists of fewer than n are complete, and overlap.
//   slots       n slots each, in how many both agree. The n slots are the union.
//   collision   one feature in common makes a candidate, and the texts decide. Nothing can be filtered.
//
// Whether a pair is found depends on nothing but the pair and whether the rarest feature it shares is rare; the first
// one at which the two meet is that one. So part of a collection can be joined as the whole would be.
//
// Samples of unequal modulus are compared at the larger (Broder 1997 §3). Every list is therefore looked up at its own
// modulus and at every larger one in use, its levels, each time among the lists whose own modulus that is.
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

// What the lists of a scheme are evidence of.
struct Evidence {
  bool sampled = false;  // false: lists are complete, or have no sampling theory
  Estimator estimator = Estimator::overlap;
  std::uint64_t limit = 0;  // n of smallest and slots: no list is longer
  bool contains = true;     // false: lists are no evidence of containment, which is not looked for
};

struct ThresholdOptions {
  double resemblance, containment;  // over 1: nothing reaches it
  double floor;                     // the resemblance from which weak pairs are kept; over 1: none
  double confidence;                // of the interval whose upper bound must reach a threshold
  // A content of fewer shingles, whose sample at the modulus compared has fewer features than this, is looked for
  // inside others only by rare features: one or two features of a stub are found in thousands of contents and prove
  // nothing.
  std::uint64_t short_part = 0, short_sample = 0;
};

struct JoinOptions {
  Evidence evidence;
  ThresholdOptions thresholds;
  std::uint32_t floor_reach;  // a weak pair must share a feature that at most so many contents have …
  std::uint32_t floor_most;   // … and be among so many, the strongest, of one of its two contents
  // A feature in the prefixes of more contents than this is hot: their pairs are too many to be met one by one. Each of
  // these contents is compared with a few principals instead, as a star.
  std::uint32_t hot;
  unsigned threads;
};

struct Postings {
  std::span<const std::uint64_t> offsets;   // of each content's features; one more than there are contents
  std::span<const std::uint64_t> features;  // ascending within a content
  std::span<const std::uint32_t> weights;   // empty: every feature weighs 1
  std::span<const std::uint64_t> moduli;    // of each content; where they differ, each twice another
  // Where each content's features are, if they do not lie end to end; then `features` is empty.
  std::span<const std::uint64_t* const> starts;
  // Given for a part of a collection that is to be joined as the whole would be. Only pairs with a touched content
  // count. Of their features `common`, ascending, are in more than floor_reach contents of the whole.
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

// What is known beside the lists of a bin of a collection too large to be joined at once. The lists are without
// features that only one content has.
struct Bin {
  std::span<const std::uint32_t> frequencies;  // by posting: how many lists of the whole have it; empty: these are all
  std::span<const std::uint64_t> sizes;        // by content and level: of the list with all its features
  std::uint32_t levels = 1;                    // of the whole; its base is the least modulus that is possible here
  std::uint64_t base = 1;
  std::span<const std::uint64_t> hot;        // features, ascending, whose stars were made
  std::span<const std::uint32_t> principal;  // by content: that of its star; empty: there are no stars
  std::span<const std::uint8_t> side;        // by content; where given, only pairs across the two sides count
};

// Two contents by their rows.
struct Pair {
  std::uint32_t a, b;
};

struct Candidate {
  std::uint32_t a, b;                    // a < b
  std::uint64_t shared, size_a, size_b;  // features (or bytes) in common and of each, at the modulus compared
  std::uint64_t united;                  // the size of the union, or of its sample
  bool strong;                           // may reach a threshold: to be verified on the texts

  double resemblance() const { return static_cast<double>(shared) / static_cast<double>(united); }
};

struct Candidates {
  UninitVector<Candidate> pairs;       // sorted by (a, b)
  std::vector<std::uint32_t> starred;  // contents with a hot feature in their prefix, ascending: they lack some pairs
  std::uint64_t hot_features = 0;
  std::uint64_t hot_links = 0;  // pairs that only a star has met
};

Candidates find_candidates(const Postings& postings, const JoinOptions& options);
Candidates find_candidates(const Postings& postings, const Bin& bin, const JoinOptions& options);

// Sorts candidates by (a, b), each once: a pair may be met from both sides, as alike and as part and container.
UninitVector<Candidate> sorted_candidates(std::vector<UninitVector<Candidate>> pieces, unsigned threads);

// Keeps those of the weak candidates that are among the strongest of one of their two contents; ties go to the lower
// row.
void keep_strongest(UninitVector<Candidate>& all, std::uint32_t most);

// A content compared with a principal.
struct PrincipalMatch {
  Candidate pair;
  bool twins;  // Thresholds::is_twin
};

// Links contents with a hot feature in their prefix as stars, since all their pairs would be too many.
//
// Each content of a hot run is compared with the run's principals until one is its twin: first with the principals of
// contents that another run has linked already, then with the contents that found no twin, largest first. So
// near-identical texts hang on one principal, and a run that several groups share has one for each, up to a limit. A
// content that resembles a principal on the way, or is part of it, is linked as well, up to a limit; and so are the
// principals of two stars that meet in a run, since two forms may resemble each other while runs of their own have made
// their stars before. Runs of few contents come first: what they share sets them apart from the rest. The order is
// fixed, so the result does not depend on threads.
//
// Two contents of one star are not compared with each other, whatever else they share: that would be all pairs again.
// As twins of one principal they resemble each other in any case, and their links put them in one family. All others,
// and those of stars that are no larger than a run that is not hot, are compared as usual by what they share besides
// hot features, so a content that only resembles a principal loses nothing.
class Stars {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // `small`: the most contents of a star whose pairs may all be met.
  Stars(std::size_t contents, std::uint32_t small)
      : principal_(contents, kNone), compared_(contents), linked_(contents), small_(small) {}

  // Links one run: the contents with its feature in their prefix, largest first. `compare` compares a principal with a
  // content and returns nothing if the pair is not strong.
  template <class Compare>
  void link(std::span<const std::uint32_t> contents, Compare&& compare, UninitVector<Candidate>& links) {
    std::vector<std::uint32_t> principals;
    for (const std::uint32_t content : contents) {
      const std::uint32_t principal = principal_[content];
      if (principal != kNone && principals.size() < kPrincipals &&
          std::find(principals.begin(), principals.end(), principal) == principals.end())
        principals.push_back(principal);
    }
    for (std::size_t i = 1; i < principals.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (met_.insert(std::minmax(principals[i], principals[j])).second)
          if (const std::optional<PrincipalMatch> match = compare(principals[j], principals[i]))
            links.push_back(match->pair);
    for (const std::uint32_t content : contents) {
      if (principal_[content] != kNone || compared_[content] >= kTries) continue;
      for (const std::uint32_t principal : principals) {
        ++compared_[content];
        const std::optional<PrincipalMatch> match = compare(principal, content);
        if (!match) continue;
        if (match->twins || linked_[content] < kLinks) links.push_back(match->pair);
        if (match->twins) {
          principal_[content] = principal;
          break;
        }
        linked_[content] += linked_[content] < kLinks;
      }
      if (principal_[content] == kNone && principals.size() < kPrincipals) {
        principals.push_back(content);
        principal_[content] = content;
      }
    }
  }

  // Returns the principal of each content's star; kNone for contents of small stars.
  std::vector<std::uint32_t> principals() && {
    std::vector<std::uint32_t> members(principal_.size());
    for (const std::uint32_t principal : principal_)
      if (principal != kNone) ++members[principal];
    for (std::uint32_t& principal : principal_)
      if (principal != kNone && members[principal] <= small_) principal = kNone;
    return std::move(principal_);
  }

 private:
  // Of a hot feature: so many groups of unlike contents that share it can be distinguished.
  static constexpr std::size_t kPrincipals = 32;
  // Of a content without a twin: how many principals it is compared with in all, and linked with.
  static constexpr std::uint16_t kTries = 8 * kPrincipals;
  static constexpr std::uint8_t kLinks = 8;

  std::vector<std::uint32_t> principal_;
  std::vector<std::uint16_t> compared_;
  std::vector<std::uint8_t> linked_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> met_;  // principals of two stars that some run holds both of
  std::uint32_t small_;
};

}  // namespace nearkin
