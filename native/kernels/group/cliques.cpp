#include "group/cliques.hpp"

#include <numeric>
#include <utility>

#include "base/hash.hpp"
#include "base/union_find.hpp"

namespace nearkin {
namespace {

// How many links have come between two clusters: open addressing, at most half full. What merged away stays at 0, as
// no cluster gets its number again.
class Counts {
 public:
  void clear(std::size_t expected) {
    const std::size_t room = std::bit_ceil(2 * expected + 2);
    keys_.assign(room, kFree);
    counts_.resize(room);
    used_ = 0;
  }

  // The count of a pair, 0 where there was none; valid until the next call.
  std::uint64_t& at(std::uint32_t x, std::uint32_t y) {
    if (2 * used_ >= keys_.size()) grow();
    const std::uint64_t key = key_of(x, y);
    const std::size_t place = find(key);
    if (keys_[place] == kFree) {
      keys_[place] = key;
      counts_[place] = 0;
      ++used_;
    }
    return counts_[place];
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  static std::uint64_t key_of(std::uint32_t x, std::uint32_t y) {
    return std::uint64_t{std::min(x, y)} << 32 | std::max(x, y);
  }

  std::size_t find(std::uint64_t key) const {
    std::size_t place = mix(key) & (keys_.size() - 1);
    while (keys_[place] != key && keys_[place] != kFree) place = (place + 1) & (keys_.size() - 1);
    return place;
  }

  void grow() {
    const auto keys = std::move(keys_);
    const auto counts = std::move(counts_);
    // Half of the room is often taken by pairs that merged away; they are left behind.
    std::size_t alive = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) alive += keys[i] != kFree && counts[i] > 0;
    clear(2 * alive + 1);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != kFree && counts[i] > 0) {
        const std::size_t place = find(keys[i]);
        keys_[place] = keys[i];
        counts_[place] = counts[i];
        ++used_;
      }
  }

  std::vector<std::uint64_t> keys_, counts_;
  std::size_t used_ = 0;
};

// The clusters of one component at a time. Nodes are numbered from 0 inside it.
class Agglomeration {
 public:
  void begin(std::size_t nodes, std::size_t links) {
    if (beside_.size() < nodes) beside_.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) beside_[i].clear();
    cluster_.resize(nodes);
    std::iota(cluster_.begin(), cluster_.end(), 0U);
    size_.assign(nodes, 1);
    between_.clear(links);
  }

  std::uint32_t cluster(std::uint32_t node) {
    while (cluster_[node] != node) node = cluster_[node] = cluster_[cluster_[node]];
    return node;
  }

  void link(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = cluster(a), y = cluster(b);
    if (x == y) return;
    const std::uint64_t count = add(x, y, 1);
    if (count == size_[x] * size_[y]) merge(x, y);
  }

 private:
  std::uint64_t add(std::uint32_t x, std::uint32_t y, std::uint64_t more) {
    std::uint64_t& count = between_.at(x, y);
    if (count == 0) {
      beside_[x].push_back(y);
      beside_[y].push_back(x);
    }
    return count += more;
  }

  // The one with fewer neighbours goes into the other: no link is moved more often than the logarithm of their number.
  void merge(std::uint32_t x, std::uint32_t y) {
    if (beside_[x].size() > beside_[y].size()) std::swap(x, y);
    between_.at(x, y) = 0;
    cluster_[x] = y;
    size_[y] += size_[x];
    for (const std::uint32_t other : beside_[x]) {
      if (cluster_[other] != other || other == y) continue;  // it went into another before
      const std::uint64_t moved = std::exchange(between_.at(x, other), 0);
      // Two clusters that are linked throughout have merged before, so this completes no other pair.
      if (moved > 0) add(y, other, moved);
    }
    beside_[x].clear();
  }

  std::vector<std::vector<std::uint32_t>> beside_;  // clusters with links to it; some went into others since
  std::vector<std::uint32_t> cluster_;
  std::vector<std::uint64_t> size_;
  Counts between_;
};

}  // namespace

std::vector<std::uint32_t> cliques(std::uint32_t nodes, const Links& links) {
  const auto component = components(nodes, links.a, links.b);
  std::vector<std::size_t> ends(std::size_t{nodes} + 1);
  for (std::size_t i = 0; i < links.size(); ++i) ++ends[component[links.a[i]] + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> together(links.size());
  for (const std::uint32_t at : strongest_first(links)) together[ends[component[links.a[at]]]++] = at;
  // Now ends[c] is the end of component c, and the beginning of the next.

  std::vector<std::uint32_t> label(nodes), number(nodes, kNoLink), members;
  std::iota(label.begin(), label.end(), 0U);
  Agglomeration clusters;
  const auto numbered = [&](std::uint32_t node) {
    if (number[node] == kNoLink) {
      number[node] = static_cast<std::uint32_t>(members.size());
      members.push_back(node);
    }
  };
  std::vector<std::uint32_t> smallest;
  for (std::size_t c = 0, begin = 0; c < nodes; begin = ends[c], ++c) {
    const std::span<const std::uint32_t> own(together.data() + begin, ends[c] - begin);
    if (own.empty()) continue;
    members.clear();
    for (const std::uint32_t at : own) numbered(links.a[at]), numbered(links.b[at]);
    if (members.size() == 2) {
      label[std::max(members[0], members[1])] = std::min(members[0], members[1]);
      continue;
    }
    clusters.begin(members.size(), own.size());
    for (const std::uint32_t at : own) clusters.link(number[links.a[at]], number[links.b[at]]);
    smallest.assign(members.size(), kNoLink);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      auto& least = smallest[clusters.cluster(i)];
      least = std::min(least, members[i]);
    }
    for (std::uint32_t i = 0; i < members.size(); ++i) label[members[i]] = smallest[clusters.cluster(i)];
  }
  return label;
}

}  // namespace nearkin
