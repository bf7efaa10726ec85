#include "text/soundex.hpp"

#include <cstddef>
#include <cstdint>

#include "text/encoding.hpp"
#include "text/unicode.hpp"

namespace nearkin {
namespace {

// The digit of each letter: 0 is a vowel, which separates equal digits; - is skipped.
constexpr std::string_view kDigits = "0123012-02245501262301-202";

// Latin letters that Unicode does not decompose.
struct Ligature {
  char32_t letter;
  std::string_view plain;
};
constexpr Ligature kLigatures[] = {{0xE6, "ae"},  {0xF0, "d"},  {0xF8, "o"},  {0xFE, "th"}, {0x111, "d"},
                                   {0x127, "h"},  {0x131, "i"}, {0x142, "l"}, {0x14B, "n"}, {0x153, "oe"}};

class Writer {
 public:
  bool full() const { return size_ == code_.size(); }

  void add(char letter) {
    const char digit = kDigits[static_cast<std::size_t>(letter - 'a')];
    if (size_ == 0) {
      code_[size_++] = static_cast<char>(letter - 'a' + 'A');
      last_ = digit;
    } else if (digit != '-') {
      if (digit != '0' && digit != last_) code_[size_++] = digit;
      last_ = digit;
    }
  }

  // Adds the Latin letters of a character, if it has any.
  void add_any(char32_t c) {
    if (c < 0x80) {
      const char letter = static_cast<char>(c | 0x20);
      if (letter >= 'a' && letter <= 'z' && c >= 'A') add(letter);
      return;
    }
    for (const Ligature& ligature : kLigatures) {
      if (c != ligature.letter) continue;
      for (const char letter : ligature.plain)
        if (!full()) add(letter);
    }
  }

  std::optional<std::array<char, 4>> code() const {
    return size_ == 0 ? std::nullopt : std::optional(code_);
  }

 private:
  std::array<char, 4> code_{'0', '0', '0', '0'};
  std::size_t size_ = 0;
  char last_ = '0';
};

}  // namespace

std::optional<std::array<char, 4>> soundex(std::string_view word) {
  Writer writer;
  const char* at = word.data();
  const char* const end = at + word.size();
  while (at != end && !writer.full()) {
    const auto [c, length] = decode_one(at, end);
    at += length == 0 ? 1 : length;
    if (length == 0) continue;
    const std::uint32_t entry = unicode::entry_of(c);
    if (c < 0x80 || entry < unicode::kStrings) {
      writer.add_any(c);
    } else {
      unicode::each_code_point(unicode::Changed(entry).folded(), [&](char32_t part) {
        if (!writer.full()) writer.add_any(part);
      });
    }
  }
  return writer.code();
}

}  // namespace nearkin
