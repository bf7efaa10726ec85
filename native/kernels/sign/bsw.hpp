// BSW_n (Cherkasova 2009 §2 and §4), the basic sliding window with the smallest fingerprint of a chunk for its name.
//
// A window whose fingerprint is 0 mod n ends a chunk. A chunk is the window positions after the one before through its
// own end; what is left after the last is one too. Instead of a hash of the whole chunk, which any edit changes, its
// smallest fingerprint is kept. The signature is the set of these: each stands for n windows on the average.
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

// Fingerprints come in the order of the text, in any number of calls.
class ChunkMinima {
 public:
  explicit ChunkMinima(std::uint64_t modulus) : boundary_(modulus) {}

  void add(std::span<const std::uint64_t> fingerprints);

  // The smallest fingerprint of every chunk, in the order of the text.
  std::vector<std::uint64_t> take();

 private:
  Divisor boundary_;
  std::uint64_t least_ = ~std::uint64_t{0};
  bool open_ = false;  // windows since the last boundary
  std::vector<std::uint64_t> minima_;
};

}  // namespace nearkin
