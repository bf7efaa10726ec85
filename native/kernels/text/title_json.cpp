#include "text/title_json.hpp"

#include <algorithm>

namespace nearkin {
namespace {

constexpr std::string_view kTitle{"title\0", 6};
constexpr std::string_view kSpaces = "\t\n\v\f\r\x1c\x1d\x1e\x1f ";  // that Python strips

void append_quoted(std::string_view text, std::string& to) {
  constexpr char digits[] = "0123456789abcdef";
  to += '"';
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    switch (letter) {
      case '"': to += "\\\""; break;
      case '\\': to += "\\\\"; break;
      case '\b': to += "\\b"; break;
      case '\f': to += "\\f"; break;
      case '\n': to += "\\n"; break;
      case '\r': to += "\\r"; break;
      case '\t': to += "\\t"; break;
      default:
        if (code < 0x20 || code == 0x7f) {
          to.append("\\u00").append(1, digits[code >> 4]).append(1, digits[code & 15]);
        } else {
          to += letter;
        }
    }
  }
  to += '"';
}

}  // namespace

bool title_as_json(std::string_view told, std::string& to) {
  const auto is_ascii = [](char letter) { return static_cast<unsigned char>(letter) < 0x80; };
  if (!told.starts_with(kTitle) || std::count(told.begin(), told.end(), '\0') != 2 || told.back() != '\0' ||
      !std::all_of(told.begin(), told.end(), is_ascii))
    return false;
  std::string_view title = told.substr(kTitle.size(), told.size() - kTitle.size() - 1);
  const std::size_t first = title.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return true;
  title = title.substr(first, title.find_last_not_of(kSpaces) + 1 - first);
  to += "{\"title\": ";
  append_quoted(title, to);
  to += '}';
  return true;
}

}  // namespace nearkin
