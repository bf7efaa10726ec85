#include "group/views.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/containers.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "base/union_find.hpp"

namespace nearkin {
namespace {

// Strengths are spread between the least and 1, and few are equal. Partitioned into as many parts as there are links,
// hardly any need a comparison. They go into pieces first, which are then partitioned and sorted near a core each.
constexpr std::size_t kMostParts = std::size_t{1} << 20;
constexpr std::size_t kPieces = 64;

// A link with its sort keys: smaller ones come first.
struct Ranked {
  std::uint64_t weakness, nodes;
  std::uint32_t part, at;
};

class Order {
 public:
  Order(const Links& links, std::span<const double> more)
      : links_(links), more_(more), parts_(std::min(links.size(), kMostParts)), in_piece_(parts_ / kPieces + 1) {
    double least = 1.0;
    for (const double strength : links.strength) least = std::min(least, strength);
    scale_ = static_cast<double>(parts_) / (least < 1.0 ? 1.0 - least : 1.0);
  }

  std::vector<std::uint32_t> by_strength(unsigned threads) const {
    std::vector<std::size_t> ends(kPieces + 1, 0);  // where a piece begins; once it is filled, where it ends
    for (const double strength : links_.strength) ++ends[part_of(strength) / in_piece_ + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    UninitVector<Ranked> ranked_links(links_.size());
    for (std::size_t i = 0; i < ranked_links.size(); ++i) {
      const std::size_t part = part_of(links_.strength[i]);
      ranked_links[ends[part / in_piece_]++] = ranked(i, part);
    }
    std::vector<std::uint32_t> order(links_.size());
    parallel_blocks(kPieces, 1, threads, [&](unsigned, std::size_t piece, std::size_t) {
      const std::size_t from = piece == 0 ? 0 : ends[piece - 1];
      sort(std::span(ranked_links).subspan(from, ends[piece] - from), piece * in_piece_, order.data() + from);
    });
    return order;
  }

 private:
  std::size_t part_of(double strength) const {
    const double weakness = (1.0 - strength) * scale_;
    return weakness <= 0.0 ? std::size_t{0} : std::min(parts_ - 1, static_cast<std::size_t>(weakness));
  }

  Ranked ranked(std::size_t at, std::size_t part) const {
    const std::uint64_t low = std::min(links_.a[at], links_.b[at]), high = std::max(links_.a[at], links_.b[at]);
    // Non-negative doubles are in the order of their bits; + 0.0 makes both zeros equal.
    return {~std::bit_cast<std::uint64_t>(links_.strength[at] + 0.0), low << 32 | high,
            static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(at)};
  }

  void sort(std::span<const Ranked> piece, std::size_t first_part, std::uint32_t* to) const {
    std::vector<std::uint32_t> ends(in_piece_ + 1, 0);
    for (const Ranked& link : piece) ++ends[link.part - first_part + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    UninitVector<Ranked> sorted(piece.size());
    for (const Ranked& link : piece) sorted[ends[link.part - first_part]++] = link;
    for (std::size_t part = 0, from = 0; part < in_piece_; from = ends[part++])
      if (ends[part] - from > 1)
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(from), sorted.begin() + ends[part],
                  [this](const Ranked& x, const Ranked& y) { return comes_first(x, y); });
    std::transform(sorted.begin(), sorted.end(), to, [](const Ranked& link) { return link.at; });
  }

  bool comes_first(const Ranked& x, const Ranked& y) const {
    if (x.weakness != y.weakness) return x.weakness < y.weakness;
    if (!more_.empty() && more_[x.at] != more_[y.at]) return more_[x.at] > more_[y.at];
    return x.nodes < y.nodes;
  }

  const Links& links_;
  std::span<const double> more_;
  std::size_t parts_, in_piece_;
  double scale_;
};

}  // namespace

std::vector<std::uint32_t> strongest_first(const Links& links, std::span<const double> more, unsigned threads) {
  return Order(links, more).by_strength(threads);
}

namespace {

// Counts the links between two clusters, by open addressing, at most half full. The count of a cluster that merged away
// stays 0, as no cluster gets its number again.
class LinkCounts {
 public:
  void clear(std::size_t expected) {
    const std::size_t room = std::bit_ceil(2 * expected + 2);
    keys_.assign(room, kFree);
    counts_.resize(room);
    used_ = 0;
  }

  // Returns the count of a pair, 0 for a new one; valid until the next call.
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
    // Half of the entries often belong to clusters that merged away; they are dropped.
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
    if (neighbours_.size() < nodes) neighbours_.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) neighbours_[i].clear();
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
      neighbours_[x].push_back(y);
      neighbours_[y].push_back(x);
    }
    return count += more;
  }

