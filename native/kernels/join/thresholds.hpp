// What is asked of two lists, and whether what they share may reach a threshold. The join and the stars ask it of lists
// in memory, the bounded join also of lists on the disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "base/binomial.hpp"
#include "join/candidates.hpp"
#include "join/intersect.hpp"

namespace nearkin {

// The least overlap with which a pair may still be a candidate.

// For one kind of evidence: exact lists or samples.
struct Least {
  const Fewest &resemblance, &containment;
  double floor;
  bool exact;
  // Where the union's sample is never larger than n: what n ask for. It bounds what pairs of long lists must share.
  std::uint64_t most_alike = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_weak = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t part(std::uint64_t size) const { return of(containment, size); }
  std::uint64_t alike(std::uint64_t united) const { return of(resemblance, united); }

  // Whether of smaller lists a part must be no larger. Where the table ends it is rounded down.
  bool part_grows_to(std::uint64_t size) const { return exact || containment.is_tabled(size); }

  // k ≥ fewest(size_a + size_b - k), solved for k and rounded down where it is not tabled.
  std::uint64_t alike_of_sum(std::uint64_t sum) const {
    return std::min(most_alike, exact ? resemblance.exact_of_sum(sum) : resemblance.sampled_of_sum(sum));
  }
  std::uint64_t weak_of_sum(std::uint64_t sum) const {
    const auto weak = static_cast<std::uint64_t>(floor / (1.0 + floor) * static_cast<double>(sum));
    return std::max<std::uint64_t>(1, std::min(most_weak, weak));
  }

 private:
  std::uint64_t of(const Fewest& fewest, std::uint64_t size) const {
    return std::max<std::uint64_t>(1, exact ? fewest.exact(size) : fewest.sampled(size));
  }
};

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
  // (Broder 1997 §2), so with threshold t that holds from (1 + t) / 2 on. A sample must also leave no doubt that the
  // two are alike: its interval's lower bound reaches t.
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

// What two lists must share to count: the least overlap with which a pair may still reach a threshold.
//
// Of samples the upper bound of the interval must reach it (Broder 1997 §4.2's binomial), of complete lists the share
// itself. For a pair whose overlap is not known yet, sizes alone give a lower bound: with fewer features in common
// nothing can be reached, so a content that is met when fewer are left can be passed by (the position filter of Xiao
// et al. 2008).

struct BarSettings {
  double resemblance, containment, floor;  // over 1: nothing reaches it
  double confidence;
  Estimator estimator = Estimator::overlap;
  bool sampled = true;      // false: lists are complete, or have no sampling theory
  std::uint64_t limit = 0;  // n of smallest and slots
  bool contains = true;     // whether lists tell containment
};

class Bars {
 public:
  explicit Bars(const BarSettings& settings)
      : settings_(settings),
        resemblance_(settings.resemblance, settings.confidence, kTabled),
        containment_(settings.containment, settings.confidence, kTabled) {}

  // Two lists of these sizes, compared at this modulus. Only a lower bound.
  std::uint64_t least(std::uint64_t mine, std::uint64_t theirs, std::uint64_t modulus) const {
    return std::max<std::uint64_t>(
        1, std::min({like(mine + theirs, modulus), part(mine, modulus), part(theirs, modulus)}));
  }

  // Of a list of this size, to be contained in another. Grows with the size.
  std::uint64_t part(std::uint64_t size, std::uint64_t modulus) const {
    if (!settings_.contains || settings_.containment > 1.0) return kNever;
    if (exact(modulus)) return containment_.exact(size);
    // Beyond the table it is rounded down: what comes before must not be more.
    return size < kTabled ? std::min(containment_.sampled(size), containment_.sampled(kTabled + 1))
                          : containment_.sampled(size);
  }

  // Of two lists whose sizes add up to `sum`, to be alike. Grows with the sum, by less than half as much.
  std::uint64_t like(std::uint64_t sum, std::uint64_t modulus) const {
    return std::min(strong(sum, modulus), weak(sum));
  }

  // Whether a pair that shares so much counts.
  bool reached(std::uint64_t shared, std::uint64_t mine, std::uint64_t theirs, std::uint64_t modulus) const {
    const bool cut = settings_.limit != 0 && (settings_.estimator == Estimator::slots || modulus > 1 ||
                                              std::max(mine, theirs) >= settings_.limit);
    const bool precise = settings_.limit != 0 ? !cut : exact(modulus);
    shared = std::min(shared, std::min(mine, theirs));
    const std::uint64_t united = cut && std::max(mine, theirs) >= settings_.limit ? settings_.limit
                                 : settings_.estimator == Estimator::slots        ? settings_.limit
                                                                                  : mine + theirs - shared;
    if (static_cast<double>(shared) >= settings_.floor * static_cast<double>(united)) return true;
    if (settings_.resemblance <= 1.0 && shared >= fewest(resemblance_, united, precise)) return true;
    if (!settings_.contains || settings_.containment > 1.0) return false;
    return shared >= fewest(containment_, std::min(mine, theirs), precise);
  }

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kTabled = 8192;  // what Fewest tables at the most

  bool exact(std::uint64_t modulus) const { return settings_.limit == 0 && (!settings_.sampled || modulus == 1); }

  static std::uint64_t fewest(const Fewest& of, std::uint64_t size, bool precise) {
    return std::max<std::uint64_t>(1, precise ? of.exact(size) : of.sampled(size));
  }

  std::uint64_t strong(std::uint64_t sum, std::uint64_t modulus) const {
    if (settings_.resemblance > 1.0) return kNever;
    if (exact(modulus)) return resemblance_.exact_of_sum(sum);
    const std::uint64_t least = sum < kTabled ? std::min(resemblance_.sampled_of_sum(sum), resemblance_.sampled_of_sum(kTabled + 1))
                                              : resemblance_.sampled_of_sum(sum);
    // Where the union's sample is never larger than n, that bounds what pairs of long lists must share.
    return settings_.limit != 0 ? std::min(least, resemblance_.sampled(settings_.limit)) : least;
  }

  std::uint64_t weak(std::uint64_t sum) const {
    if (settings_.floor > 1.0) return kNever;
    const auto least = static_cast<std::uint64_t>(settings_.floor / (1.0 + settings_.floor) * static_cast<double>(sum));
    if (settings_.limit == 0) return least;
    return std::min(least, static_cast<std::uint64_t>(settings_.floor * static_cast<double>(settings_.limit)));
  }

  BarSettings settings_;
  Fewest resemblance_, containment_;
};

}  // namespace nearkin
