// What of a text lies in the kept one, and what in no other that stays: from the windows that were found to the
// characters (src/nearkin/group/certificate.py says what is contained, respaced and residue).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// One bit for each window of a text: whether the kept text holds it, and whether that or any other does. Of a text that
// is shorter than a window: whether the kept text holds it whole.
struct HeldWindows {
  std::span<const std::uint8_t> kept, anywhere;
  bool whole;
};

// How a text reads whatever its spacing: bytes from start to end of it became so many others.
struct RespacedReading {
  std::size_t length;
  std::span<const std::uint64_t> starts, ends, lengths;
  HeldWindows held;
};

struct ResidueStretch {
  std::uint64_t start, end;   // in bytes
  std::uint64_t first, last;  // in characters
};

struct Certified {
  std::uint64_t characters = 0, missing = 0, residue = 0, respaced = 0;
  std::uint64_t stretches = 0;   // of residue
  std::vector<ResidueStretch> listed;  // the first of them
};

// Characters are code points, or bytes of a raw text.
Certified certify(std::string_view text, bool raw, std::size_t window, const HeldWindows& held,
                  const std::optional<RespacedReading>& reading, std::size_t most_listed);

// Runs of white space become one space: what differs only in spacing is then the same bytes.

// Bytes from start to end, which became one space.
struct Respaced {
  std::uint64_t start, end;
};

struct Spaced {
  std::string text;
  std::vector<Respaced> changes;  // but for single bytes, which are as long as they were
};

// White space of ASCII, U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000.
Spaced fold_spaces(std::string_view text);

// Whether a text is UTF-8 whose characters are in their composed form (NFC) by their blocks alone. Most texts are;
// of the others nothing is said.
bool surely_composed(std::string_view text);

}  // namespace nearkin
