#include "text/suspect.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace nearkin {
namespace {

using namespace std::literals;

constexpr std::size_t kHead = 4096;     // bytes of a file that are looked at
constexpr std::size_t kFieldName = 76;  // the longest name of a header field
constexpr std::size_t kMarked = 1024;   // bytes that %PDF- is looked for in
constexpr std::size_t kTarMark = 257;   // where the mark of a tar lies
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

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

Suspects::Suspects(std::span<const std::string> endings, std::vector<std::string> marks) : marks_(std::move(marks)) {
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

bool Suspects::by_name(std::string_view path) const {
  const std::string_view end = path.substr(path.size() - std::min(path.size(), kLongestEnding));
  const std::size_t dot = end.rfind('.');
  return dot != std::string_view::npos && std::binary_search(endings_.begin(), endings_.end(), as_number(end.substr(dot)));
}

bool Suspects::by_content(std::string_view bytes, Kind kind) const {
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
