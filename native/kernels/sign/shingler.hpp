// Shingles: w units in a row (Broder 1997 §2), each as a fingerprint of `bits` bits. All shingle schemes are made of
// them.
//
// Option B, the default, makes a text the set of its shingles. Option A (`label`) numbers the occurrences of a shingle,
// so that the k-th is another one. The label enters a second fingerprint that depends on the first in no simple way
// (§4.3): a linear one would differ by the same constant wherever a shingle occurs twice, so that either none or all of
// the second occurrences would be sampled with the first.
//
// A text with fewer units than the window is one shingle: it is compared whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "sign/rabin.hpp"

namespace nearkin {

// The unit of which shingles are made (Broder 1997 §2: "tokens … letters, words, lines").
//
//   byte        every byte
//   character   every code point; a byte that is not UTF-8 is one of its own
//   word        the bytes between spaces (ASCII white space in texts that are not canonical)
//   line        the bytes between line ends; empty lines do not count
//   soundex     the Soundex code of every word that has a Latin letter
//
// Windows of fixed width in bytes can be rolled (Broder 1997 §4.3). Broder offers to cut words into pieces of eight
// bytes and to pad the short ones. We give every unit a value of eight bytes instead: its code point, its code, or its
// fingerprint. A long word then stays one word, so a window has as many words as the user asked for, and two words are
// confused only by a collision of 64 bits. The fingerprint is mixed before it becomes a value: unmixed ones of words
// over eight bytes would add up, "cat different" to the same as "cau eifferent".
enum class Unit : std::uint8_t { byte, character, word, line, soundex };

struct PlacedUnit {
  std::uint64_t value;
  std::size_t begin, end;  // bytes of the text
};

// Reads the units of a text in order.
class Units {
 public:
  Units(Unit unit, std::string_view text) : unit_(unit), text_(text) {}

  // Reads the next units into `out`; fewer than `most` only at the end of the text.
  std::size_t read(PlacedUnit* out, std::size_t most);

 private:
  template <class Separates, class ValueOf>
  std::size_t read_runs(PlacedUnit* out, std::size_t most, Separates&& separates, ValueOf&& value_of);
  std::size_t read_characters(PlacedUnit* out, std::size_t most);

  Unit unit_;
  std::string_view text_;
  std::size_t at_ = 0;
};

// Counts the units of a text, up to `most`.
std::size_t count_units(Unit unit, std::string_view text, std::size_t most = ~std::size_t{0});

// Returns the most units that a text of so many bytes can have.
inline std::size_t most_units(Unit unit, std::size_t bytes) {
  return unit == Unit::byte || unit == Unit::character ? bytes : (bytes + 1) / 2;
}

struct PlacedShingle {
  std::uint64_t fingerprint;
  std::uint64_t offset;  // of its first byte
  // Bytes up to the beginning of the next shingle, or to its own end if that is nearer. Shingles of one text count no
  // byte twice, so these lengths can be added up.
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

  // True where fingerprints are those of byte windows, unchanged: the case that deserves a loop of its own.
  bool plain() const { return unit_ == Unit::byte && !label_ && permutation_.identity() && bits_ == 64; }
  const Roller& roller() const { return roller_; }

  // Counts the shingles of a text, repeats included, up to `most`.
  std::size_t count(std::string_view text, std::size_t most = ~std::size_t{0}) const;
  bool whole(std::string_view text) const { return count_units(unit_, text, window_) < window_; }

  // Appends all shingles of a text, repeats included, in no order.
  void all(std::string_view text, std::vector<std::uint64_t>& out) const;

  // Returns all shingles with their places, in the order of the text.
  std::vector<PlacedShingle> placed(std::string_view text) const;

  // Permutes a fingerprint and cuts it to `bits`.
  std::uint64_t finish(std::uint64_t f) const { return permutation_(f) & mask_; }

  // Calls visit(fingerprint, offset, bytes) for every shingle in no order, before labels, permutation and cut.
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
  static constexpr std::size_t kBlock = 4096;  // units; with their values some 128 KB for a text of any length

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
  // A block holds some units and the window before them. Rolling it byte by byte in four lanes costs six nanoseconds a
  // unit; reading a word costs more than that.
  std::vector<PlacedUnit> units(kBlock + window_ - 1);
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

// Turns the k-th of equal fingerprints in a sorted list into another one. The list is not sorted afterwards.
void label_sorted(std::uint64_t* fingerprints, std::size_t count);

inline std::uint64_t labelled(std::uint64_t fingerprint, std::uint64_t occurrence) {
  return mix(fingerprint + occurrence * kGolden);
}

// The fingerprints of a text in order, a block at a time: a block stays in the nearest cache, however long the text.
class Blocks {
 public:
  static constexpr std::size_t kBlock = 2048;  // 16 KB of fingerprints beside the tables of the roller

  Blocks(const Shingler& shingler, std::string_view text) : shingler_(shingler), text_(text) {
    // Where labels or the places of units matter, all shingles are made at once.
    if (shingler.unit() == Unit::byte && !shingler.label()) return;
    const auto placed = shingler.placed(text);
    made_.reserve(placed.size());
    for (const auto& shingle : placed) made_.push_back(shingle.fingerprint);
    all_ = true;
  }

  // Calls visit(span of fingerprints) for each block. It may be called again; a text of one block is rolled only once.
  template <class Visit>
  void each(Visit&& visit) {
    if (all_) {
      if (!made_.empty()) visit(std::span<const std::uint64_t>(made_));
      return;
    }
    const Roller& roller = shingler_.roller();
    const std::size_t overlap = roller.window() - 1;
    for (std::size_t start = 0; start == 0 || start + overlap < text_.size(); start += kBlock) {
      const auto part = text_.substr(start, kBlock + overlap);
      if (!rolled_once_ || part.size() != text_.size()) roll_block(roller, part);
      rolled_once_ = true;
      if (count_ > 0) visit(std::span<const std::uint64_t>(block_.data(), count_));
    }
  }

 private:
  void roll_block(const Roller& roller, std::string_view part) {
    count_ = part.empty() ? 0 : part.size() < roller.window() ? 1 : part.size() - roller.window() + 1;
    if (shingler_.plain()) {
      roll(roller, part, [&](std::size_t position, std::uint64_t f) { block_[position] = f; });
    } else {
      roll(roller, part, [&](std::size_t position, std::uint64_t f) { block_[position] = shingler_.finish(f); });
    }
  }

  const Shingler& shingler_;
  std::string_view text_;
  std::vector<std::uint64_t> made_;
  bool all_ = false;
  bool rolled_once_ = false;
  std::size_t count_ = 0;
  std::array<std::uint64_t, kBlock> block_;
};

}  // namespace nearkin
