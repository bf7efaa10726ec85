#include "text/terms.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tables/stop_words.hpp"
#include "text/canon.hpp"
#include "text/encoding.hpp"

namespace nearkin {
namespace {

using Languages = std::uint16_t;  // a bit for each language
static_assert(tables::kStopWords.size() <= 16);

// A short word as two numbers, so that a look-up compares no strings.
struct Key {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Key&) const = default;
};

constexpr std::size_t kLongest = 16;

Key key_of(std::string_view word) {
  char bytes[kLongest] = {};
  for (std::size_t i = 0; i < word.size(); ++i) bytes[i] = word[i];
  Key key;
  std::memcpy(&key.low, bytes, 8);
  std::memcpy(&key.high, bytes + 8, 8);
  return key;
}

// The languages in which a word is a stop word: an open hash table, a third full.
class StopWordTable {
 public:
  StopWordTable() {
    for (std::size_t language = 0; language < tables::kStopWords.size(); ++language) {
      std::string_view left = tables::kStopWords[language].words;
      while (!left.empty()) {
        const std::size_t end = std::min(left.find(' '), left.size());
        slot(key_of(left.substr(0, end))).languages |= static_cast<Languages>(1u << language);
        left.remove_prefix(std::min(end + 1, left.size()));
      }
    }
    while (slots_[empty_].languages != 0) ++empty_;
  }

  static constexpr std::size_t kSlots = 4096;

  // Returns an empty slot for a word that is no stop word.
  std::size_t find(std::string_view word) const { return word.size() > kLongest ? empty_ : find(key_of(word)); }
  Languages languages(std::size_t slot) const { return slots_[slot].languages; }

 private:
  struct Slot {
    Key key;
    Languages languages = 0;
  };

  static std::size_t place(const Key& key) {
    return static_cast<std::size_t>((key.low ^ key.high * 0x9E3779B97F4A7C15ULL) * 0xD6E8FEB86659FD93ULL >> 52);
  }

  std::size_t find(const Key& key) const {
    std::size_t at = place(key);
    while (slots_[at].languages != 0 && slots_[at].key != key) at = (at + 1) % kSlots;
    return at;
  }

  Slot& slot(const Key& key) {
    Slot& added = slots_[find(key)];
    added.key = key;
    return added;
  }

  std::array<Slot, kSlots> slots_{};
  std::size_t empty_ = 0;
};

const StopWordTable& stop_words() {
  static const StopWordTable table;
  return table;
}

// Votes for the language of which the text has most stop words. One or two words prove nothing: a list of pets holds
// `dog` and is not Danish. So a language other than English needs four different ones.
class LanguageVote {
 public:
  void add(std::size_t slot, Languages languages) {
    const bool first = !std::exchange(met_[slot], true);
    for (std::size_t language = 0; languages >> language != 0; ++language) {
      if ((languages >> language & 1) == 0) continue;
      ++words_[language];
      different_[language] += first;
    }
  }

  std::size_t winner() const {
    std::size_t best = 0;
    for (std::size_t language = 1; language < words_.size(); ++language)
      if (words_[language] > words_[best] && different_[language] >= 4) best = language;
    return best;
  }

 private:
  std::array<bool, StopWordTable::kSlots> met_{};
  std::array<std::size_t, tables::kStopWords.size()> words_{}, different_{};
};

// Alphabets have letters of at most two bytes; a Chinese word may be a single character of three.
bool is_one_letter(std::string_view word) {
  return word.size() == 1 || (word.size() == 2 && static_cast<signed char>(word.front()) < 0);
}

struct FiledUnder {
  char32_t letter;
  char base;
};
constexpr FiledUnder kFiledUnder[] = {{0xE6, 'a'},  {0xF0, 'd'},  {0xF8, 'o'},  {0xFE, 't'},
                                      {0x111, 'd'}, {0x127, 'h'}, {0x131, 'i'}, {0x138, 'k'},
                                      {0x142, 'l'}, {0x14B, 'n'}, {0x153, 'o'}, {0x167, 't'}};

}  // namespace

Terms::Terms(std::string_view text) {
  canonical(text, ignore::kDefault | ignore::kAccents, canonical_);
  const StopWordTable& table = stop_words();
  std::vector<Languages> languages;
  LanguageVote vote;
  for (const char *at = canonical_.data(), *const end = at + canonical_.size(); at < end;) {
    const auto* space = static_cast<const char*>(std::memchr(at, ' ', static_cast<std::size_t>(end - at)));
    if (space == nullptr) space = end;
    const std::string_view word(at, static_cast<std::size_t>(space - at));
    at = space + 1;
    if (is_one_letter(word)) continue;
    const std::size_t slot = table.find(word);
    terms_.push_back(word);
    languages.push_back(table.languages(slot));
    if (languages.back() != 0) vote.add(slot, languages.back());
  }
  const std::size_t language = vote.winner();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms_.size(); ++i)
    if ((languages[i] >> language & 1) == 0) terms_[kept++] = terms_[i];
  terms_.resize(kept);
}

int first_letter(std::string_view term) {
  if (term.empty()) return -1;
  const char c = term.front();
  if (c >= 'a' && c <= 'z') return c - 'a';
  if (static_cast<signed char>(c) >= 0) return -1;
  const char32_t letter = decode_one(term.data(), term.data() + term.size()).value;
  const auto* const entry = std::find_if(std::begin(kFiledUnder), std::end(kFiledUnder),
                                         [letter](const FiledUnder& base) { return base.letter == letter; });
  return entry == std::end(kFiledUnder) ? -1 : entry->base - 'a';
}

LetterCounts letter_counts(std::string_view text) {
  const Terms terms(text);
  LetterCounts counts{};
  for (const std::string_view term : terms.all())
    if (const int letter = first_letter(term); letter >= 0) ++counts[static_cast<std::size_t>(letter)];
  return counts;
}

}  // namespace nearkin
