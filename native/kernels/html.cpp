#include "html.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "entity.hpp"
#include "html_attributes.hpp"
#include "html_tags.hpp"
#include "text_writer.hpp"

namespace nearkin {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }
bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool ends_name(char c) { return c == '>' || c == '/' || is_space(c); }

// For each byte of a tag: its lower case, or 0 where a tag name ends.
constexpr std::array<unsigned char, 256> kNameByte = [] {
  std::array<unsigned char, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  for (const char c : {' ', '\n', '\t', '\r', '\f', '/', '>'}) table[static_cast<unsigned char>(c)] = 0;
  table[0] = 0x7F;  // a NUL is part of a name, of none we know
  return table;
}();

bool same_letters(const char* text, std::string_view lower) {
  return std::equal(lower.begin(), lower.end(), text, [](char l, char t) {
    return l == (t >= 'A' && t <= 'Z' ? t + 32 : t);
  });
}

// Data, RCDATA, attribute value and raw text states of the standard.
enum class Mode { mark_up, references, attribute, plain };
enum class TagEnd { cut, open, closed };  // closed: by a slash

class Tokeniser {
 public:
  Tokeniser(std::string_view html, char* out, std::string* properties)
      : p_(html.data()), end_(p_ + html.size()), writer_(out), properties_(properties) {}

  std::size_t run() {
    if (starts_with("\xEF\xBB\xBF")) p_ += 3;
    xml_ = starts_with("<?xml");
    while (p_ != end_) {
      if (*p_ == '<') {
        mark_up();
      } else {
        text(end_, Mode::mark_up, keeps_space_ != 0);
      }
    }
    return writer_.size();
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }
  bool starts_with(std::string_view start) const { return std::string_view(p_, left()).starts_with(start); }
  bool shown() const { return templates_ == 0; }
  void gap(Gap gap) {
    if (shown()) writer_.gap(gap);
  }

  const char* find(std::string_view needle, const char* from) const {
    const std::size_t at = std::string_view(from, static_cast<std::size_t>(end_ - from)).find(needle);
    return at == std::string_view::npos ? end_ : from + at;
  }

  // One step over text that ends at `end`: a run of plain bytes, a reference, or white space.
  void text(const char* end, Mode mode, bool keep_space) {
    const char c = *p_;
    if (static_cast<unsigned char>(c) <= ' ') {
      white_space(end, keep_space);
    } else if (c == '&' && mode != Mode::plain) {
      reference(end, mode, keep_space);
    } else if (!shown()) {
      do ++p_;
      while (p_ != end && *p_ != '<' && *p_ != '&' && static_cast<unsigned char>(*p_) > ' ');
    } else {
      p_ = keep_space ? writer_.run<false>(p_, end) : writer_.run<true>(p_, end);
    }
  }

  void white_space(const char* end, bool keep_space) {
    if (!keep_space) {
      while (p_ != end && static_cast<unsigned char>(*p_) <= ' ') {
        if (is_space(*p_++)) gap(Gap::space);
      }
      return;
    }
    const char c = *p_++;
    if (!is_space(c) || !shown()) return;
    if (c == '\r' && p_ != end && *p_ == '\n') return;
    writer_.put(c == '\r' ? "\n" : &c, 1);
  }

  // In attributes the old names need their semicolon where a letter, a figure or '=' follows: ?a=1&copy=2.
  static bool runs_on(const char* after, const char* end) {
    if (after[-1] == ';' || after == end) return false;
    return *after == '=' || is_letter(*after) || (*after >= '0' && *after <= '9');
  }

  void reference(const char* end, Mode mode, bool keep_space) {
    Reference found = decode_reference(p_, end);
    if (mode == Mode::attribute && found.consumed != 0 && p_[1] != '#' && runs_on(p_ + found.consumed, end)) found = {};
    const char* const text = found.consumed == 0 ? "&" : found.text;
    const unsigned length = found.consumed == 0 ? 1 : found.length;
    p_ += std::max<std::size_t>(found.consumed, 1);
    if (length == 1 && is_space(text[0]) && !keep_space) {
      gap(Gap::space);
    } else if (length != 0 && shown()) {
      writer_.put(text, length);
    }
  }

  void mark_up() {
    const char next = left() > 1 ? p_[1] : '\0';
    if (is_letter(next)) {
      start_tag();
    } else if (next == '/') {
      end_tag();
    } else if (next == '!') {
      declaration();
    } else if (next == '?') {
      skip_past(">", p_ + 2);
    } else {
      literal();
    }
  }

  // A '<' that begins nothing is text.
  void literal() {
    if (shown()) writer_.put(p_, 1);
    ++p_;
  }

  void skip_past(std::string_view closing, const char* from) {
    const char* const at = find(closing, from);
    p_ = at == end_ ? end_ : at + closing.size();
  }

