// Character references of HTML: &amp; &eacute &#8364; &#x20AC;
//
// Named ones match the longest name of the standard's list, with the old names allowed without semicolon; numeric ones
// are remapped from windows-1252 where the standard says so. Python's html.unescape is the oracle, also where it is
// stricter than the standard: references to control characters and noncharacters vanish, to surrogates and beyond
// Unicode become U+FFFD.
#pragma once

#include <cstddef>

namespace nearkin {

struct Reference {
  std::size_t consumed;  // bytes of input, the ampersand included; 0: no reference, the ampersand is text
  unsigned length;       // bytes of text, at most 8, possibly none
  char text[8];
};

// `at` points to an ampersand.
Reference decode_reference(const char* at, const char* end);

}  // namespace nearkin
