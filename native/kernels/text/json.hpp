// JSON: decodes the escapes of its strings (RFC 8259 §7), and writes the title of a page.
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

// Appends the JSON of a page's properties, as visible_text writes them, if they are a single title in ASCII, as of
// nearly every page: what Python's json would write, and nothing for a blank title. Returns false, and appends nothing,
// otherwise.
bool title_as_json(std::string_view properties, std::string& to);

}  // namespace nearkin
