// "F mod D = r" without a division, for a fingerprint F, permuted first where the scheme has a seed.
#pragma once

#include <cstdint>

#include "base/divisor.hpp"
#include "base/hash.hpp"

namespace nearkin {

class Residue {
 public:
  Residue(std::uint64_t divisor, std::uint64_t residue, std::uint64_t seed)
      : divisor_(divisor), number_(divisor), residue_(residue % divisor), permutation_(seed) {}

  // "F is D-1 mod D" is "D divides F + 1": the default, and an instruction less than any other.
  bool last() const { return residue_ + 1 == number_ && permutation_.identity(); }
  const Divisor& divisor() const { return divisor_; }

  bool operator()(std::uint64_t f) const {
    f = permutation_(f);
    return f >= residue_ && divisor_.divides(f - residue_);
  }

 private:
  Divisor divisor_;
  std::uint64_t number_, residue_;
  Permutation permutation_;
};

// The default residue with D's power of two known at compile time, or -1 for any.
template <int kShift>
class LastResidue {
 public:
  explicit LastResidue(const Divisor& divisor) : divisor_(divisor) {}

  bool operator()(std::uint64_t f) const {
    if constexpr (kShift < 0) return divisor_.divides(f + 1);
    else return divisor_.divides_with_shift<kShift>(f + 1);
  }

 private:
  Divisor divisor_;
};

}  // namespace nearkin
