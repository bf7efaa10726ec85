// The cosine of the angle between two texts' term vectors (Stein 2005 §3's reference similarity φ): the vectors hold
// how often each term occurs (terms.hpp), unweighted; 1 for the same terms in the same proportions, 0 for none in
// common. Order does not count.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "join/candidates.hpp"

namespace nearkin {

// A term and how often it occurs; terms are named by their fingerprints.
struct Frequency {
  std::uint64_t term;
  std::uint64_t count;
};

// Ascending by term.
std::vector<Frequency> term_frequencies(std::string_view text);

// Computes the cosines of pairs, which index into texts: NaN where a text has no terms, since nothing can be said. It
// takes about 16 bytes for every distinct term of the texts that stand in a pair.
std::vector<double> cosines(std::span<const std::string_view> texts, std::span<const Pair> pairs, unsigned threads);

// Lists the pairs of texts that share a feature (Stein 2005 §3, formula 3: one code in common is a collision).
//
// Codes are few and each stands for a set of texts, so there is nothing to filter: every two texts of a set are a pair.
// Pairs are returned in portions, as memory may not have room for all.
class Collisions {
 public:
  // The features of text i lie from offsets[i] to offsets[i + 1].
  Collisions(std::span<const std::uint64_t> offsets, std::span<const std::uint64_t> features);

  struct Pairs {
    std::vector<std::uint32_t> a, b;  // a < b, sorted by (a, b), each once
  };

  // Returns the pairs of the next texts as `a`, until there are at least `most`; none when all have been returned.
  Pairs next(std::size_t most);

 private:
  struct Holder {
    std::uint64_t feature;
    std::uint32_t text;
  };

  std::vector<Holder> holders_;         // by feature, then by text
  std::vector<std::uint64_t> offsets_;  // of each text's places …
  std::vector<std::size_t> places_;     // … in holders_
  std::size_t text_ = 0;
};

}  // namespace nearkin
