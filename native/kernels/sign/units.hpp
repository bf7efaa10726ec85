// What a shingle is made of (Broder 1997 §2: "tokens … letters, words, lines").
//
//   byte        every byte
//   character   every code point; a byte that is not UTF-8 is one of its own
//   word        what stands between spaces (white space of ASCII, in texts that are not canonical)
//   line        what stands between line ends; empty lines are none
//   soundex     the Soundex code of every word that has a Latin letter
//
// Windows of fixed width in bytes can be rolled (Broder 1997 §4.3). Broder offers to cut words into pieces of eight
// bytes and to pad the short ones. We give every unit a value of eight bytes instead: its code point, its code, or its
// fingerprint. A long word then stays one word, so a window is as many words as the user asked for, and no two words
// are taken for each other but by a collision of 64 bits. The fingerprint is mixed before it becomes a value: of words
// over eight bytes the unmixed ones would add up, "cat different" to the same as "cau eifferent".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nearkin {

enum class Unit : std::uint8_t { byte, character, word, line, soundex };

struct UnitAt {
  std::uint64_t value;
  std::size_t begin, end;  // bytes of the text
};

// Reads the units of a text in order.
class Units {
 public:
  Units(Unit unit, std::string_view text) : unit_(unit), text_(text) {}

  // Fills in the next ones; fewer than `most` only at the end of the text.
  std::size_t read(UnitAt* out, std::size_t most);

 private:
  template <class Separates, class ValueOf>
  std::size_t read_runs(UnitAt* out, std::size_t most, Separates&& separates, ValueOf&& value_of);
  std::size_t read_characters(UnitAt* out, std::size_t most);

  Unit unit_;
  std::string_view text_;
  std::size_t at_ = 0;
};

// How many units a text has; no more are counted than `most`.
std::size_t count_units(Unit unit, std::string_view text, std::size_t most = ~std::size_t{0});

// No text of this many bytes has more.
inline std::size_t most_units(Unit unit, std::size_t bytes) {
  return unit == Unit::byte || unit == Unit::character ? bytes : (bytes + 1) / 2;
}

}  // namespace nearkin
