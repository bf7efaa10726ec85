// Hashes and divisibility tests for 64-bit fingerprints.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nearkin {

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

// The constants of `mix`, for code that mixes several values at once.
inline constexpr std::uint64_t kMixFirst = 0xbf58476d1ce4e5b9ULL, kMixSecond = 0x94d049bb133111ebULL;

// Spreads every bit over all others, as a bijection of 64 bits (Stafford's variant 13, the finaliser of splitmix64).
//
// Rabin fingerprints are linear: inputs that differ by a constant have fingerprints that differ by a constant. Where
// such a tie would correlate two values, they are mixed.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * kMixFirst;
  value = (value ^ (value >> 27)) * kMixSecond;
  return value ^ (value >> 31);
}

// The permutation of fingerprints that belongs to a seed (Broder 1997 §4.1's random π): a linear map, then the mixer.
// Seed 0 is the identity.
class Permutation {
 public:
  explicit constexpr Permutation(std::uint64_t seed)
      : identity_(seed == 0), plus_(mix(seed)), times_(mix(seed + kGolden) | 1) {}

  constexpr bool identity() const { return identity_; }

  constexpr std::uint64_t operator()(std::uint64_t value) const {
    return identity_ ? value : mix((value ^ plus_) * times_);
  }

 private:
  bool identity_;
  std::uint64_t plus_, times_;
};

inline std::uint64_t word(const char* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Hashes a window of at least eight bytes. The multiplications do not wait for one another; the last one mixes their
// results into the high bits.
inline std::uint64_t window_hash(const char* window, std::size_t length) {
  std::uint64_t h = word(window + length - 8) * 0xd6e8feb86659fd93;
  for (std::size_t at = 0; at + 8 < length; at += 8)
    h = std::rotl(h, 23) ^ word(window + at) * 0x9e3779b97f4a7c15;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
  return h ^ h >> 32;
}

// Tests whether n divides f without a division: f · (odd part of n)^-1, rotated right by n's power of two, is at most
// (2^64 - 1) / n exactly when it does (Granlund and Montgomery 1994, §9).
class Divisor {
 public:
  explicit constexpr Divisor(std::uint64_t n) : shift_(std::countr_zero(n)), limit_(~std::uint64_t{0} / n) {
    const std::uint64_t odd = n >> shift_;
    std::uint64_t inverse = odd;  // correct to 3 bits; each Newton step doubles them
    for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
    inverse_ = inverse;
  }

  constexpr int shift() const { return shift_; }

  // A shift known at compile time saves one or two of the twelve instructions of a loop.
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

// Tests whether F mod D = r without a division, for a fingerprint F that is permuted first where the scheme has a seed.
class Residue {
 public:
  Residue(std::uint64_t divisor, std::uint64_t residue, std::uint64_t seed)
      : divisor_(divisor), number_(divisor), residue_(residue % divisor), permutation_(seed) {}

  // True for the default, F mod D = D - 1: "D divides F + 1" takes an instruction less than any other residue.
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

// Tests for the default residue, with D's power of two known at compile time; -1 stands for any power.
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
