// American Soundex, as the census used it: the first letter and three digits, for words that sound alike in English.
//
// The first letter stays. Of the rest b f p v are 1, c g j k q s x z 2, d t 3, l 4, m n 5, r 6. Letters of the same
// digit side by side count once, also across h and w, which are as if they were not there, but not across a vowel or y.
// The first letter counts for that too: Pfister is P236. Letters with marks are taken without them (é as e), ligatures
// as two; what is no Latin letter is skipped.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace nearkin {

// None: there is no Latin letter in the word.
std::optional<std::array<char, 4>> soundex(std::string_view word);

}  // namespace nearkin
