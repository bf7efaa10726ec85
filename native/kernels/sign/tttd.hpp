// TTTD, the two thresholds, two divisors chunker (Forman 2005 §2.2 and §2.3; Eshghi and Tang).
//
// A chunk ends where the fingerprint F of the last `window` bytes is r mod D, at least `min` bytes after the last end.
// If none comes within `max` bytes, the latest place where F is r mod D' is taken, else the chunk is cut at `max`. The
// window is never reset, and after a backup cut scanning goes on from there.
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
  TurnedRoller turned;
  std::uint64_t min, max, divisor;
  Residue main, backup;
  Permutation permutation;  // of the features
  std::uint64_t mask;       // to their length

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

// The ends of the chunks, ascending; the last is the length of the text.
std::vector<std::uint64_t> cut(const Tttd& scheme, std::string_view text);

// The feature of a chunk: a 64-bit multiply-and-fold hash of its bytes (Forman 2005 §2.1 takes MD5; §2.3: 64 bits are
// enough for some 4 billion chunks). Frozen: stores hold these.

std::uint64_t chunk_hash(std::string_view chunk);

}  // namespace nearkin
