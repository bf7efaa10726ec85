// What each HTML element means for the visible text. Elements not listed are inline: they put nothing between words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nearkin {

enum class Tag : std::uint8_t {
  // Those whose attributes say something.
  picture,    // its alt text, with spaces around it
  control,    // its value, likewise
  labelled,   // its label, a line of its own
  frame,      // a page within an attribute; what it holds itself nobody sees
  template_,  // parsed, but not shown
  meta,       // what the page says of itself

  block,      // a line of its own
  cell,       // a tab
  space,      // a space
  pre,        // a block whose white space counts
  svg,        // foreign content: <script/> is complete
  hidden,     // raw text nobody sees
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

// `name` is the name as written, `packed` its packed_name in lower case. Null for inline elements.
inline const detail::TagEntry* find_tag(std::uint64_t packed, std::string_view name) {
  std::size_t slot = detail::tag_slot(packed);
  for (; !detail::kTags[slot].name.empty(); slot = (slot + 1) % detail::kTagSlots) {
    const detail::TagEntry& entry = detail::kTags[slot];
    if (entry.packed != packed || entry.name.size() != name.size()) continue;
    std::size_t i = 8;
    while (i < name.size() && (name[i] | 0x20) == entry.name[i]) ++i;  // only letters are that long
    if (i >= name.size()) return &entry;
  }
  return nullptr;
}

}  // namespace nearkin
