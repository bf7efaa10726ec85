#include "passages/holding.hpp"

#include <algorithm>
#include <bit>

#include "base/parallel.hpp"
#include "sign/rabin.hpp"

namespace nearkin {

std::vector<std::uint8_t> holding(std::string_view text, std::span<const std::string_view> others, std::size_t window,
                                  unsigned threads) {
  std::vector<std::uint8_t> found(others.size());
  if (text.size() < window) return found;
  const Roller roller(window);
  std::vector<std::uint64_t> windows;
  windows.reserve(text.size());
  roll(roller, text, [&](std::size_t, std::uint64_t f) { windows.push_back(f); });
  std::sort(windows.begin(), windows.end());
  // One bit in 16 is set, so that 15 of 16 strange windows are dismissed by one look.
  const int bits = std::bit_width(windows.size()) + 4;
  std::vector<bool> seen(std::size_t{1} << bits);
  for (const auto f : windows) seen[f >> (64 - bits)] = true;
  parallel_blocks(others.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (others[i].size() < window) continue;
      bool here = false;
      roll(roller, others[i], [&](std::size_t, std::uint64_t f) {
        if (!here && seen[f >> (64 - bits)]) here = std::binary_search(windows.begin(), windows.end(), f);
      });
      found[i] = here;
    }
  });
  return found;
}

}  // namespace nearkin
