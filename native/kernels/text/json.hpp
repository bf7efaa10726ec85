// JSON: decodes the escapes of its strings (RFC 8259 §7), and writes the properties of a page.
//
// Programs that write ASCII only turn "Größe" into "Gr\u00f6\u00dfe", and leave no word of Russian. With the escapes
// decoded, the words are the same either way. Names, numbers and punctuation stay as they are; line ends in strings
// become line ends. Half a surrogate pair becomes U+FFFD, other control characters become spaces. Several values may
// follow one another, as in JSON lines, and the last may be cut off.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

// Returns false, with `out` unspecified, if the text is no JSON or has no escapes: then it stays as it is.
bool unescaped_json(std::string_view utf8, std::string& out);

// Tests whether Python has to read a page's properties, as visible_text writes them: dates, values with character
// references, and what is not UTF-8.
bool needs_python(std::string_view properties);

// Appends the JSON of any other page's properties, letter for letter as Python's json writes it: keys sorted, in ASCII,
// of each key the first value that is not blank. Appends nothing if there is none.
void append_property_json(std::string_view properties, std::string& to);

}  // namespace nearkin
