// How far a sampled share may stray from the true one: k of n sampled features are common, each with probability r
// (Broder 1997 §4.2's binomial approximation). Clopper and Pearson's interval inverts it exactly.
#pragma once

#include <cstdint>
#include <vector>

namespace nearkin {

struct Interval {
  double low, high;
};

// The two-sided Clopper-Pearson interval of k out of n at the given confidence.
Interval clopper_pearson(std::uint64_t k, std::uint64_t n, double confidence);

// The probability that k of n features are common with k < least or k > most, each with probability p: how likely a
// sample of n is further off than allowed.
double binomial_outside(std::uint64_t n, double p, std::uint64_t least, std::uint64_t most);

// The fewest common features out of n whose interval's upper bound still reaches a threshold: a pair with fewer can
// be dropped unseen. For data that were not sampled it is simply threshold · n, rounded up.
class Fewest {
 public:
  Fewest(double threshold, double confidence, std::uint64_t largest);

  std::uint64_t sampled(std::uint64_t n) const;
  std::uint64_t exact(std::uint64_t n) const;
  bool is_tabled(std::uint64_t n) const { return n < table_.size(); }

  // The fewest k of two lists whose sizes add up to `sum`, where n = sum - k; never more than it must be.
  std::uint64_t sampled_of_sum(std::uint64_t sum) const;
  std::uint64_t exact_of_sum(std::uint64_t sum) const;

 private:
  double threshold_;
  std::vector<std::uint32_t> table_, sum_table_;
};

}  // namespace nearkin
