// Rabin fingerprints over GF(2) (Broder 1997 §4.1 to §4.3).
//
// A window of w bytes is the polynomial x^(8w) + b_0 x^(8(w-1)) + … + b_(w-1); the leading 1 bit keeps windows of zero
// bytes apart from each other and from 0. It is multiplied by x^64 ("a suitable number of nulls are appended", §4.1),
// so that windows that differ only in their last letter differ everywhere, and reduced modulo a fixed irreducible
// polynomial of degree 64. Neither step costs anything: the first is part of the table of leaving bytes, the second
// lies in the order in which the table of entering bytes is looked up.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nearkin {

// Computes the fingerprint of one window at once, as a sum of carry-less products, on processors that have them.
//
// Byte by byte each step waits for a table, 20 times for a window of 20 bytes. A roller that works on several stretches
// of a text starts once for each, in every text and block: that took a tenth of rolling 2 KB.
class WindowProducts {
 public:
  explicit WindowProducts(std::size_t window);

  // False for windows of fewer than 8 or more than 64 bytes and for other processors: then `first` must not be called.
  bool available() const { return available_; }
  std::uint64_t first(const unsigned char* start) const;

 private:
  static constexpr std::size_t kWords = 8;

  std::size_t window_;
  bool available_ = false;
  std::array<std::uint64_t, kWords> power_{};  // x^64(i+1) mod P, the factor of the i-th word from the end
  std::uint64_t lead_after_ = 0;               // what the leading 1 bit adds to a whole window
  std::uint64_t quotient_ = 0;                 // x^128 / P without its leading 1
};

// The polynomial is x^64 + this: the first irreducible one at or after the first 64 bits of SHA-256("nearkin"), made
// odd.
inline constexpr std::uint64_t kPolynomial = 0xf84af953fae9d4c7ULL;

// Returns the fingerprint of a whole text of any length.
std::uint64_t fingerprint(std::string_view text);

// Slides a window of fixed width: state = step(state, leaving byte, entering byte).
class Roller {
 public:
  explicit Roller(std::size_t window);

  std::size_t window() const { return window_; }
  std::uint64_t first(const unsigned char* start) const;

  std::uint64_t step(std::uint64_t state, unsigned char leaving, unsigned char entering) const {
    return (state << 8) ^ enter_[(state >> 56) ^ entering] ^ leave_[leaving];
  }

 private:
  std::size_t window_;
  WindowProducts products_;
  std::array<std::uint64_t, 256> enter_;
  std::array<std::uint64_t, 256> leave_;
};

inline constexpr std::size_t kLanes = 4;

// Calls visit(lane, position, fingerprint) for every window of the text, or once for a non-empty text shorter than the
// window, which is compared whole. A step waits for the table look-up of the step before, so four stretches of the
// text, the lanes, are rolled side by side (1,300 MB/s where two do 700). Positions ascend within a lane, and all
// positions of a lane lie before those of the next.
template <class Visit>
void roll_lanes(const Roller& roller, std::string_view text, Visit&& visit) {
  const auto* data = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t width = roller.window();
  if (text.size() < width) {
    if (!text.empty()) visit(std::size_t{0}, std::size_t{0}, fingerprint(text));
    return;
  }
  const std::size_t windows = text.size() - width + 1;
  const std::size_t stretch = windows / kLanes;
  std::size_t done = 0;
  // Under 64 windows a lane, four first windows cost more than the overlap gains.
  if (stretch >= 64) {
    const unsigned char* p0 = data;
    const unsigned char* p1 = data + stretch;
    const unsigned char* p2 = data + 2 * stretch;
    const unsigned char* p3 = data + 3 * stretch;
    std::uint64_t s0 = roller.first(p0), s1 = roller.first(p1), s2 = roller.first(p2), s3 = roller.first(p3);
    for (std::size_t i = 0;; ++i) {
      visit(std::size_t{0}, i, s0);
      visit(std::size_t{1}, i + stretch, s1);
      visit(std::size_t{2}, i + 2 * stretch, s2);
      visit(std::size_t{3}, i + 3 * stretch, s3);
      if (i + 1 == stretch) break;
      s0 = roller.step(s0, p0[i], p0[i + width]);
      s1 = roller.step(s1, p1[i], p1[i + width]);
      s2 = roller.step(s2, p2[i], p2[i + width]);
      s3 = roller.step(s3, p3[i], p3[i + width]);
    }
    done = kLanes * stretch;
  }
  if (done < windows) {
    std::uint64_t state = roller.first(data + done);
    visit(kLanes - 1, done, state);
    for (std::size_t i = done + 1; i < windows; ++i) {
      state = roller.step(state, data[i - 1], data[i + width - 1]);
      visit(kLanes - 1, i, state);
    }
  }
}

// The same, for visitors that need no order.
template <class Visit>
void roll(const Roller& roller, std::string_view text, Visit&& visit) {
  roll_lanes(roller, text, [&](std::size_t, std::size_t position, std::uint64_t f) { visit(position, f); });
}

// The roller of the chunkers: the same fingerprints in fewer instructions, with a fast start.
//
// The state is kept rotated left by a byte. The byte that leaves at the top is then the lowest one, where the entering
// byte is added: seven instructions a step where Roller takes nine. The first window is a sum of carry-less products
// where the processor has them, else it is folded eight bytes at a time by tables (Kounavis and Berry 2005): a chunker
// that skips the minimal length of a chunk starts anew after every cut.
class RotatedRoller {
 public:
  explicit RotatedRoller(const Roller& roller);

  std::size_t window() const { return window_; }

  // Returns the fingerprint of the window that begins at `start`.
  std::uint64_t first(const unsigned char* start) const {
    return products_.available() ? products_.first(start) : first_by_tables(start);
  }

  // Returns the fingerprint of the next window.
  std::uint64_t step(std::uint64_t f, unsigned char leaving, unsigned char entering) const {
    f = std::rotl(f, 8) ^ entering;
    f ^= enter_[f & 0xff];
    return f ^ leave_[leaving];
  }

 private:
  using Table = std::array<std::uint64_t, 256>;

  std::uint64_t first_by_tables(const unsigned char* start) const;

  std::size_t window_;
  std::uint64_t lead_;  // the state before the first byte, of the leading 1 bit alone
  Table enter_, leave_;
  std::array<Table, 8> slice_;  // slice_[k][b]: what byte b adds k bytes later
  WindowProducts products_;
};

}  // namespace nearkin
