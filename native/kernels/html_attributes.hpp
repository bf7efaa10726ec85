// Attributes that say something: of pictures their alt text, of meta elements what a page says of itself.
#pragma once

#include <string_view>

namespace nearkin {

// The attributes of a tag that anybody asks for; the first of a name counts. Without references decoded.
struct Attributes {
  std::string_view alt, src, type, name, content;

  void keep(std::string_view key, std::string_view value);
};

// The text of a picture: none where it only repeats the name of the picture's file, as icons have it (alt="[Note]"
// src="images/note.png", alt="Prev" src="prev.png"): beside them stands the word itself. Of controls only pictures have one.
std::string_view alt_text(std::string_view tag, const Attributes& attributes);

// Author, created or modified, if a meta element of that name tells one of these; else nothing.
std::string_view property_of(std::string_view meta_name);

}  // namespace nearkin
