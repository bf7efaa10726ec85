// The threshold rule: how much two lists must share for their pair to count. The joins in memory and on disk, their
// stars and the search of segments all apply this one rule.
//
// For complete lists the shared part itself must reach a threshold. For samples the upper bound of its interval must
// (Broder 1997 §4.2's binomial; binomial.hpp). Before the overlap of a pair is known, the sizes of its lists give a
// lower bound: a pair that can share no more than that reaches nothing and need not be measured (the prefix filter of
// Bayardo, Ma and Srikant 2007, the position filter of Xiao et al. 2008).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/binomial.hpp"
#include "join/candidates.hpp"
#include "join/intersect.hpp"

namespace nearkin {

// The least overlaps for one kind of evidence: complete lists or samples.
struct Limits {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();  // no list shares so much

  const Fewest &resemblance, &containment;
  double floor;
  bool exact;
  bool asks_resemblance, asks_containment;  // otherwise nothing reaches that threshold
  // The least overlaps of a union of n features, where no sample of a union is larger: they bound the overlaps that
  // pairs of long lists need.
  std::uint64_t most_alike = kNever, most_weak = kNever;

  // Of a list of this size, to be part of another.
  std::uint64_t part(std::uint64_t size) const { return asks_containment ? fewest(containment, size) : kNever; }

  // Of two lists whose union has this size, to resemble each other.
  std::uint64_t alike(std::uint64_t united) const { return asks_resemblance ? fewest(resemblance, united) : kNever; }

  // Of two lists whose sizes add up to `sum`, to resemble each other: k ≥ fewest(sum - k), solved for k. Rounded down
  // beyond the table.
  std::uint64_t alike_of_sum(std::uint64_t sum) const {
    return std::min(most_alike, exact ? resemblance.exact_of_sum(sum) : resemblance.sampled_of_sum(sum));
  }

  // The same for a resemblance of the floor.
  std::uint64_t weak_of_sum(std::uint64_t sum) const {
    const auto weak = static_cast<std::uint64_t>(floor / (1.0 + floor) * static_cast<double>(sum));
    return std::max<std::uint64_t>(1, std::min(most_weak, weak));
  }

  // True if `part` asks no more of any smaller list. Rounding beyond the table breaks that.
  bool part_grows_to(std::uint64_t size) const { return exact || containment.is_tabled(size); }

 private:
  std::uint64_t fewest(const Fewest& of, std::uint64_t size) const {
    return std::max<std::uint64_t>(1, exact ? of.exact(size) : of.sampled(size));
  }
};

// The least that a list of some size shares with a list that it resembles, weakly resembles, or is part of.
struct LeastOverlaps {
  std::uint64_t alike, weak, part;
};

// All sizes are of the lists at the modulus at which they are compared.
class Thresholds {
 public:
  // `longest`: no list is longer. Tables need not go beyond it.
  Thresholds(const Evidence& evidence, const ThresholdOptions& options, std::uint64_t longest = Fewest::kTabled)
      : evidence_(evidence),
        options_(options),
        resemblance_(options.resemblance, options.confidence, 2 * longest),
        containment_(options.containment, options.confidence, longest),
        unlike_(std::max(0.0, 1.0 - options.resemblance), options.confidence, 2 * longest),
        exact_{resemblance_, containment_, options.floor, true, options.resemblance <= 1.0,
               evidence.contains && options.containment <= 1.0},
        sampled_{resemblance_, containment_, options.floor, false, exact_.asks_resemblance, exact_.asks_containment} {
    if (evidence.limit != 0) {
      sampled_.most_alike = sampled_.alike(evidence.limit);
      sampled_.most_weak = static_cast<std::uint64_t>(options.floor * static_cast<double>(evidence.limit));
    }
  }
  Thresholds(const Thresholds&) = delete;
  Thresholds& operator=(const Thresholds&) = delete;

  // The limits for lists at this modulus, whether they turn out to be complete or cut at n.
  const Limits& limits(std::uint64_t modulus) const {
    if (evidence_.limit != 0) return sampled_;
    return !evidence_.sampled || modulus == 1 ? exact_ : sampled_;
  }

  LeastOverlaps least(std::uint64_t size, std::uint64_t modulus) const {
    const Limits& limit = limits(modulus);
    const auto weak = static_cast<std::uint64_t>(options_.floor * static_cast<double>(size));
    return {limit.alike(size), weak, limit.part(size)};
  }

  // The prefix of a list is the part from which on at least this much of it is left.
  std::uint64_t prefix(std::uint64_t size, std::uint64_t modulus) const {
    const LeastOverlaps overlaps = least(size, modulus);
    return std::min(overlaps.alike, overlaps.part);
  }

  // Tells whether a sample is large enough to look for containers of its content even by a common feature. `shingles`
  // is about how many the content has.
  bool is_informative(std::uint64_t size, std::uint64_t shingles, std::uint64_t modulus) const {
    return limits(modulus).exact || size >= options_.short_sample || shingles >= options_.short_part;
  }

  // Tells whether the overlap of lists of these sizes is known only up to where they are cut at n.
  bool is_cut(std::uint64_t size_a, std::uint64_t size_b) const {
    return evidence_.estimator == Estimator::smallest && std::max(size_a, size_b) >= evidence_.limit;
  }

