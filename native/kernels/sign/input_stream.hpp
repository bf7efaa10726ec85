// What a similarity index is made of (Roth 2011 §3.4 and §3.5): the text as a stream of characters, of words or of
// Soundex tokens, some of it left out. The paper lists no stop words; these are Lucene's, which it works beside.
//
// Words are what white space parts, in lower case. Stop words go first, before words are turned into Soundex tokens
// and before white space is removed; of tokens that occur again the first is kept. A word without a Latin letter has
// no Soundex token and is left out there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

enum class Stream { characters, words, soundex };

// Tables 3 and 4: A keeps all, B leaves out stop words, C vowels (of characters) or duplicates (of words), D both.
struct Variation {
  bool stop_words;
  bool vowels_or_duplicates;
};

class InputStream {
 public:
  InputStream(Stream stream, Variation variation, std::string_view text);

  // Of a stream of characters: one behind the other as UTF-16, white space removed.
  std::u16string_view characters() const { return characters_; }
  // Of the other streams.
  std::vector<std::string_view> tokens() const;

 private:
  std::u16string characters_;
  std::string held_;
  std::vector<std::size_t> ends_;
};

}  // namespace nearkin
