// The terms of a text: what the vector space model counts (Stein 2005 §3 step 1).
//
// Terms are the words of the canonical text with accents ignored too, so that `É`, `é` and `e` are one letter however
// the text was made canonical. Words of one letter or digit are none (the reference of Stein's classes is without them
// too), nor are the stop words of the language the text has most stop words of (a stop-word test of the language, as
// in Stein 2005 §4.1), where it has four different ones; else those of English.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

class Terms {
 public:
  explicit Terms(std::string_view text);

  // In the order of the text; they live as long as this.
  const std::vector<std::string_view>& all() const { return terms_; }

 private:
  std::string canonical_;
  std::vector<std::string_view> terms_;
};

// The Latin letter a term begins with, 0 for a to 25 for z, or -1. Letters that do not decompose count as the letter
// they are filed under: ø as o, ł as l, æ as a, œ as o, þ as t.
int first_letter(std::string_view term);

using LetterCounts = std::array<std::uint64_t, 26>;

// How many terms begin with each letter, every occurrence counted.
LetterCounts letter_counts(std::string_view text);

}  // namespace nearkin