  // Measures what two lists share.
  Candidate measured(std::uint32_t a, std::uint32_t b, const List& list_a, const List& list_b, std::uint64_t size_a,
                     std::uint64_t size_b) const {
    const std::uint64_t shared = is_cut(size_a, size_b) ? shared_of_smallest(list_a, list_b, evidence_.limit)
                                                        : shared_weight(list_a, list_b);
    return counted(a, b, shared, size_a, size_b);
  }

  // The pair of two lists whose overlap is known.
  Candidate counted(std::uint32_t a, std::uint32_t b, std::uint64_t shared, std::uint64_t size_a,
                    std::uint64_t size_b) const {
    return {a, b, shared, size_a, size_b, united(shared, size_a, size_b), true};
  }

  // Tells whether the overlap of a pair may reach a threshold. `rare`: the two share a feature that few contents have.
  bool is_strong(const Candidate& pair, std::uint64_t modulus, std::uint64_t shingles_a, std::uint64_t shingles_b,
                 bool rare) const {
    const Limits& limit = pair_limits(pair.size_a, pair.size_b, modulus);
    const auto is_part = [&](std::uint64_t size, std::uint64_t shingles) {
      return pair.shared >= limit.part(size) && (rare || is_informative(size, shingles, modulus));
    };
    return pair.shared >= limit.alike(pair.united) || is_part(pair.size_a, shingles_a) ||
           is_part(pair.size_b, shingles_b);
  }

  bool is_weak(const Candidate& pair) const { return pair.resemblance() >= options_.floor; }

  // Tells whether two contents are so near that whatever is as near to one of them resembles the other: 1 - r is a
  // metric (Broder 1997 §2), so with threshold t that holds from (1 + t) / 2 on. A sample must also leave no doubt that
  // the two resemble each other: the lower bound of its interval reaches t.
  bool is_twin(const Candidate& pair, std::uint64_t modulus) const {
    const double threshold = options_.resemblance;
    if (pair.resemblance() < 0.5 * (1.0 + threshold)) return false;
    return pair_limits(pair.size_a, pair.size_b, modulus).exact || threshold >= 1.0 ||
           pair.united - pair.shared < unlike_.sampled(pair.united);
  }

  // For the search, which meets lists by ascending size: lower bounds that never fall as sizes grow.

  // Of a list of this size, to be part of another.
  std::uint64_t rising_part(std::uint64_t size, std::uint64_t modulus) const {
    const Limits& limit = limits(modulus);
    return limit.exact ? limit.part(size) : rising(size, [&](std::uint64_t n) { return limit.part(n); });
  }

  // Of two lists whose sizes add up to `sum`, to resemble each other at least weakly. It grows by less than half as
  // much.
  std::uint64_t rising_alike(std::uint64_t sum, std::uint64_t modulus) const {
    const Limits& limit = limits(modulus);
    const auto alike = [&](std::uint64_t n) { return limit.alike_of_sum(n); };
    const std::uint64_t strong = !limit.asks_resemblance ? Limits::kNever
                                 : limit.exact           ? alike(sum)
                                                         : rising(sum, alike);
    return options_.floor > 1.0 ? strong : std::min(strong, limit.weak_of_sum(sum));
  }

  // Of two lists of these sizes, for their pair to count at all.
  std::uint64_t rising_least(std::uint64_t size_a, std::uint64_t size_b, std::uint64_t modulus) const {
    return std::max<std::uint64_t>(1, std::min({rising_alike(size_a + size_b, modulus), rising_part(size_a, modulus),
                                                rising_part(size_b, modulus)}));
  }

  // Tells whether a pair counts, strong or weak.
  bool counts(const Candidate& pair, std::uint64_t modulus) const {
    const Limits& limit = pair_limits(pair.size_a, pair.size_b, modulus);
    return is_weak(pair) || pair.shared >= limit.alike(pair.united) ||
           pair.shared >= limit.part(std::min(pair.size_a, pair.size_b));
  }

 private:
  // The size of the union, or of its sample.
  std::uint64_t united(std::uint64_t shared, std::uint64_t size_a, std::uint64_t size_b) const {
    const bool fixed = evidence_.estimator == Estimator::slots || is_cut(size_a, size_b);
    return fixed ? evidence_.limit : size_a + size_b - shared;
  }

  // The limits of a pair whose sizes are known: lists of fewer than n features are complete.
  const Limits& pair_limits(std::uint64_t size_a, std::uint64_t size_b, std::uint64_t modulus) const {
    const bool complete =
        evidence_.estimator == Estimator::smallest && modulus == 1 && std::max(size_a, size_b) < evidence_.limit;
    return complete ? exact_ : limits(modulus);
  }

  // Beyond its table a bound is rounded down, so the table must not go above the first number beyond.
  template <class Bound>
  static std::uint64_t rising(std::uint64_t n, Bound&& bound) {
    return n < Fewest::kTabled ? std::min(bound(n), bound(Fewest::kTabled + 1)) : bound(n);
  }

  const Evidence evidence_;
  const ThresholdOptions options_;
  Fewest resemblance_, containment_;
  Fewest unlike_;  // two that surely resemble each other differ in fewer features than this
  Limits exact_, sampled_;
};

}  // namespace nearkin
