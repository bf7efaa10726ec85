// What a file is, told from its bytes: content first, name second.
//
// Decisions. A known magic number is binary. UTF-16 and UTF-32 are text in another encoding when they have a BOM, or look
// like it (wide.hpp). Where over 2 % of the bytes are control characters, it is binary if there is a NUL in the first 8 KB
// or if it is not UTF-8; NULs in a row count once, and ESC not at all. Other bytes that are not UTF-8 are text in another
// encoding; so is what switches between character sets (ISO-2022-JP, HZ): text/decode.py decides which. UTF-8 is HTML
// when its first mark-up says so; a name that ends in .html makes HTML of anything with a tag in it. An XML document is
// text unless its root is <html>. UTF-7 passes for UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// `unread`: nobody has looked at the bytes, as the file could not be read or is left to a worker; sniff never says so.
enum class Kind : std::uint8_t { empty = 0, text = 1, html = 2, binary = 3, other = 4, unread = 5 };

// Whether a file's name ends as those of pages do. A hint only: content decides first.
bool is_named_html(std::string_view path);

Kind sniff(std::string_view bytes, bool named_html);

// Whether UTF-8 is a page.
bool is_html(std::string_view text, bool named_html);

// Which files may be of a format that workers read: by the ending of their name, for certain, or by how they begin, to be
// looked at more closely (engine/handover.py). Asked of every file while its bytes are at hand: it must cost nothing.

// `store`: it is a store of nearkin (store_file.hpp), and no document.
enum class Suspect : std::uint8_t { no, by_name, by_content, store };

class Suspects {
 public:
  // Endings with their dot, in lower case, of at most kLongestEnding bytes; marks that files begin with.
  Suspects(std::span<const std::string> endings, std::vector<std::string> marks);

  static constexpr std::size_t kLongestEnding = 6;

  bool by_name(std::string_view path) const;

  // True for every file of such a format, and for few other texts and pages.
  bool by_content(std::string_view bytes, Kind kind) const;

 private:
  std::vector<std::uint64_t> endings_;  // as numbers, ascending
  std::vector<std::string> marks_;
  std::array<bool, 256> first_{};  // bytes that a mark begins with
};

// A store of nearkin, told from the first bytes of its file: SQLite's magic, and nearkin's application id.

inline constexpr std::size_t kStoreHeader = 72;  // bytes that are looked at

inline bool is_store_header(std::string_view bytes) {
  constexpr std::string_view magic{"SQLite format 3\0", 16};
  constexpr std::string_view application = "nkin";  // big-endian at byte 68; store/schema.py: APPLICATION_ID
  return bytes.size() >= kStoreHeader && bytes.starts_with(magic) && bytes.substr(68, application.size()) == application;
}

}  // namespace nearkin
