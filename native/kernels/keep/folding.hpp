// Runs of white space become one space: what differs only in spacing is then the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// Bytes from start to end, which became one space.
struct Respaced {
  std::uint64_t start, end;
};

struct Spaced {
  std::string text;
  std::vector<Respaced> changes;  // but for single bytes, which are as long as they were
};

// White space of ASCII, U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000.
Spaced fold_spaces(std::string_view text);

// Whether a text is UTF-8 whose characters are in their composed form (NFC) by their blocks alone. Most texts are;
// of the others nothing is said.
bool surely_composed(std::string_view text);

}  // namespace nearkin