  void declaration() {
    if (starts_with("<!--")) return comment();
    constexpr std::string_view kCdata = "<![CDATA[";
    if (!starts_with(kCdata)) return skip_past(">", p_ + 2);  // a doctype or a bogus comment
    p_ += kCdata.size();
    const char* const closing = find("]]>", p_);
    while (p_ < closing) text(closing, Mode::plain, keeps_space_ != 0);
    p_ = closing == end_ ? end_ : closing + 3;
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

  // Skips attributes and the closing '>'; says whether the tag closes itself. Quotes count only after '='. `keep` is told
  // each name and value.
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

  // The first newline in pre, listing and textarea does not count.
  void skip_first_newline() {
    if (starts_with("\r\n")) {
      p_ += 2;
    } else if (starts_with("\n") || starts_with("\r")) {
      p_ += 1;
    }
  }

  void start_tag() {
    ++p_;
    const Name tag_name = name();
    const auto* const entry = find_tag(tag_name.packed, tag_name.text);
    if (entry != nullptr && entry->tag == Tag::picture) return picture(entry->name);
    if (entry != nullptr && entry->tag == Tag::meta) return meta();
    const bool closed = attributes() == TagEnd::closed;
    if (entry == nullptr) return;
    const bool complete = closed && (foreign_ != 0 || xml_);
    switch (entry->tag) {
      case Tag::inline_:
      case Tag::picture:
      case Tag::meta: return;
      case Tag::block: foreign_ = 0; return gap(Gap::line);
      case Tag::cell: return gap(Gap::tab);
      case Tag::space: return gap(Gap::space);
      case Tag::svg: foreign_ += complete || (closed && foreign_ == 0) ? 0 : 1; return gap(Gap::space);
      case Tag::pre:
        gap(Gap::line);
        if (!complete) ++keeps_space_, skip_first_newline();
        return;
      case Tag::template_: templates_ += complete || foreign_ != 0 ? 0 : 1; return;
      case Tag::script: return complete ? void() : script();
      case Tag::hidden:
        if (!complete) p_ = closing_tag(entry->name, p_);
        return;
      case Tag::title: return raw(entry->name, complete, Mode::references, false);
      case Tag::textarea: return raw(entry->name, complete, Mode::references, true);
      case Tag::xmp: return raw(entry->name, complete, Mode::plain, true);
      case Tag::plaintext:
        gap(Gap::line);
        while (p_ != end_ && foreign_ == 0) text(end_, Mode::plain, true);
        return;
    }
  }

  void picture(std::string_view tag_name) {
    Attributes kept;
    const bool whole = attributes_of(kept) != TagEnd::cut;
    gap(Gap::space);
    const std::string_view alt = whole ? alt_text(tag_name, kept) : std::string_view{};
    const char* const after = std::exchange(p_, alt.data());
    while (p_ != alt.data() + alt.size()) text(alt.data() + alt.size(), Mode::attribute, false);
    p_ = after;
    gap(Gap::space);
  }

  void meta() {
    Attributes kept;
    const bool whole = attributes_of(kept) != TagEnd::cut;
    if (whole) tell(property_of(kept), kept.content);
  }

  void tell(std::string_view property, std::string_view value) {
    if (properties_ != nullptr && shown()) told_.tell(property, value, *properties_);
  }

  void end_tag() {
    const char next = left() > 2 ? p_[2] : '\0';
    if (!is_letter(next)) {
      if (left() == 2) return literal();
      return skip_past(">", p_ + 2);  // "</>" or a bogus comment
    }
    p_ += 2;
    const Name tag_name = name();
    attributes();
    const auto* const entry = find_tag(tag_name.packed, tag_name.text);
    if (entry == nullptr) return;
    switch (entry->tag) {
      case Tag::block: return gap(Gap::line);
      case Tag::cell: return gap(Gap::tab);
      case Tag::space:
      case Tag::picture: return gap(Gap::space);
      case Tag::svg: foreign_ -= foreign_ == 0 ? 0 : 1; return gap(Gap::space);
      case Tag::pre: keeps_space_ -= keeps_space_ == 0 ? 0 : 1; return gap(Gap::line);
      case Tag::template_: templates_ -= templates_ == 0 ? 0 : 1; return;
      // What they hold ends with them, gap and all; one that comes alone is nothing. In foreign content they are ordinary.
      case Tag::textarea: return foreign_ != 0 ? gap(Gap::space) : void();
      case Tag::title:
      case Tag::xmp: return foreign_ != 0 ? gap(Gap::line) : void();
      default: return;
    }
  }

  // Where "</name" followed by the end of a name begins, or the end.
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

  // Text up to the closing tag; what looks like a tag in it is text. In foreign content these are ordinary elements.
  void raw(std::string_view tag_name, bool complete, Mode mode, bool keep_space) {
    const Gap around = tag_name == "textarea" ? Gap::space : Gap::line;
    gap(around);
    if (complete || foreign_ != 0) return;
    if (tag_name == "textarea") skip_first_newline();
    const char* const closing = closing_tag(tag_name, p_);
    const std::size_t before = writer_.size();
    while (p_ < closing) text(closing, mode, keep_space);
    if (tag_name == "title" && closing != end_) tell(tag_name, writer_.since(before));
    gap(around);
  }

  // Script data (§13.2.5.4 and after): inside <!-- … -->, a <script> … </script> does not end the element.
  void script() {
    enum { plain, escaped, doubly_escaped } state = plain;
    while (p_ != end_) {
      if (state == plain) p_ = find("<", p_);
      if (p_ == end_) return;
      if (*p_ == '<') {
        if (state == plain && starts_with("<!--")) {
          state = escaped;
          p_ += 2;  // the dashes may also be those of "-->"
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
  TextWriter writer_;
  std::string* const properties_;
  ToldProperties told_;
  bool xml_ = false;
  std::size_t foreign_ = 0;  // svg and math elements open
  std::size_t keeps_space_ = 0;
  std::size_t templates_ = 0;
};

}  // namespace

void visible_text(std::string_view utf8, std::string& out, std::string* properties) {
  // A reference such as &nGt; grows from five bytes to six; nothing grows more.
  out.resize(utf8.size() + utf8.size() / 5 + TextWriter::kSlack);
  out.resize(Tokeniser(utf8, out.data(), properties).run());
}

}  // namespace nearkin
