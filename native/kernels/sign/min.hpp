// The n smallest shingles (Broder 1997 §3, MIN_s; Cherkasova 2009's Min_n), or the n smallest of those that are 0 mod m
// (§4.1). A text with fewer shingles keeps them all.
//
// Broder keeps a heap, or a search tree that recognises repeats (§4.1). We keep a buffer: every shingle below the n-th
// smallest so far goes in, and a full buffer is sorted and cut. Most shingles cost one comparison either way, and there
// is no tree to walk for the rest.
#pragma once

#include <cstdint>

#include "sign/shingler.hpp"

namespace nearkin {

struct Min {
  Shingler shingler;
  std::uint64_t n;
  std::uint64_t modulus;

  Min(const Shingler& shingler_, std::uint64_t n_, std::uint64_t modulus_)
      : shingler(shingler_), n(n_), modulus(modulus_) {}
};

}  // namespace nearkin
