// A set of windows, runs of bytes of one length, that were added from several texts; two are equal if all their bytes
// are. Bytes are kept once where windows overlap, so that a window costs one byte of text and 15 to 30 of the table.
// Of each window the set knows from which text it came, or that it came from several.
//
// A set may hold one part of all windows, by their hash: whoever has not the memory for all takes them part by part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/window_hash.hpp"

namespace nearkin {

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

}  // namespace nearkin
