// Attributes that say something: of pictures their alt text, of controls their value, of meta elements what a page says of
// itself.
#pragma once

#include <array>
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

}  // namespace nearkin
