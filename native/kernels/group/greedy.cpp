#include "group/greedy.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/sort.hpp"

namespace nearkin {
namespace {

using Id = std::uint32_t;
using Ids = std::vector<Id>;

// Features as small numbers in the order of the features. A feature that a signature repeats counts as several: its
// second occurrence there is the same as the second occurrence elsewhere, so min(count, count) are in common.
struct Vocabulary {
  std::vector<Id> ids;                 // of every place in the signatures
  std::vector<std::uint64_t> feature;  // of every id
  std::vector<std::uint32_t> weight, holders;

  explicit Vocabulary(const Signatures& s) : ids(s.features.size()) {
    struct Place {
      std::uint64_t feature;
      std::uint32_t occurrence;
      std::uint64_t at;
    };
    std::vector<Place> places(ids.size());
    for (std::size_t row = 0; row < s.rows(); ++row) {
      for (std::uint64_t at = s.offsets[row]; at < s.offsets[row + 1]; ++at) {
        const bool again = at > s.offsets[row] && s.features[at - 1] == s.features[at];
        places[at] = {s.features[at], again ? places[at - 1].occurrence + 1 : 0, at};
      }
    }
    sort_by_feature(places.data(), places.size(), [](const Place& p) { return p.feature; },
                    [](const Place& a, const Place& b) {
                      return a.feature != b.feature ? a.feature < b.feature : a.occurrence < b.occurrence;
                    });
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& place = places[i];
      if (i == 0 || places[i - 1].feature != place.feature || places[i - 1].occurrence != place.occurrence) {
        feature.push_back(place.feature);
        weight.push_back(s.weights.empty() ? 1 : s.weights[place.at]);
        holders.push_back(0);
      }
      ++holders.back();
      ids[place.at] = static_cast<Id>(feature.size() - 1);
    }
  }
};

// Which clusters have a feature in their representative. No more than signatures have it, so each list has its place.
class Index {
 public:
  explicit Index(const std::vector<std::uint32_t>& holders) : start_(holders.size()), used_(holders.size(), 0) {
    std::uint64_t next = 0;
    for (std::size_t id = 0; id < holders.size(); ++id) {
      start_[id] = next;
      next += holders[id];
    }
    clusters_.resize(next);
  }

  std::span<const std::uint32_t> operator[](Id id) const { return {clusters_.data() + start_[id], used_[id]}; }

  void add(Id id, std::uint32_t cluster) { clusters_[start_[id] + used_[id]++] = cluster; }

  void remove(Id id, std::uint32_t cluster) {
    std::uint32_t* first = clusters_.data() + start_[id];
    std::uint32_t* last = first + used_[id]--;
    *std::find(first, last, cluster) = *(last - 1);
  }

 private:
  std::vector<std::uint64_t> start_;
  std::vector<std::uint32_t> used_, clusters_;
};

// A signature, or a representative: ids ascending.
struct Sketch {
  std::span<const Id> ids;
  std::uint64_t modulus;
};

struct Cluster {
  std::uint32_t founder;
  Ids representative;
  std::uint64_t modulus;
  std::unordered_map<Id, std::uint32_t> members_with;  // counted where popular ones represent

  Sketch sketch() const { return {representative, modulus}; }
};

class Clustering {
 public:
  Clustering(const Signatures& signatures, const GreedyOptions& options)
      : s_(signatures), options_(options), words_(signatures), index_(words_.holders) {}

  Greedy run(std::span<const std::uint32_t> order) {
    Greedy out{std::vector<std::uint32_t>(s_.rows()), std::vector<double>(s_.rows(), 0.0)};
    std::vector<std::uint32_t> home(s_.rows());
    for (const std::uint32_t row : order) {
      const Best best = best_for(sketch(row));
      home[row] = best.found ? best.cluster : static_cast<std::uint32_t>(clusters_.size());
      if (best.found) join(clusters_[best.cluster], best.cluster, row);
      else found(row);
    }
    for (const std::uint32_t row : order) {
      const Cluster& cluster = clusters_[home[row]];
      out.founder[row] = cluster.founder;
      out.nearness[row] = resemblance(sketch(row), cluster.sketch());
    }
    return out;
  }

 private:
  struct Best {
    bool found = false;
    double resemblance = 0.0;
    std::uint32_t cluster = 0;
  };

  Sketch sketch(std::uint32_t row) const {
    const std::uint64_t first = s_.offsets[row];
    return {{words_.ids.data() + first, static_cast<std::size_t>(s_.offsets[row + 1] - first)}, s_.moduli[row]};
  }

  bool at(Id id, std::uint64_t modulus) const { return words_.feature[id] % modulus == 0; }

  Best best_for(const Sketch& query) {
    met_.resize(clusters_.size(), 0);
    ++now_;
    Best best;
    // The rarest first. What resembles the query by the threshold has that share of its weight in common with it, so a
    // cluster that was not met until less than this share is left will not be met in time.
    by_rarity_.assign(query.ids.begin(), query.ids.end());
    std::sort(by_rarity_.begin(), by_rarity_.end(), [&](Id a, Id b) {
      const std::size_t many = index_[a].size(), others = index_[b].size();
      return many != others ? many < others : a < b;
    });
    probe(query, query.modulus, best);
    // Both are compared at the larger modulus: where that is the cluster's, less of the query's weight is left to
    // share.
    for (const std::uint64_t modulus : moduli_) {
      if (modulus > query.modulus) probe(query, modulus, best);
    }
    return best;
  }

