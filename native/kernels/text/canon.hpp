// Canonical text: the words of a text, separated by single spaces (docs/decisions/003-canonical-text.md).
//
// 1. Every code point c becomes D(c): NFKD(casefold(NFKC(c))), repeated until nothing changes (where case counts,
//    NFKD(c)).
// 2. Invisible characters vanish: category Cf, variation selectors, the fillers of Hangul and Khmer and their like.
// 3. The whole is put in canonical order and composed (NFC, Unicode 16).
// 4. Letters and numbers stay; marks stay when what is before them stayed; everything else separates words.
// Canonical text is its own canonical text.
//
// Most text needs none of that machinery. ASCII is handled 16 bytes at a time. Of the rest, only clusters with a
// character that may compose with, or change places with, the one before it are decomposed, sorted and composed (UAX
// #15 §9: text that passes the quick check is normal already). The tables know these characters
// (native/tables/unicode_tables.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// A bit mask of the differences that canonical text ignores.
namespace ignore {
inline constexpr unsigned kCase = 1;
inline constexpr unsigned kPunctuation = 2;  // where it counts, only white space separates words
inline constexpr unsigned kDigits = 4;       // all numbers (N*) separate words
inline constexpr unsigned kAccents = 8;      // combining diacritical marks only: vowel signs of other scripts stay
inline constexpr unsigned kDefault = kCase | kPunctuation;
}  // namespace ignore

// Writes the canonical text to `out`, whose capacity is reused. A byte that is not UTF-8 separates words.
void canonical(std::string_view utf8, unsigned ignored, std::string& out);

// Also maps every byte of `out` to the index, in code points of the input, of its character: for a cluster (a starter
// and its marks) that of the starter, for a space that of the first separating character after the word.
void canonical_map(std::string_view utf8, unsigned ignored, std::string& out, std::vector<std::uint64_t>& origin);

// Makes each line canonical by itself, drops lines that become empty, and joins the rest by "\n", for schemes whose
// unit is the line. A line end is any of Unicode's (§5.8: LF, CR, CRLF, NEL, VT, FF, LS, PS).
void canonical_lines(std::string_view utf8, unsigned ignored, std::string& out);

// Also maps every byte to its character, as canonical_map does; a line end to the one that ends its line.
void canonical_lines_map(std::string_view utf8, unsigned ignored, std::string& out, std::vector<std::uint64_t>& origin);

}  // namespace nearkin
