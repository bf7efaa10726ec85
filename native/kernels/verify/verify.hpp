// The exact measure of a pair, on the texts: |S(A) ∩ S(B)|, |S(A)|, |S(B)| over all shingles (Broder 1997 §2), whatever
// units they are made of, labelled or not.
//
// Where texts that hang together have much in common their shingles are numbered, and a pair is two rows of bits
// (numbered_shingles.hpp). Large groups of unlike texts fall apart without the pairs that can come to nothing
// (sieve.hpp). Else each text becomes one sorted list of its distinct shingles, made once; a pair is two sorted lists
// walked side by side. Hash tables took twice as long: every look-up of a table larger than the nearest cache is a
// wait, and every miss a mispredicted branch (docs/decisions/005-verification.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/containers.hpp"
#include "join/candidates.hpp"
#include "sign/shingler.hpp"

namespace nearkin {

// `bytes` is what lies in both texts, at the very least. Of k distinct shingles no two begin at the same place. Where
// units are bytes or characters they therefore cover k units and the rest of one window, each unit a byte or more.
// Words and lines have lengths worth knowing: there every shingle in common counts the bytes up to the next one's
// beginning, in the text where these are fewer together.
struct Measure {
  std::uint64_t shared, size_a, size_b;  // distinct shingles
  std::uint64_t bytes;
};

// A pair that can no longer reach either bound is given up: its `shared` is then less than the truth, and 0.
struct Bounds {
  double resemblance, containment;
};

// Pairs index into texts. Lists take at most eight bytes for every byte of the texts that stand in a pair; those that
// do not hang together have the same room, one after the other. A list of over 2^18 shingles takes as much again while
// it is sorted: at most 16 bytes for a byte in all. A word or a line takes 12 bytes, and 32 more while the list of its
// text is made: 22 for a byte where every word is one letter, under 8 where words and spaces have six bytes on the
// average. Numbered, texts of bytes take no more than 8 bytes of bits and 8 of runs for a byte, mostly far less, and 32
// MB.
//
// The shingler's seed and bits play no part: measures are of all bits. Shingles of `ignored` (ascending; of all bits
// and no permutation, labelled where the shingler labels) are left out of every text, so that sizes are those of the
// payload (Forman 2005 §4).
UninitVector<Measure> verify(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                            const Shingler& shingler, const Bounds& bounds, std::span<const std::uint64_t> ignored,
                            unsigned threads);

// The exact measure of one pair of texts whose shingles do not fit into memory together.
//
// Shingles are uniform over all 64 bits, so those of one slice of the range are a sample as good as any, and a shingle
// that both texts have is in the same slice of both. Slice by slice both lists are made, sorted and walked side by
// side, and the counts added up: the very numbers of `verify` where no pair is given up, in one part of its memory for
// so many passes over the texts, at some 500 MB/s each. None is given up here: what is shared is known after the last
// slice.

// Only for shingles of bytes that are not labelled: see `can_be_sliced`.
Measure measure_long(std::string_view a, std::string_view b, const Shingler& shingler,
                     std::span<const std::uint64_t> ignored, std::uint64_t slices);

inline bool can_be_sliced(const Shingler& shingler) { return shingler.unit() == Unit::byte && !shingler.label(); }

}  // namespace nearkin
