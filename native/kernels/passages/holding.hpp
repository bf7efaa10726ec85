// Which of many texts hold a stretch of one text, of a given number of bytes: every window of the one is noted by its
// fingerprint, every window of the others looked up. What is found is likely, and verified by common_passages; what is
// not found is not there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nearkin {

std::vector<std::uint8_t> holding(std::string_view text, std::span<const std::string_view> others, std::size_t window,
                                  unsigned threads);

}  // namespace nearkin
