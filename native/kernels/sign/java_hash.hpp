// Java's String.hashCode(), which Roth 2011 §3.1.2 makes fingerprints with: s0·31^(n-1) + … + s(n-1) modulo 2^32 over
// UTF-16, taken as a signed number. 31 has an inverse modulo 2^32, so k tokens joined by spaces are hashed like a
// window that slides: the token that leaves is taken out again, and a gram costs the same however long it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// A byte that is not part of valid UTF-8 becomes the lone surrogate DC00 + byte, as in Python's surrogateescape.
void append_utf16(std::string_view utf8, std::u16string& out);

struct Hashed {
  std::uint32_t hash;
  std::uint32_t length;  // in units
};

Hashed java_hash(std::string_view utf8);

// The hashes of all k units in a row; of all there are where they are fewer than k.
std::vector<std::int32_t> gram_hashes(std::u16string_view units, std::size_t k);

// The same for tokens, joined by one space.
std::vector<std::int32_t> gram_hashes(std::span<const Hashed> tokens, std::size_t k);

}  // namespace nearkin
