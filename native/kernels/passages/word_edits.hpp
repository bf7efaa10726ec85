// Edit distance by words: how many words must be inserted, deleted or replaced to turn one text into the other.
// Cherkasova 2009 §5 judged every pair by "diff"; its footnote 2 defines the distance.
//
// Fronts (Ukkonen 1985, Myers 1986) hold for each number of edits how far each diagonal gets. Time and memory grow with
// the square of the distance, not with the product of the lengths, so similar texts of any length are quick, and unlike
// ones are given up after `most` edits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nearkin {

// A replaced range of bytes in each text; an empty range marks the place of an insertion or deletion.
struct Edit {
  std::uint64_t a_start, a_end, b_start, b_end;
};

struct WordEdits {
  std::uint64_t distance;
  std::vector<Edit> edits;  // neighbours merged, in the order of the texts
};

// Computes the edits between words, which single spaces separate. Returns nothing for more than `most` edits.
std::optional<WordEdits> word_edits(std::string_view a, std::string_view b, std::uint32_t most);

}  // namespace nearkin
