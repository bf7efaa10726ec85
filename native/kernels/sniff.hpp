// What a file is, told from its bytes: content first, name second.
//
// Decisions. A known magic number is binary. UTF-16 and UTF-32 are text in another encoding when they have a BOM, or
// (UTF-16) when nine in ten of every other byte of the first 512 are NUL. Any other NUL in the first 8 KB is binary.
// Bytes that are not UTF-8 are binary when over 10 % of the first 8 KB are control characters, else text in another
// encoding. UTF-8 is HTML when its first mark-up says so; a name that ends in .html makes HTML of anything with a tag
// in it. An XML document is text unless its root is <html>. 7-bit encodings (ISO-2022-JP, UTF-7) pass for UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

namespace nearkin {

enum class Kind : std::uint8_t { empty = 0, text = 1, html = 2, binary = 3, other = 4 };

Kind sniff(std::string_view bytes, bool named_html);

}  // namespace nearkin
