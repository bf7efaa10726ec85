#include "text/html_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "tables/entities.hpp"
#include "text/encoding.hpp"

namespace nearkin {
namespace {

constexpr std::size_t kLongestName = 32;  // the longest name of a meta element that is looked up
constexpr std::size_t kLongestValue = 4096, kLongestDate = 128;  // bytes
constexpr int kMostValues = 4;                                  // of one property
constexpr std::array<std::string_view, 4> kPropertyNames = {"created", "modified", "title", "author"};  // dates first

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(), [](char t, char l) { return lower(t) == l; });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\f";
  const std::size_t from = text.find_first_not_of(kSpaces);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpaces) - from + 1);
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

// Tells whether an address equals the text once its percent escapes are decoded, in any case.
bool spells(std::string_view address, std::string_view text) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < address.size(); ++i, ++at) {
    char c = address[i];
    if (c == '%' && i + 2 < address.size() && digit(address[i + 1]) >= 0 && digit(address[i + 2]) >= 0) {
      c = static_cast<char>(digit(address[i + 1]) * 16 + digit(address[i + 2]));
      i += 2;
    }
    if (at == text.size() || lower(text[at]) != lower(c)) return false;
  }
  return at == text.size();
}

// Returns `Note` for "[Note]", and nothing for several words.
std::string_view one_word(std::string_view alt) {
  if (alt.size() > 2 && alt.front() == '[' && alt.back() == ']') alt = alt.substr(1, alt.size() - 2);
  return alt.find(' ') == std::string_view::npos ? alt : std::string_view{};
}

// Names of meta elements, with dots for colons and dashes for underscores, and the property each states.
constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kProperties = {{
    {"author", "author"},
    {"creator", "author"},
    {"dc.creator", "author"},
    {"dcterms.creator", "author"},
    {"created", "created"},
    {"creation-date", "created"},
    {"date", "created"},
    {"pubdate", "created"},
    {"dc.created", "created"},
    {"dc.date", "created"},
    {"dc.date.created", "created"},
    {"dc.date.issued", "created"},
    {"dcterms.created", "created"},
    {"dcterms.date", "created"},
    {"dcterms.issued", "created"},
    {"article.published-time", "created"},
    {"changed", "modified"},
    {"last-modified", "modified"},
    {"modified", "modified"},
    {"revised", "modified"},
    {"dc.modified", "modified"},
    {"dc.date.modified", "modified"},
    {"dcterms.modified", "modified"},
    {"article.modified-time", "modified"},
    {"og.updated-time", "modified"},
    {"dc.date.lastmodified", "modified"},
    {"date.modified", "modified"},
}};

}  // namespace

void Attributes::keep(std::string_view key, std::string_view value) {
  const auto first = [value](std::string_view& kept) {
    if (kept.data() == nullptr) kept = value;
  };
  if (is(key, "alt")) return first(alt);
  if (is(key, "src")) return first(src);
  if (is(key, "type")) return first(type);
  if (is(key, "name")) return first(name);
  if (is(key, "property")) return first(property);
  if (is(key, "http-equiv")) return first(http_equiv);
  if (is(key, "content")) return first(content);
  if (is(key, "value")) return first(filled_in);
  if (is(key, "placeholder")) return first(placeholder);
  if (is(key, "label")) return first(label);
  if (is(key, "srcdoc")) return first(srcdoc);
  if (is(key, "shadowrootmode")) first(shadow_root);
}

bool is_picture(const Attributes& input) { return is(trimmed(input.type), "image"); }

std::string_view control_text(const Attributes& input) {
  const std::string_view type = trimmed(input.type);
  for (const std::string_view unseen : {"hidden", "checkbox", "radio", "file", "range", "color"})
    if (is(type, unseen)) return {};
  return trimmed(input.filled_in).empty() || is(type, "password") ? input.placeholder : input.filled_in;
}

bool is_shadow_root(const Attributes& attributes) {
  return is(attributes.shadow_root, "open") || is(attributes.shadow_root, "closed");
}

std::string_view alt_text(const Attributes& attributes) {
  const std::string_view alt = trimmed(attributes.alt);
  const std::string_view address = attributes.src.substr(0, attributes.src.find_first_of("?#"));
  const std::size_t slash = address.find_last_of("/\\");
  const std::string_view file = slash == std::string_view::npos ? address : address.substr(slash + 1);
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return alt;
  const bool repeats = spells(file, alt) || spells(address, alt) ||
                       (dot != 0 && spells(file.substr(0, dot), one_word(alt)));
  return repeats ? std::string_view{} : alt;
}

