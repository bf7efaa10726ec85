// Shingles as every shingle scheme sees them: w units in a row (Broder 1997 §2), each as a fingerprint of `bits` bits.
//
// Option B, the default: a text is the set of its shingles. Option A (`label`): the k-th time a shingle occurs it is
// another one. The label enters a second fingerprint that does not depend on the first in any simple way (§4.3): a
// linear one would differ by the same constant wherever a shingle occurs twice, so that of all second occurrences none
// or all would be sampled with their first.
//
// A text with fewer units than the window is one shingle: it is compared whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "sign/rabin.hpp"
#include "sign/units.hpp"

namespace nearkin {

struct ShingleAt {
  std::uint64_t fingerprint;
  std::uint64_t offset;  // of its first byte
  // Bytes up to where the next shingle begins, or its own end if that is nearer: shingles of one text never count a
  // byte twice, so these may be added up.
  std::uint64_t bytes;
};

class Shingler {
 public:
  Shingler(Unit unit, std::size_t window, bool label, std::uint64_t seed, unsigned bits)
      : unit_(unit),
        window_(window),
        label_(label),
        bits_(bits),
        permutation_(seed),
        mask_(bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1),
        roller_(unit == Unit::byte ? window : kUnitBytes * window) {}

  Unit unit() const { return unit_; }
  std::size_t window() const { return window_; }
  bool label() const { return label_; }
  unsigned bits() const { return bits_; }

  // Fingerprints are those of byte windows as they come: the way that is worth a loop of its own.
  bool plain() const { return unit_ == Unit::byte && !label_ && permutation_.identity() && bits_ == 64; }
  const Roller& roller() const { return roller_; }

  // How many shingles a text has, repeats counted. No more are counted than `most`.
  std::size_t count(std::string_view text, std::size_t most = ~std::size_t{0}) const;
  bool whole(std::string_view text) const { return count_units(unit_, text, window_) < window_; }

  // All shingles of a text, repeats too, in no order. Appends.
  void all(std::string_view text, std::vector<std::uint64_t>& out) const;

  // All shingles where they stand, in order of the text.
  std::vector<ShingleAt> placed(std::string_view text) const;

  // Permuted and cut to `bits`.
  std::uint64_t finish(std::uint64_t f) const { return permutation_(f) & mask_; }

  // Calls visit(first fingerprint, offset, bytes) for every shingle, unlabelled and unfinished, in no order.
  template <class Visit>
  void each(std::string_view text, Visit&& visit) const {
    if (unit_ == Unit::byte) {
      const std::uint64_t bytes = text.size() < window_ ? text.size() : 1;
      roll(roller_, text, [&](std::size_t position, std::uint64_t f) { visit(f, position, bytes); });
    } else {
      each_of_units(text, visit);
    }
  }

 private:
  static constexpr std::size_t kUnitBytes = 8;
  static constexpr std::size_t kBlock = 4096;  // units; with their values some 128 KB, and any text passes through

  template <class Visit>
  void each_of_units(std::string_view text, Visit&& visit) const;

  static void store(std::uint64_t value, unsigned char* to) {
    for (int i = kUnitBytes - 1; i >= 0; --i, value >>= 8) to[i] = static_cast<unsigned char>(value);
  }

  Unit unit_;
  std::size_t window_;
  bool label_;
  unsigned bits_;
  Permutation permutation_;
  std::uint64_t mask_;
  Roller roller_;
};

template <class Visit>
void Shingler::each_of_units(std::string_view text, Visit&& visit) const {
  // A block holds some units and the window before them. Rolling it byte by byte, four lanes side by side, costs six
  // nanoseconds a unit; reading a word costs more than that.
  std::vector<UnitAt> units(kBlock + window_ - 1);
  std::vector<unsigned char> values(kUnitBytes * units.size());
  Units reader(unit_, text);
  std::size_t held = 0;
  bool first = true;
  for (bool more = true; more; first = false) {
    const std::size_t from = held;
    held += reader.read(units.data() + held, units.size() - held);
    more = held == units.size();
    if (held == 0 || (held < window_ && !first)) return;
    for (std::size_t i = from; i < held; ++i) store(units[i].value, values.data() + kUnitBytes * i);
    const std::string_view block(reinterpret_cast<const char*>(values.data()), kUnitBytes * held);
    const bool whole = held < window_;
    roll(roller_, block, [&](std::size_t position, std::uint64_t f) {
      if (position % kUnitBytes != 0) return;
      const std::size_t i = position / kUnitBytes;
      const std::size_t end = whole ? units[held - 1].end : window_ == 1 ? units[i].end : units[i + 1].begin;
      visit(f, units[i].begin, end - units[i].begin);
    });
    if (!more) return;
    const std::size_t kept = window_ - 1;
    std::copy(units.begin() + static_cast<std::ptrdiff_t>(held - kept), units.end(), units.begin());
    std::memmove(values.data(), values.data() + kUnitBytes * (held - kept), kUnitBytes * kept);
    held = kept;
  }
}

// Makes the k-th of equal fingerprints in a sorted list another one. The list is no longer sorted then.
void label_sorted(std::uint64_t* fingerprints, std::size_t count);

inline std::uint64_t labelled(std::uint64_t fingerprint, std::uint64_t occurrence) {
  return mix(fingerprint + occurrence * kGolden);
}

}  // namespace nearkin