  // Merges the cluster with fewer neighbours into the other: no link is moved more often than the logarithm of their
  // number.
  void merge(std::uint32_t x, std::uint32_t y) {
    if (neighbours_[x].size() > neighbours_[y].size()) std::swap(x, y);
    between_.at(x, y) = 0;
    cluster_[x] = y;
    size_[y] += size_[x];
    for (const std::uint32_t other : neighbours_[x]) {
      if (cluster_[other] != other || other == y) continue;  // it merged into another before
      const std::uint64_t moved = std::exchange(between_.at(x, other), 0);
      // Two clusters that are linked throughout have merged before, so this completes no other pair.
      if (moved > 0) add(y, other, moved);
    }
    neighbours_[x].clear();
  }

  std::vector<std::vector<std::uint32_t>> neighbours_;  // clusters with links to it; some have merged into others since
  std::vector<std::uint32_t> cluster_;
  std::vector<std::uint64_t> size_;
  LinkCounts between_;
};

}  // namespace

std::vector<std::uint32_t> cliques(std::uint32_t nodes, const Links& links) {
  const auto component = components(nodes, links.a, links.b);
  std::vector<std::size_t> ends(std::size_t{nodes} + 1);
  for (std::size_t i = 0; i < links.size(); ++i) ++ends[component[links.a[i]] + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> by_component(links.size());
  for (const std::uint32_t at : strongest_first(links)) by_component[ends[component[links.a[at]]]++] = at;
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
    const std::span<const std::uint32_t> own(by_component.data() + begin, ends[c] - begin);
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

Principals principals(std::span<const std::uint32_t> order, const Links& links) {
  const std::size_t nodes = order.size();
  std::vector<std::uint32_t> turn(nodes);
  for (std::size_t i = 0; i < nodes; ++i) turn[order[i]] = static_cast<std::uint32_t>(i);

  // For every content, by its turn, the turns of the contents linked to it that come before it.
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

  Principals result{std::vector<std::uint32_t>(nodes), std::vector<std::uint32_t>(nodes, kNoLink)};
  std::iota(result.of.begin(), result.of.end(), 0U);
  const auto offer = [&](std::uint32_t member, std::uint32_t principal, std::size_t link) {
    const std::uint32_t known = result.via[member];
    if (known != kNoLink) {
      const double before = links.strength[known], now = links.strength[link];
      if (now < before || (now == before && turn[principal] >= turn[result.of[member]])) return;
    }
    result.of[member] = principal;
    result.via[member] = static_cast<std::uint32_t>(link);
  };
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto [first, second] = turns(i);
    if (leads[first]) offer(order[second], order[first], i);
  }
  return result;
}

std::vector<std::uint32_t> containers(std::span<const std::uint8_t> alone, const Containments& pairs, double share,
                                      std::int64_t size) {
  const std::size_t nodes = alone.size();
  std::vector<std::uint32_t> container(nodes);
  std::iota(container.begin(), container.end(), 0U);
  // Each content has one size: where texts are not kept every match estimates its own, and three contents could each be
  // larger than the next.
  std::vector<std::int64_t> size_of(nodes);
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    size_of[pairs.a[i]] = std::max(size_of[pairs.a[i]], pairs.size_a[i]);
    size_of[pairs.b[i]] = std::max(size_of[pairs.b[i]], pairs.size_b[i]);
  }
  std::vector<double> best(nodes);
  const auto offer = [&](std::uint32_t part, std::uint32_t candidate, double contained) {
    if (!alone[part] || !(contained >= share) || size_of[part] < size) return;
    // The container is the larger one; of two equal ones that with the larger row, so that no two contain each other.
    if (size_of[candidate] < size_of[part] || (size_of[candidate] == size_of[part] && candidate < part)) return;
    // The best container holds most of the part; of equal ones it is the smallest.
    const std::uint32_t known = container[part];
    const bool better = known == part || contained > best[part] ||
                        (contained == best[part] &&
                         std::pair(size_of[candidate], candidate) < std::pair(size_of[known], known));
    if (!better) return;
    container[part] = candidate;
    best[part] = contained;
  };
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    offer(pairs.a[i], pairs.b[i], pairs.a_in_b[i]);
    offer(pairs.b[i], pairs.a[i], pairs.b_in_a[i]);
  }
  // A part of a part belongs where its container belongs. Each is larger than the last, so the loop ends.
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::uint32_t outermost = node;
    while (container[outermost] != outermost) outermost = container[outermost];
    for (std::uint32_t part = node; part != outermost;) {
      const std::uint32_t next = container[part];
      container[part] = outermost;
      part = next;
    }
  }
  return container;
}

}  // namespace nearkin
