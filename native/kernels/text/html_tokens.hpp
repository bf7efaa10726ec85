// The mark-up of HTML: tags, their names and attributes, comments, scripts (WHATWG §13.2.5), and which role each
// element plays for the visible text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/html_attributes.hpp"

namespace nearkin::html {

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }
inline bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
inline bool ends_name(char c) { return c == '>' || c == '/' || is_space(c); }

// For each byte of a tag name its lower case; 0 for bytes that end a name.
inline constexpr std::array<unsigned char, 256> kNameByte = [] {
  std::array<unsigned char, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  for (const char c : {' ', '\n', '\t', '\r', '\f', '/', '>'}) table[static_cast<unsigned char>(c)] = 0;
  table[0] = 0x7F;  // a NUL belongs to a name, though to none that is known
  return table;
}();

inline bool same_letters(const char* text, std::string_view lower) {
  return std::equal(lower.begin(), lower.end(), text, [](char l, char t) {
    return l == (t >= 'A' && t <= 'Z' ? t + 32 : t);
  });
}

enum class TagEnd { cut, open, closed };  // closed: the tag ends with a slash

class Scanner {
 public:
  explicit Scanner(std::string_view html) : p_(html.data()), end_(p_ + html.size()) {}

 protected:
  std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }
  bool starts_with(std::string_view start) const { return std::string_view(p_, left()).starts_with(start); }

  const char* find(std::string_view needle, const char* from) const {
    const std::size_t at = std::string_view(from, static_cast<std::size_t>(end_ - from)).find(needle);
    return at == std::string_view::npos ? end_ : from + at;
  }

  void skip_past(std::string_view closing, const char* from) {
    const char* const at = find(closing, from);
    p_ = at == end_ ? end_ : at + closing.size();
  }

  void comment() {
    p_ += 4;
    if (starts_with(">")) return void(p_ += 1);
    if (starts_with("->")) return void(p_ += 2);
    for (p_ = find("--", p_); p_ != end_; p_ = find("--", p_ + 1)) {
      const char* const after = p_ + 2;
      if (after != end_ && *after == '>') return void(p_ = after + 1);
      if (end_ - after >= 2 && after[0] == '!' && after[1] == '>') return void(p_ = after + 2);
    }
  }

  struct Name {
    std::uint64_t packed;
    std::string_view text;
  };

  // Reads a tag name that starts at `p_`.
  Name name() {
    const char* const start = p_;
    std::uint64_t packed = 0;
    unsigned shift = 0;
    for (; p_ != end_; ++p_) {
      const std::uint64_t byte = kNameByte[static_cast<unsigned char>(*p_)];
      if (byte == 0) break;
      if (shift < 64) packed |= byte << shift;
      shift += shift < 64 ? 8 : 0;
    }
    return {packed, {start, static_cast<std::size_t>(p_ - start)}};
  }

  // Skips attributes and the closing '>', and tells how the tag ends. Quotes count only after '='. `keep` is called
  // with each name and value.
  template <class Keep>
  TagEnd attributes(const Keep& keep) {
    bool slash = false;
    while (p_ != end_) {
      const char c = *p_;
      if (c == '>') {
        ++p_;
        return slash ? TagEnd::closed : TagEnd::open;
      }
      slash = c == '/';
      const char* const key = p_;
      ++p_;
      if (slash || is_space(c)) continue;
      while (p_ != end_ && *p_ != '=' && !ends_name(*p_)) ++p_;
      const char* const key_end = p_;
      skip_spaces();
      if (p_ == end_ || *p_ != '=') {
        keep(std::string_view(key, key_end), std::string_view(key_end, key_end));
        continue;
      }
      ++p_;
      skip_spaces();
      if (p_ == end_ || *p_ == '>') continue;
      if (*p_ == '"' || *p_ == '\'') {
        const char* const value = p_ + 1;
        skip_past({p_, 1}, value);
        if (p_ > value) keep(std::string_view(key, key_end), std::string_view(value, p_ - 1));
      } else {
        const char* const value = p_;
        while (p_ != end_ && *p_ != '>' && !is_space(*p_)) ++p_;
        keep(std::string_view(key, key_end), std::string_view(value, p_));
      }
    }
    return TagEnd::cut;
  }

  TagEnd attributes() {
    return attributes([](std::string_view, std::string_view) {});
  }

  TagEnd attributes_of(Attributes& kept) {
    return attributes([&kept](std::string_view key, std::string_view value) { kept.keep(key, value); });
  }

  void skip_spaces() {
    while (p_ != end_ && is_space(*p_)) ++p_;
  }

  // Skips the first newline in pre, listing and textarea, which does not count.
  void skip_first_newline() {
    if (starts_with("\r\n")) {
      p_ += 2;
    } else if (starts_with("\n") || starts_with("\r")) {
      p_ += 1;
    }
  }

  // Returns where "</name" followed by the end of a name begins, or the end.
  const char* closing_tag(std::string_view tag_name, const char* from) const {
    for (const char* at = find("</", from); at != end_; at = find("</", at + 2)) {
      if (closes(at, tag_name)) return at;
    }
    return end_;
  }

  bool closes(const char* at, std::string_view tag_name) const {
    const std::size_t length = 2 + tag_name.size();
    return static_cast<std::size_t>(end_ - at) > length && at[1] == '/' && same_letters(at + 2, tag_name) &&
           ends_name(at[length]);
  }

  // Skips script data (§13.2.5.4 and after): inside <!-- … -->, a <script> … </script> does not end the element.
  void script() {
    enum { plain, escaped, doubly_escaped } state = plain;
    while (p_ != end_) {
      if (state == plain) p_ = find("<", p_);
      if (p_ == end_) return;
      if (*p_ == '<') {
        if (state == plain && starts_with("<!--")) {
          state = escaped;
          p_ += 2;  // the dashes may also belong to "-->"
          continue;
        }
        if (closes(p_, "script")) {
          if (state != doubly_escaped) return;
          state = escaped;
        } else if (state == escaped && left() > 7 && same_letters(p_ + 1, "script") && ends_name(p_[7])) {
          state = doubly_escaped;
        }
      } else if (*p_ == '-' && starts_with("-->")) {
        state = plain;
      }
      ++p_;
    }
  }

  const char* p_;
  const char* const end_;
};

}  // namespace nearkin::html
namespace nearkin {

// The role of an HTML element. Elements without one are inline: they put nothing between words.
enum class Tag : std::uint8_t {
  // Elements whose attributes carry text.
  picture,    // its alt text, with spaces around it
  control,    // its value, with spaces around it
  labelled,   // its label, on a line of its own
  frame,      // a page within an attribute; its own content is hidden
  template_,  // parsed, but hidden
  meta,       // a property of the page

