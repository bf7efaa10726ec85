// Which files may be of a format that workers read: by the ending of their name, for certain, or by how they begin, to be
// looked at more closely (engine/handover.py). Asked of every file while its bytes are at hand: it must cost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/sniff.hpp"

namespace nearkin {

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

}  // namespace nearkin
