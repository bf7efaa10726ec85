#include "text/html_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace nearkin {
namespace {

constexpr std::size_t kLongestName = 32;  // of a meta element that anybody asks for
constexpr std::size_t kLongestValue = 4096, kLongestDate = 128;  // bytes
constexpr int kMostValues = 4;                                  // of one property
constexpr std::array<std::string_view, 4> kTold = {"created", "modified", "title", "author"};  // dates first

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

int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1; }

// Whether an address, its escapes undone, reads so.
bool reads(std::string_view address, std::string_view text) {
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

// Of "[Note]" note; of several words nothing.
std::string_view one_word(std::string_view alt) {
  if (alt.size() > 2 && alt.front() == '[' && alt.back() == ']') alt = alt.substr(1, alt.size() - 2);
  return alt.find(' ') == std::string_view::npos ? alt : std::string_view{};
}

// Dots for colons, dashes for underlines.
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
  const bool repeats = reads(file, alt) || reads(address, alt) || (dot != 0 && reads(file.substr(0, dot), one_word(alt)));
  return repeats ? std::string_view{} : alt;
}

namespace {

std::string_view property_named(std::string_view meta_name) {
  const std::string_view asked = trimmed(meta_name);
  if (asked.size() > kLongestName) return {};
  std::array<char, kLongestName> plain{};
  std::transform(asked.begin(), asked.end(), plain.begin(),
                 [](char c) { return c == ':' ? '.' : c == '_' ? '-' : lower(c); });
  const std::string_view sought(plain.data(), asked.size());
  for (const auto& [name, property] : kProperties)
    if (name == sought) return property;
  return {};
}

}  // namespace

std::string_view property_of(const Attributes& meta) {
  for (const std::string_view name : {meta.name, meta.property, meta.http_equiv})
    if (const std::string_view property = property_named(name); !property.empty()) return property;
  return {};
}

void ToldProperties::tell(std::string_view property, std::string_view value, std::string& out) {
  const auto which = static_cast<std::size_t>(std::find(kTold.begin(), kTold.end(), property) - kTold.begin());
  if (which == kTold.size() || count_[which] == kMostValues || trimmed(value).empty()) return;
  if (value.size() > (which < 2 ? kLongestDate : kLongestValue) || value.find('\0') != std::string_view::npos) return;
  ++count_[which];
  out.append(property).push_back('\0');
  out.append(value).push_back('\0');
}

}  // namespace nearkin
