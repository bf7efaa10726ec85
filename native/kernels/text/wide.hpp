// UTF-16 and UTF-32 without a byte order mark, told by what text in them looks like.
//
// Latin text in UTF-16 has a NUL in nearly every other byte. Any other text is plausible in one order of bytes only: its
// code points are assigned to scripts, nearly all to one besides ASCII and punctuation; surrogates come in pairs; it has
// spaces, line ends or the stops of Chinese. Read in the other order the same bytes are of many scripts or of none, or
// ASCII is gone: numbers and pictures, which are alike both ways, are no text.
#pragma once

#include <cstdint>
#include <string_view>

namespace nearkin {

enum class Wide : std::uint8_t { none, utf16_le, utf16_be, utf32_le, utf32_be };

Wide wide_without_mark(std::string_view bytes);

}  // namespace nearkin
