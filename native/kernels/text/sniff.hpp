// Recognises what a file is by its bytes first and its name second.
//
// A known magic number is binary. UTF-16 and UTF-32 are text in another encoding when they have a byte order mark or
// look like it (encoding.hpp). Bytes of which over 2 % are control characters are binary if there is a NUL in the first
// 8 KB or if they are not UTF-8; a run of NULs counts once, and ESC not at all. Other bytes that are not UTF-8 are text
// in another encoding, and so is text that switches between character sets (ISO-2022-JP, HZ); text/decode.py decides
// which. UTF-8 is HTML when its first mark-up says so; a name that ends in .html makes HTML of anything with a tag in
// it. An XML document is text unless its root is <html>. UTF-7 passes for UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// `unread` marks files that could not be read or are left to a worker; sniff never returns it.
enum class Kind : std::uint8_t { empty = 0, text = 1, html = 2, binary = 3, other = 4, unread = 5 };

// Tells whether a file's name ends as those of pages do. It is a hint: the content decides first.
bool is_named_html(std::string_view path);

Kind sniff(std::string_view bytes, bool named_html);

// Tells whether UTF-8 text is a page.
bool is_html(std::string_view text, bool named_html);

// Why a file is not read as text or a page here: it may be of a format that workers read, by its name or by how it
// begins, or it is a store of nearkin and no document.
enum class FormatHint : std::uint8_t { none, by_name, by_content, store };

// Finds files that may be of a format that workers read: surely so by the ending of their name, or possibly by how they
// begin; workers examine the latter more closely (engine/reader.py). It runs over every file while its bytes are at
// hand, so it must cost next to nothing.
class FormatFilter {
 public:
  // Endings are in lower case, with their dot, and of at most kLongestEnding bytes. Marks are what files begin with.
  FormatFilter(std::span<const std::string> endings, std::vector<std::string> marks);

  static constexpr std::size_t kLongestEnding = 6;

  bool by_name(std::string_view path) const;

  // Returns true for every file of such a format, and for few other texts and pages.
  bool by_content(std::string_view bytes, Kind kind) const;

 private:
  std::vector<std::uint64_t> endings_;  // as numbers, ascending
  std::vector<std::string> marks_;
  std::array<bool, 256> first_{};  // the bytes that marks begin with
};

// Recognises a store of nearkin by the first bytes of its file: SQLite's magic and nearkin's application id.
inline constexpr std::size_t kStoreHeader = 72;  // bytes that are examined

inline bool is_store_header(std::string_view bytes) {
  constexpr std::string_view magic{"SQLite format 3\0", 16};
  constexpr std::string_view application = "nkin";  // big-endian at byte 68; store/schema.py: APPLICATION_ID
  return bytes.size() >= kStoreHeader && bytes.starts_with(magic) &&
         bytes.substr(68, application.size()) == application;
}

}  // namespace nearkin