  block,      // a line of its own
  cell,       // a tab
  space,      // a space
  pre,        // a block whose white space counts
  svg,        // foreign content: <script/> is complete
  hidden,     // raw text that is hidden
  script,     // the same, with its own rules for comments
  title,      // text with references, without tags
  textarea,   // the same, and white space counts
  xmp,        // text without references or tags
  plaintext,  // the same, to the end of the document
};
inline constexpr Tag kLastWithAttributes = Tag::meta;

// The first eight letters of a name, lower case, first letter in the lowest byte.
constexpr std::uint64_t packed_name(std::string_view name) {
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < name.size() && i < 8; ++i) {
    packed |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[i])) << (8 * i);
  }
  return packed;
}

namespace detail {

struct TagEntry {
  std::string_view name;
  std::uint64_t packed = 0;
  Tag tag = Tag::block;
};

inline constexpr std::size_t kTagSlots = 512;

constexpr std::size_t tag_slot(std::uint64_t packed) {
  return static_cast<std::size_t>((packed * 0x9E3779B97F4A7C15u) >> 55);
}

constexpr std::array<TagEntry, kTagSlots> make_tag_slots() {
  std::array<TagEntry, kTagSlots> slots{};
  const auto add = [&slots](Tag tag, auto... names) {
    for (const std::string_view name : {std::string_view(names)...}) {
      std::size_t slot = tag_slot(packed_name(name));
      while (!slots[slot].name.empty()) slot = (slot + 1) % kTagSlots;
      slots[slot] = {name, packed_name(name), tag};
    }
  };
  add(Tag::block, "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "col", "colgroup",
      "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
      "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "legend", "li",
      "main", "menu", "nav", "noframes", "ol", "p", "search", "section", "summary", "table", "tbody", "tfoot", "thead",
      "tr", "ul");
  add(Tag::cell, "td", "th");
  add(Tag::space, "audio", "button", "canvas", "datalist", "embed", "meter", "object", "option", "progress",
      "select", "video");
  add(Tag::picture, "area", "image", "img");
  add(Tag::control, "input");
  add(Tag::labelled, "optgroup");
  add(Tag::frame, "iframe");
  add(Tag::meta, "meta");
  add(Tag::pre, "pre", "listing");
  add(Tag::svg, "svg", "math");
  add(Tag::hidden, "style", "noembed");
  add(Tag::script, "script");
  add(Tag::template_, "template");
  add(Tag::title, "title");
  add(Tag::textarea, "textarea");
  add(Tag::xmp, "xmp");
  add(Tag::plaintext, "plaintext");
  return slots;
}

inline constexpr std::array<TagEntry, kTagSlots> kTags = make_tag_slots();

}  // namespace detail

// Returns the role of an element, or null for inline ones. `packed` is the packed_name of the name in lower case.
inline const detail::TagEntry* find_tag(std::uint64_t packed, std::string_view name) {
  std::size_t slot = detail::tag_slot(packed);
  for (; !detail::kTags[slot].name.empty(); slot = (slot + 1) % detail::kTagSlots) {
    const detail::TagEntry& entry = detail::kTags[slot];
    if (entry.packed != packed || entry.name.size() != name.size()) continue;
    std::size_t i = 8;
    while (i < name.size() && (name[i] | 0x20) == entry.name[i]) ++i;  // only letters are left in names that long
    if (i >= name.size()) return &entry;
  }
  return nullptr;
}

}  // namespace nearkin
