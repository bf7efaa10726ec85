// Binomial bounds on a sampled share: k of n sampled features are common, each with probability r (Broder 1997 §4.2's
// binomial approximation). The interval of Clopper and Pearson inverts that distribution exactly.
#pragma once

#include <cstdint>
#include <vector>

namespace nearkin {

struct Interval {
  double low, high;
};

// Computes the two-sided Clopper-Pearson interval of k out of n at the given confidence.
Interval clopper_pearson(std::uint64_t k, std::uint64_t n, double confidence);

// Computes the probability that fewer than `least` or more than `most` of n features are common, where each is common
// with probability p: the risk that a sample of n is further off than allowed.
double binomial_outside(std::uint64_t n, double p, std::uint64_t least, std::uint64_t most);

// Tells how few common features out of n still give an interval whose upper bound reaches a threshold. A pair with
// fewer can be dropped unseen. For complete lists that is threshold · n, rounded up.
class Fewest {
 public:
  static constexpr std::uint64_t kTabled = 8192;  // no table is longer; beyond it the numbers are rounded down

  Fewest(double threshold, double confidence, std::uint64_t largest);

  std::uint64_t sampled(std::uint64_t n) const;
  std::uint64_t exact(std::uint64_t n) const;
  bool is_tabled(std::uint64_t n) const { return n < table_.size(); }

  // The same for two lists whose sizes add up to `sum`, so that n = sum - k. Rounded down, never up.
  std::uint64_t sampled_of_sum(std::uint64_t sum) const;
  std::uint64_t exact_of_sum(std::uint64_t sum) const;

 private:
  double threshold_;
  std::vector<std::uint32_t> table_, sum_table_;
};

}  // namespace nearkin
