// Attributes that say something: of pictures their alt text, of meta elements what a page says of itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace nearkin {

// The attributes of a tag that anybody asks for; the first of a name counts. Without references decoded.
struct Attributes {
  std::string_view alt, src, type, name, property, http_equiv, content;

  void keep(std::string_view key, std::string_view value);
};

// The text of a picture: none where it only repeats the name of the picture's file, as icons have it (alt="[Note]"
// src="images/note.png", alt="Prev" src="prev.png"): beside them stands the word itself. Of controls only pictures have one.
std::string_view alt_text(std::string_view tag, const Attributes& attributes);

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
