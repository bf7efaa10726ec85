// A store of nearkin, told from the first bytes of its file: SQLite's magic, and nearkin's application id.
#pragma once

#include <cstddef>
#include <string_view>

namespace nearkin {

inline constexpr std::size_t kStoreHeader = 72;  // bytes that are looked at

inline bool is_store_header(std::string_view bytes) {
  constexpr std::string_view magic{"SQLite format 3\0", 16};
  constexpr std::string_view application = "nkin";  // big-endian at byte 68; store/schema.py: APPLICATION_ID
  return bytes.size() >= kStoreHeader && bytes.starts_with(magic) && bytes.substr(68, application.size()) == application;
}

}  // namespace nearkin
