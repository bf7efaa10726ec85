// Common passages of two texts: runs of text that both hold, wherever they stand, each as long as it can be there
// (docs/decisions/024-passages.md).
//
// Three times something is listed: first the frame, what stands in one order in both as a reader would line it up
// (frame.hpp); then what was moved, from the rest of A to the rest of B, the longest first; then what stands once more
// in one of the texts, from left to right at each place not covered yet the run that reaches farthest. What would add
// fewer than `least` characters is left out as noise; nothing else is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nearkin {

struct Passage {
  std::uint64_t a_start, a_end, b_start, b_end;  // bytes
};

enum class PassageKind : std::uint8_t {
  in_order,  // of the frame
  moved,     // stands elsewhere in the other text, and there instead of here
  repeated,  // stands elsewhere, too
};

struct ListedPassage : Passage {
  PassageKind kind;
};

// What counts as a character, and where a run may end.
enum class Reading {
  bytes,  // as they are
  words,  // canonical text: runs of whole code points, without the spaces at their ends
};

// In the order of A, then of B. Both texts together have fewer than 2^31 - 3 bytes; std::length_error otherwise.
std::vector<ListedPassage> common_passages(std::string_view a, std::string_view b, std::uint64_t least, Reading reading);

// Which of many texts hold a stretch of one text, of a given number of bytes: every window of the one is noted by its
// fingerprint, every window of the others looked up. What is found is likely, and verified by common_passages; what is
// not found is not there.

std::vector<std::uint8_t> holding(std::string_view text, std::span<const std::string_view> others, std::size_t window,
                                  unsigned threads);

}  // namespace nearkin
