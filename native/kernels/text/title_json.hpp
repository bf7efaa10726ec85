// What nearly every page says of itself, its title and nothing else, as JSON.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

// `told` as of visible_text. Appends what Python's json would write, nothing for a title of spaces; false, and nothing is
// appended, where more is told or it is not ASCII.
bool title_as_json(std::string_view told, std::string& to);

}  // namespace nearkin
