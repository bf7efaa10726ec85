#include "group/parts.hpp"

#include <algorithm>
#include <numeric>

namespace nearkin {

std::vector<std::uint32_t> homes(std::span<const std::uint8_t> alone, const Containments& pairs, double share,
                                 std::int64_t size) {
  const std::size_t nodes = alone.size();
  std::vector<std::uint32_t> home(nodes);
  std::iota(home.begin(), home.end(), 0U);
  // One size for each content: where texts are not kept every match estimates its own, and three contents could each be
  // larger than the next.
  std::vector<std::int64_t> size_of(nodes);
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    size_of[pairs.a[i]] = std::max(size_of[pairs.a[i]], pairs.size_a[i]);
    size_of[pairs.b[i]] = std::max(size_of[pairs.b[i]], pairs.size_b[i]);
  }
  std::vector<double> best(nodes);
  const auto offer = [&](std::uint32_t inner, std::uint32_t whole, double held) {
    if (!alone[inner] || !(held >= share) || size_of[inner] < size) return;
    // The container is the larger; of two alike the one with the larger row, so that no two contain each other.
    if (size_of[whole] < size_of[inner] || (size_of[whole] == size_of[inner] && whole < inner)) return;
    // Contained best, in the smallest container.
    const std::uint32_t known = home[inner];
    const bool better = known == inner || held > best[inner] ||
                        (held == best[inner] &&
                         (size_of[whole] < size_of[known] || (size_of[whole] == size_of[known] && whole < known)));
    if (!better) return;
    home[inner] = whole;
    best[inner] = held;
  };
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    offer(pairs.a[i], pairs.b[i], pairs.a_in_b[i]);
    offer(pairs.b[i], pairs.a[i], pairs.b_in_a[i]);
  }
  // A part of a part belongs where its container belongs. Each is larger than the last, so it ends.
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::uint32_t outermost = node;
    while (home[outermost] != outermost) outermost = home[outermost];
    for (std::uint32_t inner = node; inner != outermost;) {
      const std::uint32_t next = home[inner];
      home[inner] = outermost;
      inner = next;
    }
  }
  return home;
}

}  // namespace nearkin
