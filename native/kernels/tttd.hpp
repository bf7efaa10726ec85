// TTTD, the two thresholds, two divisors chunker (Forman 2005 §2.2 and §2.3; Eshghi and Tang).
//
// A chunk ends where the fingerprint F of the last `window` bytes is D-1 mod D, at least `min` bytes after the last
// end. If none comes within `max` bytes, the latest place where F is D'-1 mod D' is taken, else the chunk is cut at
// `max`. The window is never reset, and after a backup cut scanning goes on from there.
//
// Whether a place is a candidate depends on its window alone, so one pass (four stretches side by side) marks those of
// the first divisor, and only a chunk that finds none is rolled again for the backup.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rabin.hpp"

namespace nearkin {

struct Tttd {
  Roller roller;
  std::uint64_t min, max, divisor, backup;

  Tttd(std::size_t window, std::uint64_t min_, std::uint64_t max_, std::uint64_t divisor_, std::uint64_t backup_)
      : roller(window), min(min_), max(max_), divisor(divisor_), backup(backup_) {}
};

// The ends of the chunks, ascending; the last is the length of the text.
std::vector<std::uint64_t> cut(const Tttd& scheme, std::string_view text);

// The feature of a chunk: a 64-bit multiply-and-fold hash of its bytes.
std::uint64_t chunk_hash(std::string_view chunk);

}  // namespace nearkin
