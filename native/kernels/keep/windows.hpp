// Windows of texts, runs of bytes of one length: where one text runs along with another, which texts hold a window, and
// how many windows texts share.
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

// Finds where texts run along with a kept text. About every sixteenth window of the kept text is noted as an anchor,
// chosen by its first bytes. Where a window of a text is an anchor too, both texts are followed back and ahead as far
// as they are equal. So texts that are nearly the same cost little more than a comparison of their bytes; a set of
// windows took 48 ns for each. Short runs without an anchor are not found: callers look up the rest in a WindowSet.
class Anchors {
 public:
  // The text must outlive its anchors.
  Anchors(std::string_view kept, std::size_t window);

  // Returns one bit for each window of a text, set only if the kept text has it.
  std::vector<std::uint8_t> runs(std::string_view text);

  // One bit for each window of the kept text, set only if one of the texts given to `runs` has it.
  const std::vector<std::uint8_t>& matched() const { return matched_; }

 private:
  bool is_anchor(const char* at) const;
  std::size_t slot(const char* window) const;
  bool equal(std::size_t place, const char* window) const;

  std::string_view kept_;
  std::size_t window_;
  std::vector<std::uint32_t> places_;  // offset plus one; 0: free
  std::vector<std::uint8_t> matched_;
};

// A set of windows from several texts; two are equal if all their bytes are. Overlapping windows share their bytes, so
// a window costs one byte of text and 15 to 30 of the table. The set knows for each window from which text it came, or
// that it came from several.
//
// A set may hold one part of all windows, by their hash: without memory for all, they are processed part by part.
class WindowSet {
 public:
  // Makes slots for `room` windows; the set grows with more.
  WindowSet(std::size_t window, std::uint32_t part, std::uint32_t parts, std::size_t room);

  // Adds the windows of a text, except those whose bit in `skip` is set (the first in the highest bit of the first
  // byte; missing bits are not set). Texts are numbered from 0; `nobody` adds windows without owning them.
  void add(std::string_view text, std::uint32_t owner, std::span<const std::uint8_t> skip);
  static constexpr std::uint32_t nobody = (1 << 20) - 3;

  // Marks those windows that are in the set as this text's, too. It adds none, which would cost more.
  void add_owner(std::string_view text, std::uint32_t owner, std::span<const std::uint8_t> skip);

  // Returns one bit for each window of a text: whether it is skipped or owned; with `several`, owned by several texts.
  std::vector<std::uint8_t> owned(std::string_view text, bool several, std::span<const std::uint8_t> skip) const;

  std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint64_t place : 32;  // in bytes_
    std::uint64_t owner : 20;
    std::uint64_t tag : 12;  // of the hash: one other window in 4,096 is compared in vain
  };
  static_assert(sizeof(Slot) == 8);

  enum class Of { all, likely };  // all windows, or only those that are likely to be in the set
  template <Of of, class Look>
  void each(std::string_view text, std::span<const std::uint8_t> skip, Look&& look) const;
  std::size_t filter_bit(std::uint64_t hash) const { return hash & (slots_.size() * 8 - 1); }
  bool may_hold(std::uint64_t hash) const { return filter_[filter_bit(hash) / 8] >> filter_bit(hash) % 8 & 1; }
  std::size_t find(const char* window, std::uint64_t hash) const;
  std::size_t likely(std::uint64_t hash) const;
  std::uint64_t hash(const char* window) const { return window_hash(window, window_); }
  bool in_part(std::uint64_t hash) const { return (hash >> 32) * parts_ >> 32 == part_; }
  static void own(Slot& slot, std::uint32_t owner);
  void grow();

  std::size_t window_;
  std::uint64_t part_;
  std::uint64_t parts_;
  std::string bytes_;
  std::vector<Slot> slots_;
  // Eight bits a slot, of which at most one in 13 is set: the other windows are dismissed by one look.
  std::vector<std::uint8_t> filter_;
  std::size_t used_ = 0;
};

// Counts how many of the others' distinct windows each of several texts has: a window that c texts have counts c - 1
// for each. Windows are identified by their Rabin fingerprints; of large families only those count that a modulus
// divides.
class WindowCounts {
 public:
  WindowCounts(std::size_t window, std::uint64_t modulus);

  void add(std::string_view text);

  struct Share {
    std::uint64_t own, shared;  // its distinct windows, and those of the other texts among them
  };
  std::vector<Share> shares() const;  // by text, in the order of adding

 private:
  struct Slot {
    std::uint64_t fingerprint;
    std::uint32_t id, last;  // the window's number, and the last text that had it, plus one; 0: free
  };

  std::size_t slot_of(std::uint64_t fingerprint) const { return fingerprint * 0x9e3779b97f4a7c15 >> shift_; }
  void note(std::uint64_t fingerprint);
  void grow(std::size_t windows);

  Roller roller_;
  Divisor divisor_;
  std::uint64_t modulus_;
  int shift_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> texts_;    // by window: how many texts have it
  std::vector<std::uint32_t> windows_;  // the windows of all texts, one text after the other
  std::vector<std::size_t> ends_;
};

}  // namespace nearkin
