// How many of the others' distinct windows each of several texts has: a window that c texts have counts c - 1 for each.
// Windows are told by their Rabin fingerprints; of large families only those count that a modulus divides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/divisor.hpp"
#include "sign/rabin.hpp"

namespace nearkin {

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
