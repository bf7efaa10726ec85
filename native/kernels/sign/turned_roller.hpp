// The roller of the chunkers: the same Rabin fingerprints with fewer instructions, and the first of a stretch at once.
//
// The state is kept turned left by a byte. What leaves it at the top is then the lowest byte, where the entering one is
// added in place: seven instructions a step where Roller takes nine. The first window is a sum of products without
// carries where the processor has them, else folded eight bytes at a time by tables (Kounavis and Berry 2005): a
// chunker that skips the shortest length of a chunk begins anew after every cut.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sign/rabin.hpp"
#include "sign/window_products.hpp"

namespace nearkin {

class TurnedRoller {
 public:
  explicit TurnedRoller(const Roller& roller);

  std::size_t window() const { return window_; }

  // The fingerprint of the window that begins here.
  std::uint64_t first(const unsigned char* start) const {
    return products_.available() ? products_.first(start) : first_by_tables(start);
  }

  // The next fingerprint.
  std::uint64_t step(std::uint64_t f, unsigned char leaving, unsigned char entering) const {
    f = std::rotl(f, 8) ^ entering;
    f ^= enter_[f & 0xff];
    return f ^ leave_[leaving];
  }

 private:
  using Table = std::array<std::uint64_t, 256>;

  std::uint64_t first_by_tables(const unsigned char* start) const;

  std::size_t window_;
  std::uint64_t lead_;  // the state before the first byte: the leading 1 bit
  Table enter_, leave_;
  std::array<Table, 8> slice_;  // slice_[k][b]: what a byte b leaves behind k bytes later
  WindowProducts products_;
};

}  // namespace nearkin
