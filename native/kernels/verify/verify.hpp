// Verification: the exact measure of pairs on their texts, |S(A) ∩ S(B)|, |S(A)|, |S(B)| over all shingles (Broder 1997
// §2), whatever their units, labelled or not.
//
// Connected texts with much in common have their shingles numbered, and a pair is two rows of bits
// (numbered_shingles.hpp). Large groups of unlike texts fall into smaller ones once pairs that cannot reach a bound are
// dropped (sieve.hpp). Otherwise each text becomes a sorted list of its distinct shingles, and a pair is two lists
// walked side by side. Hash tables took twice as long: every look-up in a table larger than the nearest cache waits,
// and every miss is a mispredicted branch (docs/decisions/005-verification.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/containers.hpp"
#include "join/candidates.hpp"
#include "sign/shingler.hpp"

namespace nearkin {

// `bytes` is a lower bound of the bytes in common. Of k distinct shingles no two begin at the same place, so shingles
// of bytes or characters cover k units and the rest of one window, each unit a byte or more. Shingles of words and
// lines have lengths worth knowing: each one in common counts the bytes up to the beginning of the next, in the text
// where these are fewer together.
struct Measure {
  std::uint64_t shared, size_a, size_b;  // distinct shingles
  std::uint64_t bytes;
};

// A pair that cannot reach either bound is given up: its `shared` is then 0, which is less than the truth.
struct Bounds {
  double resemblance, containment;
};

// Measures pairs, which index into texts. Lists take at most eight bytes for every byte of the texts that stand in a
// pair; unconnected groups use the same memory one after the other. A list of over 2^18 shingles takes as much again
// while it is sorted: at most 16 bytes for a byte in all. A word or a line takes 12 bytes, and 32 more while the list
// of its text is made: 22 for a byte where every word is one letter, under 8 where words and spaces have six bytes on
// the average. Numbered, texts of bytes take no more than 8 bytes of bits and 8 of runs for a byte, mostly far less,
// and 32 MB.
//
// Measures are of all bits, without the shingler's seed. Shingles of `ignored` (ascending; of all bits and no
// permutation, labelled where the shingler labels) are left out of every text, so that sizes are those of the payload
// (Forman 2005 §4).
UninitVector<Measure> verify(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                            const Shingler& shingler, const Bounds& bounds, std::span<const std::uint64_t> ignored,
                            unsigned threads);

// Measures one pair of texts whose shingles do not fit into memory together. `can_be_sliced` must hold.
//
// Shingles are uniform over all 64 bits, so those of one slice of the range are a sample as good as any, and a shingle
// that both texts have is in the same slice of both. Slice by slice, both lists are made, sorted and walked side by
// side, and the counts add up to the very numbers of `verify`, in a fraction of its memory, for as many passes over the
// texts at some 500 MB/s each. No pair is given up here: what is shared is known only after the last slice.
Measure measure_long(std::string_view a, std::string_view b, const Shingler& shingler,
                     std::span<const std::uint64_t> ignored, std::uint64_t slices);

// True for shingles of bytes that are not labelled.
inline bool can_be_sliced(const Shingler& shingler) { return shingler.unit() == Unit::byte && !shingler.label(); }

}  // namespace nearkin
