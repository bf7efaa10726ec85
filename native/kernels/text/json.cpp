#include "text/json.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "text/encoding.hpp"

namespace nearkin {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

// Recognises numbers (loosely), the three words of JSON, and the ones Python writes beside them.
bool is_known(std::string_view scalar) {
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity", "-Infinity"})
    if (scalar == word) return true;
  return scalar.find_first_of("0123456789") <= 1 &&
         scalar.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

class Reader {
 public:
  Reader(std::string_view text, std::string& out) : p_(text.data()), end_(p_ + text.size()), out_(out) {}

  bool run() {
    Next next = Next::value;
    for (;;) {
      const char* const from = p_;
      while (p_ != end_ && is_space(*p_)) ++p_;
      out_.append(from, p_);
      if (p_ == end_) return true;
      if (step(next)) continue;
      out_.append(p_, end_);
      return cut_;
    }
  }

 private:
  enum class Next { value, value_or_end, name, name_or_end, colon, comma_or_end };

  bool step(Next& next) {
    const char c = *p_;
    switch (next) {
      case Next::colon:
        if (c != ':') return false;
        next = Next::value;
        return take();
      case Next::comma_or_end:
        if (c == ',') {
          next = open_.back() == '{' ? Next::name : Next::value;
          return take();
        }
        return close(c, next);
      case Next::name_or_end:
        if (c == '}') return close(c, next);
        [[fallthrough]];
      case Next::name:
        next = Next::colon;
        return c == '"' && string();
      case Next::value_or_end:
        if (c == ']') return close(c, next);
        [[fallthrough]];
      case Next::value: return value(c, next);
    }
    return false;
  }

  bool value(char c, Next& next) {
    if (c == '{' || c == '[') {
      open_.push_back(c);
      next = c == '{' ? Next::name_or_end : Next::value_or_end;
      return take();
    }
    next = after_value();
    if (c == '"') return string();
    const char* const from = p_;
    while (p_ != end_ && is_scalar(*p_)) ++p_;
    out_.append(from, p_);
    cut_ = p_ == end_ && !open_.empty();
    return is_known({from, static_cast<std::size_t>(p_ - from)});
  }

  Next after_value() const { return open_.empty() ? Next::value : Next::comma_or_end; }

  bool close(char c, Next& next) {
    if (open_.empty() || c != (open_.back() == '{' ? '}' : ']')) return false;
    open_.pop_back();
    next = after_value();
    return take();
  }

  bool take() {
    out_.push_back(*p_++);
    return true;
  }

  bool string() {
    take();
    for (;;) {
      const char* const from = p_;
      while (p_ != end_ && *p_ != '"' && *p_ != '\\') ++p_;
      out_.append(from, p_);
      if (p_ == end_) return cut_ = true, false;
      if (*p_ == '"') return take();
      if (!escape()) return false;
    }
  }

  bool escape() {
    if (end_ - p_ < 2) return cut_ = true, false;
    constexpr std::string_view kLetters = "\"\\/nrtfb", kMeant = "\"\\/\n\r\t\f ";
    if (const std::size_t at = kLetters.find(p_[1]); at != std::string_view::npos) {
      out_.push_back(kMeant[at]);
      p_ += 2;
      return true;
    }
    if (p_[1] != 'u') return false;
    if (end_ - p_ < 6) return cut_ = true, false;
    const int first = unit(p_);
    if (first < 0) return false;
    p_ += 6;
    char32_t scalar = static_cast<char32_t>(first);
    if (first >= 0xD800 && first < 0xE000) {
      const int second = first < 0xDC00 && end_ - p_ >= 6 && p_[0] == '\\' && p_[1] == 'u' ? unit(p_) : -1;
      const bool pair = second >= 0xDC00 && second < 0xE000;
      scalar = pair ? 0x10000 + (static_cast<char32_t>(first - 0xD800) << 10) + static_cast<char32_t>(second - 0xDC00)
                    : 0xFFFD;
      if (pair) p_ += 6;
    } else if (scalar < 0x20 && !is_space(static_cast<char>(scalar))) {
      scalar = ' ';
    }
    char encoded[8];
    out_.append(encoded, encode_one(scalar, encoded));
    return true;
  }

  // Reads four digits after \u; returns -1 if they are none.
  static int unit(const char* at) {
    int value = 0;
    for (int i = 2; i < 6; ++i) {
      const char c = at[i], lower = static_cast<char>(c | 0x20);
      const int digit = c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  }

  const char* p_;
  const char* const end_;
  std::string& out_;
  std::string open_;  // the braces and brackets that are open
  bool cut_ = false;  // the last failure came from the end of the text
};

}  // namespace

bool unescaped_json(std::string_view utf8, std::string& out) {
  const auto first = std::find_if_not(utf8.begin(), utf8.end(), is_space);
  if (first == utf8.end() || (*first != '{' && *first != '[')) return false;
  if (std::memchr(utf8.data(), '\\', utf8.size()) == nullptr) return false;
  out.clear();
  return Reader(utf8, out).run();
}

namespace {

// The white space that Python's str.strip and the \s of its patterns mean.
bool is_python_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Returns valid UTF-8 without white space at both ends. `fold` also makes one space of each white space within.
std::string stripped(std::string_view utf8, bool fold) {
  std::string result, spaces;
  const char* const end = utf8.data() + utf8.size();
  for (const char* at = utf8.data(); at != end;) {
    const CodePoint point = decode_one(at, end);
    if (is_python_space(point.value)) {
      if (!result.empty()) spaces.append(at, point.length);
    } else {
      if (!spaces.empty()) result += fold ? std::string_view(" ") : std::string_view(spaces);
      spaces.clear();
      result.append(at, point.length);
    }
    at += point.length;
  }
  return result;
}

void append_unit(std::uint32_t unit, std::string& to) {
  constexpr char digits[] = "0123456789abcdef";
  to += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) to += digits[unit >> shift & 15];
}

// Appends a string of JSON in ASCII, as Python writes it: everything else is \u and four digits.
void append_quoted(std::string_view utf8, std::string& to) {
  to += '"';
  const char* const end = utf8.data() + utf8.size();
  for (const char* at = utf8.data(); at != end;) {
    const auto [value, length] = decode_one(at, end);
    at += length;
    switch (value) {
      case '"': to += "\\\""; break;
      case '\\': to += "\\\\"; break;
      case '\b': to += "\\b"; break;
      case '\f': to += "\\f"; break;
      case '\n': to += "\\n"; break;
      case '\r': to += "\\r"; break;
      case '\t': to += "\\t"; break;
      default:
        if (value >= 0x20 && value < 0x7F) {
          to += static_cast<char>(value);
        } else if (value < 0x10000) {
          append_unit(value, to);
        } else {
          append_unit(0xD800 + ((value - 0x10000) >> 10), to);
          append_unit(0xDC00 + ((value - 0x10000) & 0x3FF), to);
        }
    }
  }
  to += '"';
}

// Calls take(key, value) for each property: key, NUL, value, NUL …
template <class Take>
void each_property(std::string_view properties, Take&& take) {
  for (std::size_t nul; (nul = properties.find('\0')) != std::string_view::npos;) {
    const std::string_view key = properties.substr(0, nul);
    properties.remove_prefix(nul + 1);
    const std::string_view value = properties.substr(0, properties.find('\0'));
    properties.remove_prefix(std::min(value.size() + 1, properties.size()));
    take(key, value);
  }
}

}  // namespace

bool needs_python(std::string_view properties) {
  bool needs = !valid_utf8(properties);
  each_property(properties, [&](std::string_view key, std::string_view value) {
    needs |= key == "created" || key == "modified" || (key != "title" && value.find('&') != std::string_view::npos);
  });
  return needs;
}

void append_property_json(std::string_view properties, std::string& to) {
  std::vector<std::pair<std::string_view, std::string>> values;
  each_property(properties, [&](std::string_view key, std::string_view value) {
    if (std::any_of(values.begin(), values.end(), [&](const auto& pair) { return pair.first == key; })) return;
    if (std::string plain = stripped(value, key != "title"); !plain.empty()) values.emplace_back(key, std::move(plain));
  });
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    to += i == 0 ? "{" : ", ";
    append_quoted(values[i].first, to);
    to += ": ";
    append_quoted(values[i].second, to);
  }
  if (!values.empty()) to += '}';
}

}  // namespace nearkin
