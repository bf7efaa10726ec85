#include "text/lines.hpp"

#include "text/canon.hpp"
#include "text/encoding.hpp"

namespace nearkin {
namespace {

// How many bytes of a line end stand here; 0 where there is none.
std::size_t line_end(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0; };
  const unsigned char first = static_cast<unsigned char>(text[at]);
  if (first == '\r') return byte(1) == '\n' ? 2 : 1;
  if (first >= '\n' && first < '\r') return 1;
  if (first == 0xC2 && byte(1) == 0x85) return 2;
  if (first == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9)) return 3;
  return 0;
}

// Calls visit(line, its first byte) for every line, empty ones too.
template <class Visit>
void each_line(std::string_view text, Visit&& visit) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = line_end(text, at);
    if (end != 0) {
      visit(text.substr(begin, at - begin), begin);
      begin = at + end;
    }
    at += end == 0 ? 1 : end;
  }
  if (begin < text.size()) visit(text.substr(begin), begin);
}

// As canonical_map counts them: a byte that is not UTF-8 is one.
std::uint64_t characters(std::string_view text) {
  std::uint64_t count = 0;
  for (const char *at = text.data(), *const end = at + text.size(); at != end; ++count) {
    const unsigned length = decode_one(at, end).length;
    at += length == 0 ? 1 : length;
  }
  return count;
}

}  // namespace

void canonical_lines(std::string_view utf8, unsigned ignored, std::string& out) {
  out.clear();
  std::string made;
  each_line(utf8, [&](std::string_view line, std::size_t) {
    canonical(line, ignored, made);
    if (made.empty()) return;
    if (!out.empty()) out += '\n';
    out += made;
  });
}

void canonical_lines_map(std::string_view utf8, unsigned ignored, std::string& out, std::vector<std::uint64_t>& origin) {
  out.clear();
  origin.clear();
  std::string made;
  std::vector<std::uint64_t> from;
  std::uint64_t index = 0, ended = 0;  // of the line's first character, of the last kept line's end
  std::size_t counted = 0;             // bytes that `index` stands for
  each_line(utf8, [&](std::string_view line, std::size_t begin) {
    index += characters(utf8.substr(counted, begin - counted));
    counted = begin;
    canonical_map(line, ignored, made, from);
    if (made.empty()) return;
    if (!out.empty()) {
      out += '\n';
      origin.push_back(ended);
    }
    out += made;
    for (const auto at : from) origin.push_back(index + at);
    ended = index + characters(line);
  });
}

}  // namespace nearkin
