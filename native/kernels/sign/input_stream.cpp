#include "sign/input_stream.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "sign/java_hash.hpp"
#include "text/soundex.hpp"

namespace nearkin {
namespace {

using namespace std::string_view_literals;

// Lucene's StopAnalyzer.ENGLISH_STOP_WORDS_SET, sorted.
constexpr std::array kStopWords = {
    "a"sv,  "an"sv,  "and"sv, "are"sv,  "as"sv,   "at"sv,    "be"sv,   "but"sv,   "by"sv,    "for"sv,  "if"sv,
    "in"sv, "into"sv, "is"sv, "it"sv,   "no"sv,   "not"sv,   "of"sv,   "on"sv,    "or"sv,    "such"sv, "that"sv,
    "the"sv, "their"sv, "then"sv, "there"sv, "these"sv, "they"sv, "this"sv, "to"sv, "was"sv, "will"sv, "with"sv};
static_assert(std::is_sorted(kStopWords.begin(), kStopWords.end()));

constexpr bool is_vowel(char16_t c) { return c == u'a' || c == u'e' || c == u'i' || c == u'o' || c == u'u'; }
constexpr bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

template <class Visit>
void each_word(std::string_view text, Visit&& visit) {
  std::string word;
  for (const char c : text) {
    if (!is_white(c)) {
      word.push_back(lower(c));
    } else if (!word.empty()) {
      visit(word);
      word.clear();
    }
  }
  if (!word.empty()) visit(word);
}

}  // namespace

InputStream::InputStream(Stream stream, Variation variation, std::string_view text) {
  std::unordered_set<std::string> met;
  each_word(text, [&](std::string& word) {
    if (!variation.stop_words && std::binary_search(kStopWords.begin(), kStopWords.end(), std::string_view(word))) return;
    if (stream == Stream::characters) {
      const auto start = static_cast<std::ptrdiff_t>(characters_.size());
      append_utf16(word, characters_);
      if (!variation.vowels_or_duplicates)
        characters_.erase(std::remove_if(characters_.begin() + start, characters_.end(), is_vowel), characters_.end());
      return;
    }
    if (stream == Stream::soundex) {
      const auto code = soundex(word);
      if (!code) return;
      word.assign(code->begin(), code->end());
    }
    if (!variation.vowels_or_duplicates && !met.insert(word).second) return;
    held_ += word;
    ends_.push_back(held_.size());
  });
}

std::vector<std::string_view> InputStream::tokens() const {
  std::vector<std::string_view> tokens;
  tokens.reserve(ends_.size());
  std::size_t start = 0;
  for (const std::size_t end : ends_) {
    tokens.push_back(std::string_view(held_).substr(start, end - start));
    start = end;
  }
  return tokens;
}

}  // namespace nearkin
