#include "group/principals.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nearkin {

Principals principals(std::span<const std::uint32_t> order, const Links& links) {
  const std::size_t nodes = order.size();
  std::vector<std::uint32_t> turn(nodes);
  for (std::size_t i = 0; i < nodes; ++i) turn[order[i]] = static_cast<std::uint32_t>(i);

  // For every content, by its turn, the turns of those it is linked to that come before it.
  std::vector<std::size_t> starts(nodes + 2);
  const auto turns = [&](std::size_t link) {
    const std::uint32_t x = turn[links.a[link]], y = turn[links.b[link]];
    return std::pair{std::min(x, y), std::max(x, y)};
  };
  for (std::size_t i = 0; i < links.size(); ++i) ++starts[turns(i).second + 2];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> earlier(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto [first, second] = turns(i);
    earlier[starts[second + 1]++] = first;
  }

  std::vector<std::uint8_t> leads(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    leads[i] = std::none_of(earlier.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                            earlier.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]),
                            [&](std::uint32_t other) { return leads[other] != 0; });

  Principals found{std::vector<std::uint32_t>(nodes), std::vector<std::uint32_t>(nodes, kNoLink)};
  std::iota(found.of.begin(), found.of.end(), 0U);
  const auto offer = [&](std::uint32_t member, std::uint32_t principal, std::size_t link) {
    const std::uint32_t known = found.via[member];
    if (known != kNoLink) {
      const double before = links.strength[known], now = links.strength[link];
      if (now < before || (now == before && turn[principal] >= turn[found.of[member]])) return;
    }
    found.of[member] = principal;
    found.via[member] = static_cast<std::uint32_t>(link);
  };
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto [first, second] = turns(i);
    if (leads[first]) offer(order[second], order[first], i);
  }
  return found;
}

}  // namespace nearkin
