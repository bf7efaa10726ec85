// "Is f a multiple of n?" without a division: f · (odd part of n)^-1, rotated right by n's power of two, is at most
// (2^64 - 1) / n exactly when it is (Granlund and Montgomery 1994, §9).
#pragma once

#include <bit>
#include <cstdint>

namespace nearkin {

class Divisor {
 public:
  explicit constexpr Divisor(std::uint64_t n) : shift_(std::countr_zero(n)), limit_(~std::uint64_t{0} / n) {
    const std::uint64_t odd = n >> shift_;
    std::uint64_t inverse = odd;  // right to 3 bits; each Newton step doubles them
    for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
    inverse_ = inverse;
  }

  constexpr int shift() const { return shift_; }

  // With the shift known at compile time a loop that has twelve instructions has one or two fewer.
  template <int kShift>
  constexpr bool divides_with_shift(std::uint64_t value) const {
    return std::rotr(value * inverse_, kShift) <= limit_;
  }

  constexpr bool divides(std::uint64_t value) const { return std::rotr(value * inverse_, shift_) <= limit_; }

 private:
  int shift_;
  std::uint64_t limit_;
  std::uint64_t inverse_ = 1;
};

}  // namespace nearkin
