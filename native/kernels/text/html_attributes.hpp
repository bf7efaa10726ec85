// Attributes and character references of HTML that carry text: alt texts, values of controls, properties of the page.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nearkin {

// The attributes of a tag that are used. The first of a name counts. References are not decoded.
struct Attributes {
  std::string_view alt, src, type, name, property, http_equiv, content, filled_in, placeholder, label, srcdoc;
  std::string_view shadow_root;

  void keep(std::string_view key, std::string_view value);
};

// Returns the alt text of a picture, or nothing where it only repeats the name of the picture's file, as icons have it
// (alt="[Note]" src="images/note.png", alt="Prev" src="prev.png"): the word itself stands beside them.
std::string_view alt_text(const Attributes& attributes);

// Tells whether an input is a picture.
bool is_picture(const Attributes& input);

// Returns the text that an input shows, none for those that only programs see (hidden, checkbox) and for passwords.
std::string_view control_text(const Attributes& input);

// Tells whether a template is shown where it stands.
bool is_shadow_root(const Attributes& attributes);

// Returns author, created or modified if a meta element states one of these by its name, property or http-equiv, in
// that order; else nothing.
std::string_view property_of(const Attributes& meta);

// Appends the properties of a page: no blank values, none too long for a title, a name or a date, and only the first
// few of each property. Readers try the values one after the other, and a page may have any number.
class PropertyWriter {
 public:
  void add(std::string_view property, std::string_view value, std::string& out);

 private:
  std::array<std::uint8_t, 4> count_{};
};

// Character references of HTML: &amp; &eacute &#8364; &#x20AC;
//
// Named references match the longest name in the standard's list; the old names are allowed without semicolon. Numeric
// ones are remapped from windows-1252 where the standard says so. Python's html.unescape is the oracle, also where it
// is stricter than the standard: references to control characters and noncharacters vanish, those to surrogates and
// beyond Unicode become U+FFFD.

struct Reference {
  std::size_t consumed;  // bytes of input, the ampersand included; 0: no reference, the ampersand is text
  unsigned length;       // bytes of text, at most 8, possibly none
  char text[8];
};

// Decodes the reference at `at`, which points to an ampersand.
Reference decode_reference(const char* at, const char* end);

}  // namespace nearkin
