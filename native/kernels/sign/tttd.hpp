// TTTD, the two thresholds, two divisors chunker (Forman 2005 §2.2 and §2.3; Eshghi and Tang).
//
// A chunk ends where the fingerprint F of the last `window` bytes is r mod D, at least `min` bytes after the last end.
// If no such place comes within `max` bytes, the chunk ends at the latest place where F is r mod D' (a backup cut),
// else at `max` (a hard cut). The window is never reset, and after a backup cut scanning resumes from there.
//
// The basic sliding window algorithm (§2.2) is the same without thresholds: `min` is 1 and `max` out of reach.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "sign/rabin.hpp"

namespace nearkin {

struct Tttd {
  Roller roller;
  RotatedRoller turned;
  std::uint64_t min, max, divisor;
  Residue main, backup;
  Permutation permutation;  // of the features
  std::uint64_t mask;       // cuts features to their length

  Tttd(std::size_t window, std::uint64_t min_, std::uint64_t max_, std::uint64_t divisor_, std::uint64_t backup_,
       std::uint64_t residue, std::uint64_t seed, unsigned bits)
      : roller(window),
        turned(roller),
        min(min_),
        max(max_),
        divisor(divisor_),
        main(divisor_, residue, seed),
        backup(backup_, residue, seed),
        permutation(seed),
        mask(bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) {}
};

// Returns the ends of the chunks, ascending. The last is the length of the text.
std::vector<std::uint64_t> cut(const Tttd& scheme, std::string_view text);

// Returns the feature of a chunk: a 64-bit multiply-and-fold hash of its bytes (Forman 2005 §2.1 takes MD5; §2.3: 64
// bits are enough for some 4 billion chunks). It is frozen: stores hold these features.
std::uint64_t chunk_hash(std::string_view chunk);

}  // namespace nearkin
