// What is asked of two lists, and whether what they share may reach a threshold. The join and the stars ask it of lists
// in memory, the bounded join also of lists on the disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "join/candidates.hpp"
#include "join/least.hpp"
#include "join/intersect.hpp"

namespace nearkin {

// How much of a content's list counts at each level from its own on. Levels are moduli: base · 2^level.
struct Sized {
  std::uint32_t level;
  std::span<const std::uint64_t> sizes;

  std::uint64_t own() const { return sizes[level]; }
};

// The least that a list of some size shares with one that it is like, weakly like, or contained in.
struct Needed {
  std::uint64_t alike, weak, part;
};

class Judge {
 public:
  Judge(const Evidence& evidence, const Thresholds& thresholds, std::uint64_t base, std::uint64_t longest)
      : evidence_(evidence),
        thresholds_(thresholds),
        base_(base),
        resemblance_(thresholds.resemblance, thresholds.confidence, 2 * longest),
        containment_(thresholds.containment, thresholds.confidence, longest),
        unlike_(std::max(0.0, 1.0 - thresholds.resemblance), thresholds.confidence, 2 * longest),
        exact_{resemblance_, containment_, thresholds.floor, true},
        sampled_{resemblance_, containment_, thresholds.floor, false} {
    if (evidence.limit != 0) {
      sampled_.most_alike = sampled_.alike(evidence.limit);
      sampled_.most_weak = static_cast<std::uint64_t>(thresholds.floor * static_cast<double>(evidence.limit));
    }
  }
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  // What lists of a level must share at the least, whatever they turn out to be: complete or cut at n.
  const Least& least(std::uint32_t level) const {
    if (evidence_.limit != 0) return sampled_;
    return !evidence_.sampled || (base_ << level) == 1 ? exact_ : sampled_;
  }

  Needed needed(std::uint32_t level, std::uint64_t size) const {
    const Least& limit = least(level);
    return {limit.alike(size), static_cast<std::uint64_t>(thresholds_.floor * static_cast<double>(size)),
            evidence_.contains ? limit.part(size) : std::numeric_limits<std::uint64_t>::max()};
  }

  // A content's prefix is that part of its list from which on so much is left.
  std::uint64_t prefix(std::uint32_t level, std::uint64_t size) const {
    const Needed least = needed(level, size);
    return std::min(least.alike, least.part);
  }

  // Whether a sample says enough to look for what contains the content, even by a common feature.
  bool says_enough(const Sized& one, std::uint32_t level) const {
    return least(level).exact || one.sizes[level] >= thresholds_.short_sample ||
           one.own() * (base_ << one.level) >= thresholds_.short_part;
  }

  // Whether lists of these sizes tell what they share only up to where they are cut.
  bool is_cut(std::uint64_t size_a, std::uint64_t size_b) const {
    return evidence_.estimator == Estimator::smallest && std::max(size_a, size_b) >= evidence_.limit;
  }

  // What two contents share at the level where they meet.
  Candidate measured(std::uint32_t a, std::uint32_t b, const List& list_a, const List& list_b, std::uint64_t size_a,
                     std::uint64_t size_b) const {
    if (!is_cut(size_a, size_b)) return counted(a, b, shared_weight(list_a, list_b), size_a, size_b);
    const std::uint64_t shared = shared_of_smallest(list_a, list_b, evidence_.limit);
    return {a, b, shared, size_a, size_b, evidence_.limit, true};
  }

  // The same of lists that are not cut.
  Candidate counted(std::uint32_t a, std::uint32_t b, std::uint64_t shared, std::uint64_t size_a,
                    std::uint64_t size_b) const {
    const bool slots = evidence_.estimator == Estimator::slots;
    return {a, b, shared, size_a, size_b, slots ? evidence_.limit : size_a + size_b - shared, true};
  }

  // Whether what two contents share may reach a threshold. `rare`: they share something that few have.
  bool is_strong(const Candidate& pair, const Sized& one, const Sized& other, bool rare) const {
    const std::uint32_t level = std::max(one.level, other.level);
    const Least& limit = limit_of(pair, level);
    const auto part = [&](const Sized& whose) {
      return pair.shared >= limit.part(whose.sizes[level]) && (rare || says_enough(whose, level));
    };
    return pair.shared >= limit.alike(pair.united) || (evidence_.contains && (part(one) || part(other)));
  }

  // Whether two contents are so near that whatever else is as near to one of them is like the other: 1 - r is a metric
  // (Broder 1997 §2), so with threshold t that holds from (1 + t) / 2 on. A sample must also leave no doubt that the two
  // are alike: its interval's lower bound reaches t.
  bool is_twin(const Candidate& pair, std::uint32_t level) const {
    const double threshold = thresholds_.resemblance;
    if (pair.resemblance() < 0.5 * (1.0 + threshold)) return false;
    return limit_of(pair, level).exact || threshold >= 1.0 || pair.united - pair.shared < unlike_.sampled(pair.united);
  }

 private:
  // What is asked of a pair whose lists are known: of complete ones the share itself.
  const Least& limit_of(const Candidate& pair, std::uint32_t level) const {
    const bool complete = evidence_.estimator == Estimator::smallest && (base_ << level) == 1 &&
                          std::max(pair.size_a, pair.size_b) < evidence_.limit;
    return complete ? exact_ : least(level);
  }

  const Evidence evidence_;
  const Thresholds thresholds_;
  std::uint64_t base_;
  Fewest resemblance_, containment_;
  Fewest unlike_;  // what two may have apart while it is sure that they are alike: fewer than this
  Least exact_, sampled_;
};

}  // namespace nearkin
