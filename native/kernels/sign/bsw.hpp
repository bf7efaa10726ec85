// BSW_n (Cherkasova 2009 §2 and §4): a basic sliding window whose chunks are named by their smallest fingerprint.
//
// A window whose fingerprint is 0 mod n ends a chunk. A chunk consists of the window positions after the previous end
// through its own; the tail after the last end is a chunk too. A hash of the whole chunk would change with any edit, so
// the smallest fingerprint in it is kept. The signature is the set of these; each stands for n windows on the average.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "sign/shingler.hpp"

namespace nearkin {

struct Bsw {
  Shingler shingler;
  std::uint64_t modulus;

  Bsw(const Shingler& shingler_, std::uint64_t modulus_) : shingler(shingler_), modulus(modulus_) {}
};

// Finds the smallest fingerprint of each chunk. Fingerprints come in the order of the text, in any number of calls.
class ChunkMinima {
 public:
  explicit ChunkMinima(std::uint64_t modulus) : boundary_(modulus) {}

  void add(std::span<const std::uint64_t> fingerprints);

  // Returns the smallest fingerprint of every chunk, in the order of the text.
  std::vector<std::uint64_t> take();

 private:
  Divisor boundary_;
  std::uint64_t least_ = ~std::uint64_t{0};
  bool open_ = false;  // there are windows after the last boundary
  std::vector<std::uint64_t> minima_;
};

}  // namespace nearkin
