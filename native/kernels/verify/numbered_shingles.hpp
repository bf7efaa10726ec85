// Shingles of texts that hang together, numbered as they are met.
//
// Such texts mostly say the same. What a text shares with one before it is a run of numbers, and how far the run goes
// is found by comparing bytes: no fingerprint is made of its shingles and none is sorted. Only where a text says
// something new, and where it begins to repeat another, are fingerprints looked up. Two shingles are one if their
// fingerprints are, as everywhere.
//
// A text then is a row of bits, one for each number, and what two texts share is counted 64 shingles at a time
// (docs/decisions/005-verification.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/containers.hpp"
#include "sign/rabin.hpp"

namespace nearkin {

class NumberedShingles {
 public:
  explicit NumberedShingles(const Roller& roller) : plain_roller_(roller), roller_(roller) {}

  // Numbers the shingles of these texts; those before are forgotten. False: they have so little in common that rows of
  // bits would be longer than lists. The bytes must stay where they are meanwhile.
  bool take(std::span<const std::string_view> texts);

  std::uint64_t size(std::size_t text) const { return sizes_[text]; }  // distinct shingles
  std::uint64_t shared(std::size_t text, std::size_t other) const;

 private:
  struct Run {
    std::uint32_t first, count;  // numbers
  };

  // Numbers in a row whose shingles stand side by side in the text that had them first.
  struct Stretch {
    std::string_view text;
    std::size_t at;       // in that text
    std::size_t owner;    // which text it is
    std::uint32_t first;  // number
    std::size_t run;      // of that text, in which they are
  };

  // The last number that belongs here, and a bit for each: one of 32. Nearly everything that is new has another, and is
  // seen to be new without a look at those before it, which nobody could predict.
  struct Slot {
    std::uint32_t number, tags;
  };

  // Where a fingerprint belongs, and its bit.
  struct Place {
    std::uint64_t at;
    std::uint32_t tag;
  };

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 20;  // some 32 MB
  static constexpr std::size_t kSparse = 64;  // average texts that have nothing in common: a word of bits for every shingle

  void number(std::string_view text);
  template <class Fingerprint>
  std::uint32_t number_new(std::string_view text, std::size_t& at, std::size_t windows, Fingerprint&& fingerprint_at);
  std::size_t repeat(std::uint32_t known, std::string_view text, std::size_t at, std::size_t most);
  const Stretch& stretch_of(std::uint32_t number) const;
  void add(std::uint32_t first, std::uint32_t count);
  Place place_of(std::uint64_t fingerprint) const;
  std::uint32_t find(std::uint64_t fingerprint) const;
  void enter(std::uint32_t number);
  void make_room(std::size_t numbers);
  void fill_rows(std::size_t texts);

  const Roller& plain_roller_;
  RotatedRoller roller_;
  std::uint32_t next_ = 0;                  // number
  UninitVector<std::uint64_t> fingerprint_;    // by number
  std::vector<Stretch> stretches_;          // in the order of their numbers
  UninitVector<std::uint32_t> before_;         // by number: the one before it in its slot
  std::vector<Slot> slots_;
  int shift_ = 64;
  std::vector<Run> runs_;                   // text by text, as they stand
  std::vector<std::size_t> run_ends_;       // by text
  std::vector<std::uint64_t> sizes_;        // by text
  std::vector<std::uint64_t> bits_;         // by text
  std::size_t words_ = 0;                   // of a row
};

}  // namespace nearkin
