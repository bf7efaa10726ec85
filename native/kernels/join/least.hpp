// The least overlap with which a pair may still be a candidate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/binomial.hpp"

namespace nearkin {

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

}  // namespace nearkin
