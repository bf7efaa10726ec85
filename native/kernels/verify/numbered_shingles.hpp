// Numbered shingles of connected texts: each shingle has a number, in the order in which they first occur.
//
// Connected texts are mostly alike. What a text shares with an earlier one is a run of numbers, and comparing bytes
// shows how long the run is: its shingles are neither fingerprinted nor sorted. Fingerprints are looked up only where a
// text has something new and where it begins to repeat another. Two shingles are equal if their fingerprints are, as
// everywhere.
//
// A text then is a row of bits, one for each number, and 64 shared shingles are counted at a time
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

  // Numbers the shingles of these texts, and forgets those before. Returns false if the texts have so little in common
  // that rows of bits would be longer than lists. The bytes must stay where they are meanwhile.
  bool assign(std::span<const std::string_view> texts);

  std::uint64_t size(std::size_t text) const { return sizes_[text]; }  // distinct shingles
  std::uint64_t shared(std::size_t text, std::size_t other) const;

 private:
  struct Run {
    std::uint32_t first, count;  // numbers
  };

  // Consecutive numbers whose shingles are neighbours in the text in which they first occurred.
  struct Stretch {
    std::string_view text;
    std::size_t at;       // where they begin in that text
    std::size_t owner;    // the number of that text
    std::uint32_t first;  // number
    std::size_t run;      // the run of that text that holds them
  };

  // The last number in this slot, and the tags of all its numbers, one of 32 bits each. Nearly every new shingle has a
  // tag that is not set, and is seen to be new without a look at the others in the slot, a branch that cannot be
  // predicted.
  struct Slot {
    std::uint32_t number, tags;
  };

  // The slot of a fingerprint, and its tag.
  struct Place {
    std::uint64_t at;
    std::uint32_t tag;
  };

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 20;  // some 32 MB
  // Average texts without anything in common: beyond so many there is a word of bits for every shingle.
  static constexpr std::size_t kSparse = 64;

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
  std::uint32_t next_ = 0;                   // number
  UninitVector<std::uint64_t> fingerprint_;  // by number
  std::vector<Stretch> stretches_;           // in the order of their numbers
  UninitVector<std::uint32_t> before_;       // by number: the number before it in its slot
  std::vector<Slot> slots_;
  int shift_ = 64;
  std::vector<Run> runs_;              // text by text, in the order of the text
  std::vector<std::size_t> run_ends_;  // by text
  std::vector<std::uint64_t> sizes_;   // by text
  std::vector<std::uint64_t> bits_;    // by text
  std::size_t words_ = 0;              // of a row
};

}  // namespace nearkin
