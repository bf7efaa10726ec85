// The Similarity Index (Roth 2011 §3): one number for a document, so that documents like it are those whose numbers
// lie within 30 % of it, and a database finds them by one range query.
//
// The stream of characters, words or Soundex tokens (input_stream.hpp) is cut into overlapping k-grams, each hashed by
// Java's hashCode (java_hash.hpp) into a fingerprint. §3.3's methods, in pairs, keep some of them, the sketch:
//
//     1, 2 all    3, 4 those divisible by 25    5, 6 winnowed    7, 8 the 400 lowest    9, 10 the 400 highest
//     11, 12 a random third
//
// and sum them (odd) or take the Rabin fingerprint of all (even). 13 sums the hashes of the 200 most frequent tokens,
// 14 makes k-grams of the fingerprints, as decimals joined by a space, again and again until one is left.
//
// Hashes are signed, sums have 64 bits. A text with fewer tokens than k is one k-gram; a text whose sketch is empty has
// no number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sign/input_stream.hpp"

namespace nearkin {

struct SimilarityIndex {
  int method;  // 1 to 14
  Stream stream;
  Variation variation;
  std::size_t k;       // tokens of a k-gram; 13 has none
  std::size_t window;  // of winnowing, in fingerprints
  std::uint64_t seed;  // of the random third

  // 14 makes n²/(2k) hashes of n fingerprints. Where these are more, some four seconds' worth, there is no number.
  static constexpr std::uint64_t kMostSuperShingles = std::uint64_t{1} << 27;
};

std::optional<std::int64_t> similarity_index(const SimilarityIndex& scheme, std::string_view text);

}  // namespace nearkin
