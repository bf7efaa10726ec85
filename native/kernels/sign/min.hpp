// The n smallest shingles (Broder 1997 §3, MIN_s; Cherkasova 2009's Min_n), or the n smallest of those that are 0 mod m
// (§4.1). A text with fewer has them all in its signature.
//
// Broder keeps a heap, or a search tree where repeats must be told apart (§4.1). We keep a buffer instead: whatever is
// below the n-th smallest seen so far goes in, and when the buffer is full it is sorted and cut. Most shingles cost one
// comparison either way, and there is no tree to walk for the rest.
#pragma once

#include <cstdint>

#include "sign/shingler.hpp"

namespace nearkin {

struct Smallest {
  Shingler shingler;
  std::uint64_t n;
  std::uint64_t modulus;

  Smallest(const Shingler& shingler_, std::uint64_t n_, std::uint64_t modulus_)
      : shingler(shingler_), n(n_), modulus(modulus_) {}
};

}  // namespace nearkin
