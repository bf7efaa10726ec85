// What of a text lies in the kept one, and what in no other that stays: from the windows that were found to the
// characters (src/nearkin/group/certificate.py says what is contained, respaced and residue).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

}  // namespace nearkin
