#include "passages/passage_chain.hpp"

#include <algorithm>
#include <utility>

namespace nearkin {
namespace {

constexpr std::size_t kNear = 16;  // passages before one that may overlap it

// Best chains by where they end in B: the best of all that end up to a place.
class Best {
 public:
  explicit Best(std::size_t places) : tree_(places + 1, {0, 0}) {}
  void put(std::size_t place, std::uint64_t weight, std::size_t number) {
    for (++place; place < tree_.size(); place += place & (~place + 1))
      if (weight > tree_[place].first) tree_[place] = {weight, number};
  }
  std::pair<std::uint64_t, std::size_t> up_to(std::size_t count) const {
    std::pair<std::uint64_t, std::size_t> best{0, 0};
    for (; count > 0; count -= count & (~count + 1))
      if (tree_[count].first > best.first) best = tree_[count];
    return best;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::size_t>> tree_;
};

std::uint64_t length(const Passage& p) { return p.a_end - p.a_start; }

}  // namespace

std::vector<Passage> heaviest_chain(std::vector<Passage> sorted, std::uint64_t each_costs) {
  std::sort(sorted.begin(), sorted.end(), [](const Passage& x, const Passage& y) {
    return std::pair{x.a_start, x.b_start} < std::pair{y.a_start, y.b_start};
  });
  const std::size_t count = sorted.size();
  std::vector<std::uint64_t> places;
  for (const Passage& p : sorted) places.push_back(p.b_end);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const auto up_to = [&](std::uint64_t b) {
    return static_cast<std::size_t>(std::upper_bound(places.begin(), places.end(), b) - places.begin());
  };
  std::vector<std::size_t> by_end(count), before(count, count);
  for (std::size_t i = 0; i < count; ++i) by_end[i] = i;
  std::sort(by_end.begin(), by_end.end(), [&](std::size_t x, std::size_t y) {
    return std::pair{sorted[x].a_end, x} < std::pair{sorted[y].a_end, y};
  });
  std::vector<std::uint64_t> weight(count);
  Best best(places.size());
  std::size_t ended = 0, last = count;
  for (std::size_t i = 0; i < count; ++i) {
    const Passage& p = sorted[i];
    for (; ended < count && sorted[by_end[ended]].a_end <= p.a_start; ++ended) {
      const std::size_t one = by_end[ended];
      best.put(up_to(sorted[one].b_end) - 1, weight[one], one);
    }
    weight[i] = worth(length(p), each_costs);
    if (const auto [most, number] = best.up_to(up_to(p.b_start)); most > 0) {
      weight[i] += most;
      before[i] = number;
    }
    for (std::size_t j = i; j > 0 && i - j < kNear; --j) {
      const Passage& other = sorted[j - 1];
      const std::uint64_t shared = overlap(other, p);
      if (shared == 0 || shared >= length(p) || !rises(other, p)) continue;
      if (const std::uint64_t both = weight[j - 1] + worth(length(p) - shared, each_costs); both > weight[i]) {
        weight[i] = both;
        before[i] = j - 1;
      }
    }
    if (last == count || weight[i] > weight[last]) last = i;
  }
  std::vector<Passage> chain;
  for (std::size_t at = last; at < count; at = before[at]) chain.push_back(sorted[at]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::uint64_t weight_of(const std::vector<Passage>& chain, std::uint64_t each_costs) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::uint64_t cut = i == 0 ? 0 : overlap(chain[i - 1], chain[i]);
    if (cut < length(chain[i])) total += worth(length(chain[i]) - cut, each_costs);
  }
  return total;
}

}  // namespace nearkin
