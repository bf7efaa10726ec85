// What two lists must share to count: the least overlap with which a pair may still reach a threshold.
//
// Of samples the upper bound of the interval must reach it (Broder 1997 §4.2's binomial), of complete lists the share
// itself. For a pair whose overlap is not known yet, sizes alone give a lower bound: with fewer features in common
// nothing can be reached, so a content that is met when fewer are left can be passed by (the position filter of Xiao
// et al. 2008).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/binomial.hpp"
#include "join/candidates.hpp"

namespace nearkin {

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
