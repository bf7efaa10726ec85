// The feature of a chunk: a 64-bit multiply-and-fold hash of its bytes (Forman 2005 §2.1 takes MD5; §2.3: 64 bits are
// enough for some 4 billion chunks). Frozen: stores hold these.
#pragma once

#include <cstdint>
#include <string_view>

namespace nearkin {

std::uint64_t chunk_hash(std::string_view chunk);

}  // namespace nearkin
