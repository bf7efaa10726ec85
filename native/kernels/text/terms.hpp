// The index terms of a text, which the vector space model counts (Stein 2005 §3 step 1).
//
// Terms are the words of the canonical text with accents ignored too, so that `É`, `é` and `e` are one letter however
// the text was made canonical. Words of one letter or digit are no terms, as in the reference of Stein's classes. Nor
// are the stop words of the language of which the text has most stop words (the stop-word test of Stein 2005 §4.1),
// provided that it has four different ones; otherwise those of English.
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

  // Terms in the order of the text. They live as long as this object.
  const std::vector<std::string_view>& all() const { return terms_; }

 private:
  std::string canonical_;
  std::vector<std::string_view> terms_;
};

// Returns the Latin letter a term begins with, 0 for a to 25 for z, or -1. Letters that do not decompose count as the
// letter they are filed under: ø as o, ł as l, æ as a, œ as o, þ as t.
int first_letter(std::string_view term);

using LetterCounts = std::array<std::uint64_t, 26>;

// Counts the terms that begin with each letter, every occurrence.
LetterCounts letter_counts(std::string_view text);

}  // namespace nearkin
