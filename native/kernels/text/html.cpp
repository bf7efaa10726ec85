#include "text/html.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "text/html_attributes.hpp"
#include "text/html_tokens.hpp"

namespace nearkin {
namespace {

enum class Gap : std::uint8_t { none, space, tab, line };  // the stronger wins

// Writes visible text: collapses white space, and holds separators back until there is a word to separate.
class TextWriter {
 public:
  // Copies 16 bytes at a time: `out` must have that much room beyond what is written.
  static constexpr std::size_t kSlack = 16;

  explicit TextWriter(char* out) : begin_(out), at_(out) {}

  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

  // Returns the text written since the size was `size`, without leading white space.
  std::string_view since(std::size_t size) const {
    const char* from = begin_ + size;
    while (from != at_ && (*from == '\n' || *from == '\t' || *from == ' ')) ++from;
    return {from, static_cast<std::size_t>(at_ - from)};
  }

  void gap(Gap gap) {
    if (gap > gap_) gap_ = gap;
  }

  void put(const char* bytes, std::size_t length) {
    close_gap();
    std::memcpy(at_, bytes, length);
    at_ += length;
  }

  // Copies text up to the next '<', '&', control character or (when collapsing) second space in a row. The first byte
  // is copied whatever it is. A single space at the end is taken back and becomes a gap.
  template <bool collapse>
  const char* run(const char* p, const char* end) {
    close_gap();
    *at_++ = *p++;
#if defined(__SSE2__)
    unsigned space_before = 0;
    while (end - p >= 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at_), bytes);
      const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
      const __m128i mark_up =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('<')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')));
      unsigned stop = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, mark_up)));
      if constexpr (collapse) {
        const unsigned spaces = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '))));
        stop |= spaces & (spaces << 1 | space_before);
        space_before = spaces >> 15;
      }
      if (stop != 0) {
        const int taken = std::countr_zero(stop);
        at_ += taken;
        if (collapse) take_back_space();
        return p + taken;
      }
      p += 16, at_ += 16;
    }
#endif
    for (; p != end; ++p) {
      const auto byte = static_cast<unsigned char>(*p);
      if (byte < 0x20 || byte == '<' || byte == '&') break;
      if (collapse && byte == ' ' && at_[-1] == ' ') break;
      *at_++ = *p;
    }
    if (collapse) take_back_space();
    return p;
  }

 private:
  void take_back_space() {
    if (at_[-1] == ' ') --at_, gap(Gap::space);
  }

  void close_gap() {
    if (gap_ == Gap::none) return;
    static constexpr char kGaps[] = {0, ' ', '\t', '\n'};
    if (at_ != begin_ && at_[-1] != '\n') *at_++ = kGaps[static_cast<int>(gap_)];
    gap_ = Gap::none;
  }

  char* const begin_;
  char* at_;
  Gap gap_ = Gap::none;
};

using namespace html;

constexpr int kDeepest = 4;  // pages nested in attributes, each escaped once more

// The standard's states for data, RCDATA, attribute values and raw text.
enum class Mode { mark_up, references, attribute, plain };

void take_visible(std::string_view utf8, std::string& out, std::string* properties, bool xml, int depth);

class Tokeniser : Scanner {
 public:
  Tokeniser(std::string_view html, char* out, std::string* properties, bool xml, int depth)
      : Scanner(html), writer_(out), properties_(properties), xml_(xml), depth_(depth) {}

