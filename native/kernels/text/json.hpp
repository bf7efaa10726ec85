// JSON as it reads: the same text, with the escapes of its strings undone (RFC 8259 §7). Programs that write ASCII only
// turn "Größe" into "Gr\u00f6\u00dfe", and of Russian leave no word; written either way, the words are now the same.
//
// Names, numbers and punctuation stay as they are, and line ends in strings become line ends. Half a surrogate pair is
// U+FFFD, other control characters are spaces. Several values may follow one another, as in JSON lines; the last may be
// cut off.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

// False, and nothing said of `out`, where the text is no JSON or has no escapes: then it stays as it is.
bool unescaped_json(std::string_view utf8, std::string& out);

// What nearly every page says of itself, its title and nothing else, as JSON.

// `told` as of visible_text. Appends what Python's json would write, nothing for a title of spaces; false, and nothing is
// appended, where more is told or it is not ASCII.
bool title_as_json(std::string_view told, std::string& to);

}  // namespace nearkin
