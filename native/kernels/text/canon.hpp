// Canonical text: the words of a text, separated by single spaces (docs/decisions/003-canonical-text.md).
//
// 1. Every code point c becomes D(c): NFKD(casefold(NFKC(c))), repeated until nothing changes (where case counts,
//    NFKD(c)).
// 2. Invisible characters vanish: category Cf, variation selectors, the fillers of Hangul and Khmer and their like.
// 3. The whole is put in canonical order and composed (NFC, Unicode 16).
// 4. Letters and numbers stay; marks stay when what is before them stayed; everything else separates words.
// Doing it again changes nothing.
//
// Most text needs none of that machinery. ASCII goes 16 bytes at a time; of the rest, only clusters with a character
// that may compose with, or change place with, what is before it are taken apart, sorted and composed (UAX #15 §9:
// what passes the quick check is done). The tables say which (native/tables/unicode_tables.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// What canonical text ignores, a bit mask.
namespace ignore {
inline constexpr unsigned kCase = 1;
inline constexpr unsigned kPunctuation = 2;  // not ignored: punctuation and symbols stay, only white space separates
inline constexpr unsigned kDigits = 4;       // all numbers (N*) separate
inline constexpr unsigned kAccents = 8;      // combining diacritical marks only: vowel signs of other scripts stay
inline constexpr unsigned kDefault = kCase | kPunctuation;
}  // namespace ignore

// Replaces `out`, whose capacity is reused. A byte that is not UTF-8 separates words.
void canonical(std::string_view utf8, unsigned ignored, std::string& out);

// The same, and for every byte of `out` the index, in code points of the input, of the character it came from: for a
// cluster (a starter and its marks) the starter, for a space the first separating character after the word.
void canonical_map(std::string_view utf8, unsigned ignored, std::string& out, std::vector<std::uint64_t>& origin);

// Canonical text that keeps its lines: each line made canonical by itself, those of which nothing is left dropped, the
// rest joined by "\n". For schemes whose unit is the line; a line end is any of Unicode's (§5.8: LF, CR, CRLF, NEL, VT,
// FF, LS, PS).

void canonical_lines(std::string_view utf8, unsigned ignored, std::string& out);

// Also where every byte came from, as canonical_map says; a line end from the one that ends its line.
void canonical_lines_map(std::string_view utf8, unsigned ignored, std::string& out, std::vector<std::uint64_t>& origin);

}  // namespace nearkin