namespace {

std::string_view property_named(std::string_view meta_name) {
  const std::string_view name = trimmed(meta_name);
  if (name.size() > kLongestName) return {};
  std::array<char, kLongestName> plain{};
  std::transform(name.begin(), name.end(), plain.begin(),
                 [](char c) { return c == ':' ? '.' : c == '_' ? '-' : lower(c); });
  const std::string_view plain_name(plain.data(), name.size());
  for (const auto& [meta, property] : kProperties)
    if (meta == plain_name) return property;
  return {};
}

}  // namespace

std::string_view property_of(const Attributes& meta) {
  for (const std::string_view name : {meta.name, meta.property, meta.http_equiv})
    if (const std::string_view property = property_named(name); !property.empty()) return property;
  return {};
}

void PropertyWriter::add(std::string_view property, std::string_view value, std::string& out) {
  const auto* const name = std::find(kPropertyNames.begin(), kPropertyNames.end(), property);
  const auto which = static_cast<std::size_t>(name - kPropertyNames.begin());
  if (which == kPropertyNames.size() || count_[which] == kMostValues || trimmed(value).empty()) return;
  if (value.size() > (which < 2 ? kLongestDate : kLongestValue) || value.find('\0') != std::string_view::npos) return;
  ++count_[which];
  out.append(property).push_back('\0');
  out.append(value).push_back('\0');
}

namespace {

using tables::Entity;

// windows-1252 from 0x80 to 0x9F. The five bytes it leaves undefined stay C1 controls, as in the standard.
constexpr char16_t kWindows1252[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
};

bool vanishes(char32_t value) {
  if (value < 0x20) return value != '\t' && value != '\n' && value != '\f' && value != '\r';
  return value == 0x7F || (value >= 0xFDD0 && value <= 0xFDEF) || (value & 0xFFFE) == 0xFFFE;
}

int digit(char c, unsigned base) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return base == 16 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

Reference numeric(const char* at, const char* end) {
  const char* p = at + 2;
  unsigned base = 10;
  if (p != end && (*p == 'x' || *p == 'X')) base = 16, ++p;
  const char* const first = p;
  std::uint32_t value = 0;
  for (int d; p != end && (d = digit(*p, base)) >= 0; ++p) {
    value = std::min(value * base + static_cast<unsigned>(d), 0x110000u);
  }
  if (p == first) return {};
  if (p != end && *p == ';') ++p;

  Reference reference{};
  reference.consumed = static_cast<std::size_t>(p - at);
  char32_t scalar = value;
  if (value == 0 || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    scalar = 0xFFFD;
  } else if (value >= 0x80 && value <= 0x9F) {
    scalar = kWindows1252[value - 0x80];
  } else if (vanishes(scalar)) {
    return reference;
  }
  reference.length = encode_one(scalar, reference.text);
  return reference;
}

// Looks a name up character by character: narrows the range of names that begin so. A name that equals what was read is
// the first of the range.
Reference named(const char* at, const char* end) {
  const Entity* low = std::begin(tables::kEntities);
  const Entity* high = std::end(tables::kEntities);
  const Entity* best = nullptr;
  std::size_t length = 0;
  for (const char* p = at + 1; p != end; ++p, ++length) {
    const char c = *p;  // names are ASCII, so a signed comparison will do
    const auto before = [=](const Entity& e) { return length >= e.name.size() || e.name[length] < c; };
    const auto equal = [=](const Entity& e) { return e.name[length] == c; };
    low = std::partition_point(low, high, before);
    high = std::partition_point(low, high, equal);
    if (low == high) break;
    if (low->name.size() == length + 1) best = low;
  }
  Reference reference{};
  if (best == nullptr) return reference;
  reference.consumed = 1 + best->name.size();
  reference.length = static_cast<unsigned>(best->text.size());
  std::memcpy(reference.text, best->text.data(), best->text.size());
  return reference;
}

}  // namespace

Reference decode_reference(const char* at, const char* end) {
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  // Nearly all references of real pages are one of these.
  if (rest.starts_with("&lt;")) return {4, 1, {'<'}};
  if (rest.starts_with("&gt;")) return {4, 1, {'>'}};
  if (rest.starts_with("&amp;")) return {5, 1, {'&'}};
  if (rest.starts_with("&quot;")) return {6, 1, {'"'}};
  if (rest.starts_with("&nbsp;")) return {6, 2, {'\xC2', '\xA0'}};
  if (rest.size() < 3) return {};
  return rest[1] == '#' ? numeric(at, end) : named(at, end);
}

}  // namespace nearkin
