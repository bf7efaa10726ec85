// A bijection of 64 bits that spreads every bit over all others (Stafford's variant 13, the finaliser of splitmix64).
//
// Rabin fingerprints are linear: what differs by a constant before the reduction differs by a constant after it. Where
// that would tie two values together, they go through here.
#pragma once

#include <cstdint>

namespace nearkin {

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

// Named for those that mix several at once.
inline constexpr std::uint64_t kMixFirst = 0xbf58476d1ce4e5b9ULL, kMixSecond = 0x94d049bb133111ebULL;

constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * kMixFirst;
  value = (value ^ (value >> 27)) * kMixSecond;
  return value ^ (value >> 31);
}

// One permutation of the fingerprints for every seed (Broder 1997 §4.1's π): a linear map, then the mixer. Seed 0 is
// the identity.
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

}  // namespace nearkin
