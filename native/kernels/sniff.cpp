#include "sniff.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "utf8.hpp"

namespace nearkin {
namespace {

using namespace std::literals;

constexpr std::size_t kSample = 8192;
constexpr std::size_t kUtf16Sample = 512;

constexpr std::string_view kMagic[] = {
    "%PDF-"sv,
    "PK\x03\x04"sv,  // zip, and so DOCX, XLSX, ODT, EPUB, JAR
    "PK\x05\x06"sv,  // a zip of nothing
    "\x1f\x8b\x08"sv,
    "\x89PNG\r\n\x1a\n"sv,
    "\xff\xd8\xff"sv,  // JPEG
    "GIF87a"sv,
    "GIF89a"sv,
    "\x7f" "ELF"sv,
    "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv,  // OLE2: DOC, XLS, PPT, MSG
    "7z\xbc\xaf\x27\x1c"sv,
    "\xfd" "7zXZ\0"sv,
    "\x28\xb5\x2f\xfd"sv,  // zstd
};

// Tags a page starts with. Not <title>, <a>, <p> in XML: see below.
constexpr std::string_view kFirstTags[] = {
    "html", "head", "body", "title", "meta", "link",   "base",   "script", "style", "table", "div", "p",    "h1",  "h2",
    "h3",   "h4",   "h5",   "h6",    "br",   "center", "iframe", "font",   "span",  "ul",    "ol",  "form", "pre", "a",
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix) {
  const auto same = [](char p, char c) { return p == lower(c); };
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(), same);
}

bool starts_with_tag(std::string_view text, std::string_view name) {
  if (text.empty() || text[0] != '<' || !starts_with_ignoring_case(text.substr(1), name)) return false;
  const std::string_view rest = text.substr(1 + name.size());
  return !rest.empty() && (rest[0] == '>' || rest[0] == '/' || is_space(rest[0]));
}

bool has_magic(std::string_view bytes) {
  if (bytes.size() >= 12 && bytes.starts_with("RIFF")) {  // RIFF alone could begin a sentence
    const std::string_view form = bytes.substr(8, 4);
    if (form == "WAVE" || form == "AVI " || form == "WEBP") return true;
  }
  if (bytes.size() >= 10 && bytes.starts_with("BZh") && bytes.substr(4, 6) == "1AY&SY") return true;
  return std::any_of(std::begin(kMagic), std::end(kMagic), [=](std::string_view m) { return bytes.starts_with(m); });
}

bool has_wide_bom(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv) || bytes.starts_with("\0\0\xfe\xff"sv);
}

bool looks_like_utf16(std::string_view bytes) {
  const std::size_t pairs = std::min(bytes.size(), kUtf16Sample) / 2;
  if (pairs < 2) return false;
  std::size_t nul[2] = {0, 0};
  for (std::size_t i = 0; i < 2 * pairs; ++i) nul[i % 2] += bytes[i] == '\0';
  const auto most = [pairs](std::size_t n) { return 10 * n >= 9 * pairs; };
  const auto few = [pairs](std::size_t n) { return 10 * n <= pairs; };
  return (most(nul[0]) && few(nul[1])) || (most(nul[1]) && few(nul[0]));
}

bool mostly_text(std::string_view sample) {
  const auto control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
  };
  const auto controls = static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), control));
  return 10 * controls <= sample.size();
}

struct Prologue {
  std::string_view rest;  // from the first thing that is neither white space, comment nor processing instruction
  bool xml = false;
};

Prologue skip_prologue(std::string_view text) {
  Prologue found{text};
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (;;) {
    while (!text.empty() && is_space(text[0])) text.remove_prefix(1);
    const bool comment = text.starts_with("<!--");
    if (!comment && !text.starts_with("<?")) break;
    if (starts_with_ignoring_case(text, "<?xml")) found.xml = true;
    const std::string_view closing = comment ? "-->"sv : ">"sv;
    const std::size_t end = text.find(closing, 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + closing.size());
  }
  found.rest = text;
  return found;
}

bool has_tag(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    if (at + 1 < text.size() && (is_letter(text[at + 1]) || text[at + 1] == '!')) return true;
  }
  return false;
}

bool is_html(std::string_view text, bool named_html) {
  const auto [rest, xml] = skip_prologue(text);
  if (starts_with_ignoring_case(rest, "<!doctype")) {
    std::string_view name = rest.substr(9);
    while (!name.empty() && is_space(name[0])) name.remove_prefix(1);
    if (starts_with_ignoring_case(name, "html")) return true;
  }
  if (starts_with_tag(rest, "html")) return true;
  const bool first_tag = std::any_of(std::begin(kFirstTags), std::end(kFirstTags),
                                     [rest = rest](std::string_view tag) { return starts_with_tag(rest, tag); });
  if (xml) return named_html && first_tag;
  return first_tag || (named_html && has_tag(text));
}

}  // namespace

Kind sniff(std::string_view bytes, bool named_html) {
  if (bytes.empty()) return Kind::empty;
  if (has_wide_bom(bytes)) return Kind::other;
  if (has_magic(bytes)) return Kind::binary;
  if (looks_like_utf16(bytes)) return Kind::other;
  const std::string_view sample = bytes.substr(0, kSample);
  if (std::memchr(sample.data(), 0, sample.size()) != nullptr) return Kind::binary;
  if (!valid_utf8(bytes)) return mostly_text(sample) ? Kind::other : Kind::binary;
  return is_html(bytes, named_html) ? Kind::html : Kind::text;
}

}  // namespace nearkin
