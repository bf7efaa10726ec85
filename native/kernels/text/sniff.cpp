#include "text/sniff.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "text/encoding.hpp"

namespace nearkin {
namespace {

using namespace std::literals;

constexpr std::size_t kSample = 8192;
constexpr std::size_t kNoise = 50;  // bytes for each control character, at least
constexpr std::size_t kWord = 200;  // bytes for each space, at most

constexpr std::string_view kPageEndings[] = {".html"sv, ".htm"sv, ".xhtml"sv, ".shtml"sv};

constexpr std::string_view kMagic[] = {
    "%PDF-"sv,
    "PK\x03\x04"sv,  // zip, and so DOCX, XLSX, ODT, EPUB, JAR
    "PK\x05\x06"sv,  // an empty zip
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
    // The content of these, unpacked, may be mostly text.
    "PK\x07\x08"sv,
    "PK00PK"sv,
    "Rar!\x1a\x07"sv,
    "\x78\x9f\x3e\x22"sv,  // TNEF
    "MSCF\0\0\0\0"sv,
    "!BDN"sv,
    "\x1f\x9d\x90"sv,  // compress
};

// Tags that a page may start with. In XML only a name such as .html makes them tags of a page.
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

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b';
}

// Tells whether the bytes may be text: at most one in fifty is a control character. In UTF-8 a run of NULs counts once:
// a log that is padded, or was cut short by a crash, has thousands. In other encodings that rule would pass too much:
// icons are full of NULs. Where there are any, the text must also have spaces or line ends, as samples of sound and
// pixels hardly do.
bool mostly_text(std::string_view bytes, bool utf8) {
  std::size_t nuls = 0, noise = 0, spaces = 0;
  char before = ' ';
  for (const char c : bytes) {
    nuls += c == '\0';
    spaces += c == ' ' || c == '\n';
    noise += is_control(c) && !(utf8 && c == '\0' && before == '\0');
    before = c;
  }
  const std::size_t rest = bytes.size() - nuls;
  return rest != 0 && kNoise * noise <= rest && (nuls == 0 || kWord * spaces >= rest);
}

// Recognises what may be ISO-2022-JP or -KR, or HZ, all of which look like ASCII. Decoding will decide.
bool looks_escaped(std::string_view text, std::string_view sample) {
  for (std::size_t at = text.find('\x1b'); at != std::string_view::npos; at = text.find('\x1b', at + 1)) {
    if (text.substr(at + 1, 1) == "$") return true;
  }
  const std::size_t shift = sample.find("~{");
  return shift != std::string_view::npos && sample.find("~}", shift + 4) != std::string_view::npos;
}

struct Prologue {
  std::string_view rest;  // from the first thing that is neither white space, comment nor processing instruction
  bool xml = false;
};

Prologue skip_prologue(std::string_view text) {
  Prologue prologue{text};
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (;;) {
    while (!text.empty() && is_space(text[0])) text.remove_prefix(1);
    const bool comment = text.starts_with("<!--");
    if (!comment && !text.starts_with("<?")) break;
    if (starts_with_ignoring_case(text, "<?xml")) prologue.xml = true;
    const std::string_view closing = comment ? "-->"sv : ">"sv;
    const std::size_t end = text.find(closing, 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + closing.size());
  }
  prologue.rest = text;
  return prologue;
}

bool has_tag(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    if (at + 1 < text.size() && (is_letter(text[at + 1]) || text[at + 1] == '!')) return true;
  }
  return false;
}

}  // namespace

bool is_named_html(std::string_view path) {
  return std::any_of(std::begin(kPageEndings), std::end(kPageEndings), [path](std::string_view ending) {
    return path.size() >= ending.size() && starts_with_ignoring_case(path.substr(path.size() - ending.size()), ending);
  });
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

Kind sniff(std::string_view bytes, bool named_html) {
  if (bytes.empty()) return Kind::empty;
  if (has_wide_bom(bytes)) return Kind::other;
  if (has_magic(bytes)) return Kind::binary;
  const std::string_view sample = bytes.substr(0, kSample);
  const bool utf8 = valid_utf8(bytes);
  if (!utf8 || std::memchr(sample.data(), 0, sample.size()) != nullptr) {
    const std::string_view rest = bytes.substr(std::min(bytes.find_first_not_of('\0'), bytes.size()));
    if (!mostly_text(rest.substr(0, kSample), utf8) || !mostly_text(rest, utf8)) {
      return detect_wide(bytes) == Wide::none ? Kind::binary : Kind::other;
    }
    if (!utf8) return Kind::other;
  }
  if (looks_escaped(bytes, sample)) return Kind::other;
  return is_html(bytes, named_html) ? Kind::html : Kind::text;
}

namespace {

constexpr std::size_t kHead = 4096;     // bytes of a file that are examined
constexpr std::size_t kFieldName = 76;  // the longest name of a header field
constexpr std::size_t kMarked = 1024;   // bytes that may precede %PDF-
constexpr std::size_t kTarMark = 257;   // the offset of the mark of a tar
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::uint64_t as_number(std::string_view ending) {
  std::uint64_t number = 0;
  for (const char c : ending) number = number << 8 | static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return number;
}

bool begins_with_field(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && at <= kFieldName && bytes[at] > ' ' && bytes[at] <= '~' && bytes[at] != ':') ++at;
  return at > 0 && at + 1 < bytes.size() && bytes[at] == ':' && (bytes[at + 1] == ' ' || bytes[at + 1] == '\t');
}

bool begins_with_xml(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv)) return true;
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  while (!bytes.empty() && is_space(bytes[0])) bytes.remove_prefix(1);
  return bytes.starts_with("<?xml"sv);
}

}  // namespace

FormatFilter::FormatFilter(std::span<const std::string> endings, std::vector<std::string> marks)
    : marks_(std::move(marks)) {
  for (const auto& ending : endings) {
    if (ending.size() > kLongestEnding || !ending.starts_with('.') || ending.rfind('.') != 0)
      throw std::invalid_argument("an ending is a dot and up to five characters that are none");
    endings_.push_back(as_number(ending));
  }
  for (const auto& mark : marks_) {
    if (mark.empty()) throw std::invalid_argument("a mark is one byte at least");
    first_[static_cast<unsigned char>(mark[0])] = true;
  }
  std::sort(endings_.begin(), endings_.end());
}

bool FormatFilter::by_name(std::string_view path) const {
  const std::string_view end = path.substr(path.size() - std::min(path.size(), kLongestEnding));
  const std::size_t dot = end.rfind('.');
  return dot != std::string_view::npos &&
         std::binary_search(endings_.begin(), endings_.end(), as_number(end.substr(dot)));
}

bool FormatFilter::by_content(std::string_view bytes, Kind kind) const {
  if (kind == Kind::html || kind == Kind::empty) return false;
  bytes = bytes.substr(0, kHead);
  if (kind == Kind::text && bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  if (bytes.empty()) return false;
  if (first_[static_cast<unsigned char>(bytes[0])] &&
      std::any_of(marks_.begin(), marks_.end(), [=](const auto& mark) { return bytes.starts_with(mark); }))
    return true;
  return begins_with_field(bytes) || begins_with_xml(bytes) || bytes.starts_with("From "sv) ||
         bytes.substr(0, kMarked).find("%PDF-"sv) != std::string_view::npos ||
         bytes.substr(0, kTarMark + 5).substr(std::min(bytes.size(), kTarMark)) == "ustar"sv;
}

}  // namespace nearkin
