// Where texts run along with another: of that one every sixteenth window or so is noted, an anchor, by what its first
// bytes are. Where a window of a text is an anchor, too, both are followed forth and back as far as they are equal. So
// texts that are nearly the same cost little more than comparing their bytes: putting windows into a set took 48 ns for
// each. Short runs without an anchor are not found: whoever wants these looks up what is left in a set
// (window_set.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "sign/rabin.hpp"

namespace nearkin {

class Anchors {
 public:
  // The text must outlive its anchors.
  Anchors(std::string_view kept, std::size_t window);

  // One bit for each window of a text: set only if the text of the anchors has it.
  std::vector<std::uint8_t> runs(std::string_view text);

  // One bit for each window of the anchors' text: set only if one of the texts that were asked for has it.
  const std::vector<std::uint8_t>& met() const { return met_; }

 private:
  bool is_anchor(const char* at) const;
  std::size_t slot(const char* window) const;
  bool equal(std::size_t place, const char* window) const;

  std::string_view kept_;
  std::size_t window_;
  std::vector<std::uint32_t> places_;  // and one; 0: none
  std::vector<std::uint8_t> met_;
};

// A set of windows, runs of bytes of one length, that were added from several texts; two are equal if all their bytes
// are. Bytes are kept once where windows overlap, so that a window costs one byte of text and 15 to 30 of the table.
// Of each window the set knows from which text it came, or that it came from several.
//
// A set may hold one part of all windows, by their hash: whoever has not the memory for all takes them part by part.

class WindowSet {
 public:
  // With slots for so many windows; it grows with more.
  WindowSet(std::size_t window, std::uint32_t part, std::uint32_t parts, std::size_t room);

  // Windows of a text but for those whose bit in `skip` is set (the first in the highest bit of the first byte; bits
  // that are not there are not set). Texts are numbered from 0; one that is nobody's asks only, and owns nothing.
  void add(std::string_view text, std::uint32_t owner, std::span<const std::uint8_t> skip);
  static constexpr std::uint32_t nobody = (1 << 20) - 3;

  // Those of them that are in the set are this text's, too. None is added, which costs more.
  void note(std::string_view text, std::uint32_t owner, std::span<const std::uint8_t> skip);

  // One bit for each window of a text: whether it is to be skipped or somebody's; with `several`, of several texts.
  std::vector<std::uint8_t> held(std::string_view text, bool several, std::span<const std::uint8_t> skip) const;

  std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint64_t place : 32;  // in bytes_
    std::uint64_t owner : 20;
    std::uint64_t tag : 12;  // of the hash: one strange window in 4,096 is looked at in vain
  };
  static_assert(sizeof(Slot) == 8);

  enum class Of { all, likely };  // all windows, or those that are likely to be in the set
  template <Of of, class Look>
  void each(std::string_view text, std::span<const std::uint8_t> skip, Look&& look) const;
  std::size_t light(std::uint64_t hash) const { return hash & (slots_.size() * 8 - 1); }
  bool lit(std::uint64_t hash) const { return lights_[light(hash) / 8] >> light(hash) % 8 & 1; }
  std::size_t find(const char* window, std::uint64_t hash) const;
  std::size_t likely(std::uint64_t hash) const;
  std::uint64_t hash(const char* window) const { return window_hash(window, window_); }
  bool mine(std::uint64_t hash) const { return (hash >> 32) * parts_ >> 32 == part_; }
  static void own(Slot& slot, std::uint32_t owner);
  void grow();

  std::size_t window_;
  std::uint64_t part_;
  std::uint64_t parts_;
  std::string bytes_;
  std::vector<Slot> slots_;
  // Eight bits a slot, at most one in 13 of which is set: the other strange windows are dismissed by one look.
  std::vector<std::uint8_t> lights_;
  std::size_t used_ = 0;
};

// How many of the others' distinct windows each of several texts has: a window that c texts have counts c - 1 for each.
// Windows are told by their Rabin fingerprints; of large families only those count that a modulus divides.

class WindowCounts {
 public:
  WindowCounts(std::size_t window, std::uint64_t modulus);

  void add(std::string_view text);

  struct Share {
    std::uint64_t own, shared;  // distinct windows, and those of the others that are among them
  };
  std::vector<Share> shares() const;  // of each text, as they were added

 private:
  struct Slot {
    std::uint64_t print;
    std::uint32_t id, last;  // the number of the window, and that of the text that had it last, and one; 0: empty
  };

  std::size_t home(std::uint64_t print) const { return print * 0x9e3779b97f4a7c15 >> shift_; }
  void note(std::uint64_t print);
  void grow(std::size_t windows);

  Roller roller_;
  Divisor divisor_;
  std::uint64_t modulus_;
  int shift_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> texts_;    // that have each window
  std::vector<std::uint32_t> windows_;  // of all texts, one after the other
  std::vector<std::size_t> ends_;
};

}  // namespace nearkin
