// Common passages of two texts: runs of text that both hold, wherever they stand, each as long as it can be there
// (docs/decisions/024-passages.md).
//
// They are listed in three steps: first the frame, the passages that stand in one order in both texts as a reader would
// line them up (frame.hpp); then passages that were moved from the rest of A to the rest of B, the longest first; then
// passages that one of the texts repeats, from left to right, at each place not yet covered the run that reaches
// farthest. Passages that would add fewer than `least` characters are left out as noise; nothing else is.
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
  repeated,  // also stands elsewhere
};

struct ListedPassage : Passage {
  PassageKind kind;
};

// What counts as a character, and where a run may end.
enum class Reading {
  bytes,  // as they are
  words,  // canonical text: runs of whole code points, without the spaces at their ends
};

// Lists passages in the order of A, then of B. Both texts together must have fewer than 2^31 - 3 bytes; otherwise
// throws std::length_error.
std::vector<ListedPassage> common_passages(std::string_view a, std::string_view b, std::uint64_t least,
                                           Reading reading);

// Tells which texts share a window of `window` bytes with a text: its windows are noted by their fingerprints, and all
// windows of the others are looked up. A hit is likely, to be verified by common_passages; a miss is certain.
std::vector<std::uint8_t> share_windows(std::string_view text, std::span<const std::string_view> others,
                                        std::size_t window, unsigned threads);

}  // namespace nearkin