  std::size_t run() {
    if (starts_with("\xEF\xBB\xBF")) p_ += 3;
    xml_ = xml_ || starts_with("<?xml");
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
  bool shown() const { return templates_ == 0; }
  void gap(Gap gap) {
    if (shown()) writer_.gap(gap);
  }

  // Takes one step over text that ends at `end`: a run of plain bytes, a reference, or white space.
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

  // In attributes the old names need their semicolon before a letter, a digit or '=': ?a=1&copy=2.
  static bool runs_on(const char* after, const char* end) {
    if (after[-1] == ';' || after == end) return false;
    return *after == '=' || is_letter(*after) || (*after >= '0' && *after <= '9');
  }

  static Reference reference_at(const char* at, const char* end, Mode mode) {
    const Reference reference = decode_reference(at, end);
    const bool is_text = mode == Mode::attribute && reference.consumed != 0 && at[1] != '#' &&
                         runs_on(at + reference.consumed, end);
    return is_text ? Reference{} : reference;
  }

  void reference(const char* end, Mode mode, bool keep_space) {
    const Reference reference = reference_at(p_, end, mode);
    const char* const text = reference.consumed == 0 ? "&" : reference.text;
    const unsigned length = reference.consumed == 0 ? 1 : reference.length;
    p_ += std::max<std::size_t>(reference.consumed, 1);
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

  // Writes a '<' that begins no mark-up.
  void literal() {
    if (shown()) writer_.put(p_, 1);
    ++p_;
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

  void start_tag() {
    ++p_;
    const Name tag_name = name();
    const auto* const entry = find_tag(tag_name.packed, tag_name.text);
    if (entry != nullptr && entry->tag <= kLastWithAttributes) return with_attributes(*entry);
    const bool closed = attributes() == TagEnd::closed;
    if (entry == nullptr) return;
    const bool complete = closed && (foreign_ != 0 || xml_);
    switch (entry->tag) {
      case Tag::block: foreign_ = 0; return gap(Gap::line);
      case Tag::cell: return gap(Gap::tab);
      case Tag::space: return gap(Gap::space);
      case Tag::svg: foreign_ += complete || (closed && foreign_ == 0) ? 0 : 1; return gap(Gap::space);
      case Tag::pre:
        gap(Gap::line);
        if (!complete) ++keeps_space_, skip_first_newline();
        return;
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
      default: return;
    }
  }

  void with_attributes(const detail::TagEntry& entry) {
    Attributes kept;
    const TagEnd end = attributes_of(kept);
    if (end == TagEnd::cut) kept = {};
    const bool complete = end == TagEnd::closed && (foreign_ != 0 || xml_);
    switch (entry.tag) {
      case Tag::picture: return show(alt_text(kept), Gap::space);
      case Tag::control: return show(is_picture(kept) ? alt_text(kept) : control_text(kept), Gap::space);
      case Tag::labelled: foreign_ = 0; return show(kept.label, Gap::line);
      case Tag::meta: return add_property(property_of(kept), kept.content);
      case Tag::frame:
        page_within(kept.srcdoc);
        if (!complete) p_ = closing_tag(entry.name, p_);
        return;
      case Tag::template_:
        // A shadow root is shown, but inside a hidden template it counts as a template: else the wrong one would end.
        if (!complete && foreign_ == 0 && (templates_ != 0 || !is_shadow_root(kept))) ++templates_;
        return;
      default: return;
    }
  }

  // Shows the value of an attribute.
  void show(std::string_view value, Gap around) {
    gap(around);
    const char* const after = std::exchange(p_, value.data());
    const char* const end = value.data() + value.size();
    while (p_ != end) text(end, Mode::attribute, false);
    p_ = after;
    gap(around);
  }

  // Shows a whole page that an attribute holds.
  void page_within(std::string_view value) {
    if (value.empty() || depth_ == kDeepest || !shown()) return;
    std::string page, text;
    const char* const end = value.data() + value.size();
    for (const char* at = value.data(); at != end;) {
      const Reference reference = *at == '&' ? reference_at(at, end, Mode::attribute) : Reference{};
      reference.consumed == 0 ? page.append(at, 1) : page.append(reference.text, reference.length);
      at += std::max<std::size_t>(reference.consumed, 1);
    }
    take_visible(page, text, nullptr, false, depth_ + 1);
    if (text.empty()) return;
    gap(Gap::line);
    writer_.put(text.data(), text.size());
    gap(Gap::line);
  }

  void add_property(std::string_view property, std::string_view value) {
    if (properties_ != nullptr && shown()) property_writer_.add(property, value, *properties_);
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
      case Tag::control:
      case Tag::picture: return gap(Gap::space);
      case Tag::labelled: return gap(Gap::line);
      case Tag::svg: foreign_ -= foreign_ == 0 ? 0 : 1; return gap(Gap::space);
      case Tag::pre: keeps_space_ -= keeps_space_ == 0 ? 0 : 1; return gap(Gap::line);
      case Tag::template_: templates_ -= templates_ == 0 ? 0 : 1; return;
      // Their end tags were consumed with their text; a stray one is ignored. In foreign content they are ordinary.
      case Tag::textarea: return foreign_ != 0 ? gap(Gap::space) : void();
      case Tag::title:
      case Tag::xmp: return foreign_ != 0 ? gap(Gap::line) : void();
      default: return;
    }
  }

  // Shows text up to the closing tag, tags in it as text. In foreign content these elements are ordinary.
  void raw(std::string_view tag_name, bool complete, Mode mode, bool keep_space) {
    const Gap around = tag_name == "textarea" ? Gap::space : Gap::line;
    gap(around);
    if (complete || foreign_ != 0) return;
    if (tag_name == "textarea") skip_first_newline();
    const char* const closing = closing_tag(tag_name, p_);
    const std::size_t before = writer_.size();
    while (p_ < closing) text(closing, mode, keep_space);
    if (tag_name == "title" && closing != end_) add_property(tag_name, writer_.since(before));
    gap(around);
  }

  TextWriter writer_;
  std::string* const properties_;
  PropertyWriter property_writer_;
  bool xml_;
  const int depth_;
  std::size_t foreign_ = 0;  // open svg and math elements
  std::size_t keeps_space_ = 0;
  std::size_t templates_ = 0;
};

void take_visible(std::string_view utf8, std::string& out, std::string* properties, bool xml, int depth) {
  // A reference such as &nGt; grows from five bytes to six. None grows more.
  out.resize(utf8.size() + utf8.size() / 5 + TextWriter::kSlack);
  out.resize(Tokeniser(utf8, out.data(), properties, xml, depth).run());
}

}  // namespace

void visible_text(std::string_view utf8, std::string& out, std::string* properties, bool xml) {
  take_visible(utf8, out, properties, xml, 0);
}

}  // namespace nearkin
