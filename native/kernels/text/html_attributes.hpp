// Attributes that say something: of pictures their alt text, of controls their value, of meta elements what a page says of
// itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nearkin {

// The attributes of a tag that anybody asks for; the first of a name counts. Without references decoded.
struct Attributes {
  std::string_view alt, src, type, name, property, http_equiv, content, filled_in, placeholder, label, srcdoc, shadow_root;

  void keep(std::string_view key, std::string_view value);
};

// The text of a picture: none where it only repeats the name of the picture's file, as icons have it (alt="[Note]"
// src="images/note.png", alt="Prev" src="prev.png"): beside them stands the word itself.
std::string_view alt_text(const Attributes& attributes);

// Whether an input is a picture.
bool is_picture(const Attributes& input);

// What stands in an input, or on it if it is a button: not what only programs see (hidden, checkbox), nor a password.
std::string_view control_text(const Attributes& input);

// Whether a template is shown where it stands.
bool is_shadow_root(const Attributes& attributes);

// Author, created or modified, if a meta element tells one of these: by its name, property or http-equiv, the first that
// does. Else nothing.
std::string_view property_of(const Attributes& meta);

// Writes what a page says of itself: no blanks, nothing too long to be a title, a name or a date, and of each property only
// the first few values. Whoever reads them tries one after the other, and a page may have any number.
class ToldProperties {
 public:
  void tell(std::string_view property, std::string_view value, std::string& out);

 private:
  std::array<std::uint8_t, 4> count_{};
};

// Character references of HTML: &amp; &eacute &#8364; &#x20AC;
//
// Named ones match the longest name of the standard's list, with the old names allowed without semicolon; numeric ones
// are remapped from windows-1252 where the standard says so. Python's html.unescape is the oracle, also where it is
// stricter than the standard: references to control characters and noncharacters vanish, to surrogates and beyond
// Unicode become U+FFFD.

struct Reference {
  std::size_t consumed;  // bytes of input, the ampersand included; 0: no reference, the ampersand is text
  unsigned length;       // bytes of text, at most 8, possibly none
  char text[8];
};

// `at` points to an ampersand.
Reference decode_reference(const char* at, const char* end);

}  // namespace nearkin
