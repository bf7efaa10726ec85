// Certificates: which characters of a text lie in the kept text, and which in no other text that stays
// (src/nearkin/group/certificate.py defines contained, respaced and residue).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// One bit for each window of a text: whether the kept text holds it, and whether any text that stays does. For a text
// shorter than a window, `whole` tells whether the kept text holds it whole.
struct HeldWindows {
  std::span<const std::uint8_t> kept, anywhere;
  bool whole;
};

// How a text reads regardless of its spacing: the bytes from each start to its end became `lengths` others.
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
  std::uint64_t stretches = 0;         // of residue
  std::vector<ResidueStretch> listed;  // the first of them
};

// Certifies a text. Characters are code points, or bytes of a raw text.
Certified certify(std::string_view text, bool raw, std::size_t window, const HeldWindows& held,
                  const std::optional<RespacedReading>& reading, std::size_t most_listed);

// Bytes from start to end that became one space.
struct Respaced {
  std::uint64_t start, end;
};

struct Spaced {
  std::string text;
  std::vector<Respaced> changes;  // without single bytes, whose length stays the same
};

// Turns runs of white space into one space, so that texts that differ only in spacing become the same bytes. White
// space is that of ASCII, U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000.
Spaced fold_spaces(std::string_view text);

// Tells whether a text is UTF-8 whose characters are certainly composed (NFC), by their blocks alone. Most texts are;
// for the others the answer is unknown.
bool surely_composed(std::string_view text);

}  // namespace nearkin