  void probe(const Sketch& query, std::uint64_t modulus, Best& best) {
    const bool all = modulus == query.modulus;
    double whole = 0.0;
    for (const Id id : by_rarity_) {
      if (all || at(id, modulus)) whole += words_.weight[id];
    }
    double left = whole;
    for (const Id id : by_rarity_) {
      if (!all && !at(id, modulus)) continue;
      if (left < options_.threshold * whole * (1.0 - 1e-9)) return;
      left -= words_.weight[id];
      for (const std::uint32_t cluster : index_[id]) {
        if (std::exchange(met_[cluster], now_) == now_) continue;
        const double value = resemblance(query, clusters_[cluster].sketch());
        if (value < options_.threshold) continue;
        if (!best.found || value > best.resemblance || (value == best.resemblance && cluster < best.cluster))
          best = {true, value, cluster};
      }
    }
  }

  double resemblance(const Sketch& a, const Sketch& b) const {
    const std::uint64_t modulus = std::max(a.modulus, b.modulus);
    const bool all_a = a.modulus == modulus, all_b = b.modulus == modulus;
    const bool cut = options_.agreement == Agreement::kSmallest && std::max(a.ids.size(), b.ids.size()) >= options_.most;
    const std::uint64_t most = cut ? options_.most : ~std::uint64_t{0};
    const bool weigh = options_.agreement == Agreement::kOverlap;
    std::uint64_t shared = 0, whole = 0, taken = 0, i = 0, j = 0;
    while ((i < a.ids.size() || j < b.ids.size()) && taken < most) {
      const bool in_a = i < a.ids.size() && (j == b.ids.size() || a.ids[i] <= b.ids[j]);
      const bool in_b = j < b.ids.size() && (i == a.ids.size() || b.ids[j] <= a.ids[i]);
      const Id id = in_a ? a.ids[i] : b.ids[j];
      i += in_a;
      j += in_b;
      if (!in_b && !all_a && !at(id, modulus)) continue;
      if (!in_a && !all_b && !at(id, modulus)) continue;
      const std::uint64_t weight = weigh ? words_.weight[id] : 1;
      whole += weight;
      ++taken;
      if (in_a && in_b) shared += weight;
    }
    if (options_.agreement == Agreement::kSlots) whole = std::max(a.ids.size(), b.ids.size());
    return whole == 0 ? 0.0 : static_cast<double>(shared) / static_cast<double>(whole);
  }

  void found(std::uint32_t row) {
    const Sketch mine = sketch(row);
    const auto number = static_cast<std::uint32_t>(clusters_.size());
    Cluster& cluster = clusters_.emplace_back(Cluster{row, Ids(mine.ids.begin(), mine.ids.end()), mine.modulus, {}});
    for (const Id id : cluster.representative) {
      index_.add(id, number);
      if (options_.popular) cluster.members_with[id] = 1;
    }
    remember(mine.modulus);
  }

  void remember(std::uint64_t modulus) {
    const auto place = std::lower_bound(moduli_.begin(), moduli_.end(), modulus);
    if (place == moduli_.end() || *place != modulus) moduli_.insert(place, modulus);
  }

  // With the most popular features as representative it may change with every member. Only features that the new
  // member has can have become more popular than those that represented the cluster before.
  void join(Cluster& cluster, std::uint32_t number, std::uint32_t row) {
    if (!options_.popular) return;
    const Sketch mine = sketch(row);
    const Ids before = cluster.representative;
    Ids running = before;
    for (const Id id : mine.ids) {
      if (!at(id, cluster.modulus)) continue;
      ++cluster.members_with[id];
      running.push_back(id);
    }
    if (mine.modulus > cluster.modulus) {
      raise(cluster, mine.modulus);
      running.clear();
      for (const auto& [id, often] : cluster.members_with) running.push_back(id);
    }
    std::sort(running.begin(), running.end());
    running.erase(std::unique(running.begin(), running.end()), running.end());
    const std::size_t size = std::min(running.size(), founder_size(cluster));
    std::nth_element(running.begin(), running.begin() + static_cast<std::ptrdiff_t>(size), running.end(),
                     [&](Id a, Id b) {
                       const std::uint32_t often = cluster.members_with[a], other = cluster.members_with[b];
                       return often != other ? often > other : a < b;
                     });
    running.resize(size);
    std::sort(running.begin(), running.end());
    for (const Id id : before) {
      if (!std::binary_search(running.begin(), running.end(), id)) index_.remove(id, number);
    }
    for (const Id id : running) {
      if (!std::binary_search(before.begin(), before.end(), id)) index_.add(id, number);
    }
    cluster.representative = std::move(running);
  }

  // From now on the cluster is known at a larger modulus only.
  void raise(Cluster& cluster, std::uint64_t modulus) {
    std::erase_if(cluster.members_with, [&](const auto& entry) { return !at(entry.first, modulus); });
    cluster.modulus = modulus;
    remember(modulus);
  }

  // "The s most popular fingerprints": as many as its first member has.
  std::size_t founder_size(const Cluster& cluster) const {
    const Sketch founder = sketch(cluster.founder);
    if (founder.modulus == cluster.modulus) return founder.ids.size();
    return static_cast<std::size_t>(
        std::count_if(founder.ids.begin(), founder.ids.end(), [&](Id id) { return at(id, cluster.modulus); }));
  }

  const Signatures& s_;
  const GreedyOptions& options_;
  Vocabulary words_;
  Index index_;
  std::vector<Cluster> clusters_;
  std::vector<std::uint64_t> moduli_;  // of the representatives, ascending
  std::vector<std::uint64_t> met_;     // by which query a cluster was last met
  std::uint64_t now_ = 0;
  Ids by_rarity_;
};

}  // namespace

Greedy greedy(const Signatures& signatures, std::span<const std::uint32_t> order, const GreedyOptions& options) {
  return Clustering(signatures, options).run(order);
}

}  // namespace nearkin
