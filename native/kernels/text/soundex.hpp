// American Soundex, as the census used it: the first letter and three digits, for words that sound alike in English.
//
// The first letter stays. Of the rest b f p v are 1, c g j k q s x z 2, d t 3, l 4, m n 5, r 6. Neighbouring letters of
// the same digit count once, also across h and w, which are skipped, but not across a vowel or y. That holds for the
// first letter too: Pfister is P236. Accents are ignored (é counts as e), ligatures are two letters, and characters
// that are no Latin letters are skipped.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace nearkin {

// Returns nothing for a word without a Latin letter.
std::optional<std::array<char, 4>> soundex(std::string_view word);

}  // namespace nearkin
