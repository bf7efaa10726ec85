// The Similarity Index (Roth 2011 §3): one number for a document. Similar documents have numbers within 30 % of it, so
// that a database finds them by one range query.
//
// The stream of characters, words or Soundex tokens is cut into overlapping k-grams, each hashed by Java's hashCode
// into a fingerprint. The methods of §3.3, in pairs, keep some of these as the sketch:
//
//     1, 2 all    3, 4 those divisible by 25    5, 6 winnowed    7, 8 the 400 lowest    9, 10 the 400 highest
//     11, 12 a random third
//
// and sum them (odd) or take the Rabin fingerprint of all (even). Method 13 sums the hashes of the 200 most frequent
// tokens. Method 14 makes k-grams of the fingerprints, as decimals joined by a space, until one is left.
//
// Hashes are signed, sums have 64 bits. A text with fewer tokens than k is one k-gram. A text whose sketch is empty has
// no number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// The input of a similarity index (Roth 2011 §3.4 and §3.5): the text as a stream of characters, words or Soundex
// tokens. The paper lists no stop words; these are Lucene's, which it works beside.
//
// Words are separated by white space and turned to lower case. Stop words are removed first, before words become
// Soundex tokens and before white space is removed. Of repeated tokens the first is kept. A word without a Latin letter
// has no Soundex token.
enum class Stream { characters, words, soundex };

// Tables 3 and 4: A keeps all, B drops stop words, C vowels (of characters) or duplicates (of words), D both.
struct Variation {
  bool stop_words;
  bool vowels_or_duplicates;
};

class InputStream {
 public:
  InputStream(Stream stream, Variation variation, std::string_view text);

  // A stream of characters as UTF-16 without white space.
  std::u16string_view characters() const { return characters_; }
  // The tokens of the other streams.
  std::vector<std::string_view> tokens() const;

 private:
  std::u16string characters_;
  std::string held_;
  std::vector<std::size_t> ends_;
};

struct SimilarityIndex {
  int method;  // 1 to 14
  Stream stream;
  Variation variation;
  std::size_t k;       // tokens of a k-gram; method 13 has none
  std::size_t window;  // of winnowing, in fingerprints
  std::uint64_t seed;  // of the random third

  // Method 14 makes n²/(2k) hashes of n fingerprints. Beyond this many, some four seconds' worth, there is no number.
  static constexpr std::uint64_t kMostSuperShingles = std::uint64_t{1} << 27;
};

std::optional<std::int64_t> similarity_index(const SimilarityIndex& scheme, std::string_view text);

// Java's String.hashCode(), by which Roth 2011 §3.1.2 makes fingerprints: s0·31^(n-1) + … + s(n-1) modulo 2^32 over
// UTF-16, taken as a signed number. 31 has an inverse modulo 2^32, so a window of k tokens joined by spaces can slide:
// the leaving token is taken out again, and a gram costs the same however long it is.
//
// Appends text as UTF-16. A byte that is not valid UTF-8 becomes the lone surrogate DC00 + byte, as in Python's
// surrogateescape.
void append_utf16(std::string_view utf8, std::u16string& out);

struct Hashed {
  std::uint32_t hash;
  std::uint32_t length;  // in UTF-16 units
};

Hashed java_hash(std::string_view utf8);

// Returns the hashes of all k units in a row; fewer than k units are one gram.
std::vector<std::int32_t> gram_hashes(std::u16string_view units, std::size_t k);

// The same for tokens, joined by one space.
std::vector<std::int32_t> gram_hashes(std::span<const Hashed> tokens, std::size_t k);

}  // namespace nearkin
