// What a file is, told from its bytes: content first, name second.
//
// Decisions. A known magic number is binary. UTF-16 and UTF-32 are text in another encoding when they have a BOM, or look
// like it (wide.hpp). Where over 2 % of the bytes are control characters, it is binary if there is a NUL in the first 8 KB
// or if it is not UTF-8; NULs in a row count once, and ESC not at all. Other bytes that are not UTF-8 are text in another
// encoding; so is what switches between character sets (ISO-2022-JP, HZ): text/decode.py decides which. UTF-8 is HTML
// when its first mark-up says so; a name that ends in .html makes HTML of anything with a tag in it. An XML document is
// text unless its root is <html>. UTF-7 passes for UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

namespace nearkin {

// `unread`: nobody has looked at the bytes, as the file could not be read or is left to a worker; sniff never says so.
enum class Kind : std::uint8_t { empty = 0, text = 1, html = 2, binary = 3, other = 4, unread = 5 };

// Whether a file's name ends as those of pages do. A hint only: content decides first.
bool is_named_html(std::string_view path);

Kind sniff(std::string_view bytes, bool named_html);

// Whether UTF-8 is a page.
bool is_html(std::string_view text, bool named_html);

}  // namespace nearkin
