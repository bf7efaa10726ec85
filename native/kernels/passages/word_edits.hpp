// Edit distance by words: how many must be put in, taken out or replaced to make one text of the other. Cherkasova 2009
// §5 judged every pair by "diff"; its footnote 2 defines the distance.
//
// Front by front (Ukkonen 1985, Myers 1986): for each number of edits how far each diagonal gets. That takes time and
// room by the square of the distance, not by the product of the lengths, so near texts of any length are quick, and
// unlike ones are given up after `most` edits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nearkin {

// What stands in place of what, in bytes; an empty range says where something was put in or taken out.
struct Edit {
  std::uint64_t a_start, a_end, b_start, b_end;
};

struct WordEdits {
  std::uint64_t distance;
  std::vector<Edit> edits;  // neighbours as one, in the order of the texts
};

// Words are what single spaces separate. Nothing: more than `most` edits.
std::optional<WordEdits> word_edits(std::string_view a, std::string_view b, std::uint32_t most);

}  // namespace nearkin
