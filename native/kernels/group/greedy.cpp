#include "group/greedy.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/sort.hpp"

namespace nearkin {
namespace {

using Id = std::uint32_t;
using Ids = std::vector<Id>;

// Numbers the features in their order. A feature that a signature repeats counts as several: its second occurrence
// there equals the second occurrence elsewhere, so min(count, count) are in common.
struct Vocabulary {
  std::vector<Id> ids;                 // by place in the signatures
  std::vector<std::uint64_t> feature;  // by id
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

// The clusters that have a feature in their representative. They are no more than the signatures that have it, so each
// list has a fixed place.
class RepresentativeIndex {
 public:
  explicit RepresentativeIndex(const std::vector<std::uint32_t>& holders)
      : start_(holders.size()), used_(holders.size(), 0) {
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

// A signature or a representative: ids ascending.
struct FeatureSet {
  std::span<const Id> ids;
  std::uint64_t modulus;
};

struct Cluster {
  std::uint32_t founder;
  Ids representative;
  std::uint64_t modulus;
  std::unordered_map<Id, std::uint32_t> members_with;  // counted if popular features represent the cluster

  FeatureSet features() const { return {representative, modulus}; }
};

class Clustering {
 public:
  Clustering(const Signatures& signatures, const GreedyOptions& options)
      : s_(signatures), options_(options), vocabulary_(signatures), index_(vocabulary_.holders) {}

  Greedy run(std::span<const std::uint32_t> order) {
    Greedy out{std::vector<std::uint32_t>(s_.rows()), std::vector<double>(s_.rows(), 0.0)};
    std::vector<std::uint32_t> cluster_of(s_.rows());
    for (const std::uint32_t row : order) {
      const Best best = best_for(features_of(row));
      cluster_of[row] = best.exists ? best.cluster : static_cast<std::uint32_t>(clusters_.size());
      if (best.exists) join(clusters_[best.cluster], best.cluster, row);
      else add_cluster(row);
    }
    for (const std::uint32_t row : order) {
      const Cluster& cluster = clusters_[cluster_of[row]];
      out.founder[row] = cluster.founder;
      out.nearness[row] = resemblance(features_of(row), cluster.features());
    }
    return out;
  }

 private:
  struct Best {
    bool exists = false;
    double resemblance = 0.0;
    std::uint32_t cluster = 0;
  };

  FeatureSet features_of(std::uint32_t row) const {
    const std::uint64_t first = s_.offsets[row];
    return {{vocabulary_.ids.data() + first, static_cast<std::size_t>(s_.offsets[row + 1] - first)}, s_.moduli[row]};
  }

  bool at(Id id, std::uint64_t modulus) const { return vocabulary_.feature[id] % modulus == 0; }

  Best best_for(const FeatureSet& query) {
    met_.resize(clusters_.size(), 0);
    ++now_;
    Best best;
    // The rarest feature comes first. A cluster that resembles the query by the threshold shares that part of its
    // weight, so a cluster that was not met before less than this part is left need not be met.
    by_rarity_.assign(query.ids.begin(), query.ids.end());
    std::sort(by_rarity_.begin(), by_rarity_.end(), [&](Id a, Id b) {
      const std::size_t clusters_a = index_[a].size(), clusters_b = index_[b].size();
      return clusters_a != clusters_b ? clusters_a < clusters_b : a < b;
    });
    probe(query, query.modulus, best);
    // Both are compared at the larger modulus: where that is the cluster's, less of the query's weight can be shared.
    for (const std::uint64_t modulus : moduli_) {
      if (modulus > query.modulus) probe(query, modulus, best);
    }
    return best;
  }

  void probe(const FeatureSet& query, std::uint64_t modulus, Best& best) {
    const bool all = modulus == query.modulus;
    double whole = 0.0;
    for (const Id id : by_rarity_) {
      if (all || at(id, modulus)) whole += vocabulary_.weight[id];
    }
    double left = whole;
    for (const Id id : by_rarity_) {
      if (!all && !at(id, modulus)) continue;
      if (left < options_.threshold * whole * (1.0 - 1e-9)) return;
      left -= vocabulary_.weight[id];
      for (const std::uint32_t cluster : index_[id]) {
        if (std::exchange(met_[cluster], now_) == now_) continue;
        const double value = resemblance(query, clusters_[cluster].features());
        if (value < options_.threshold) continue;
        if (!best.exists || value > best.resemblance || (value == best.resemblance && cluster < best.cluster))
          best = {true, value, cluster};
      }
    }
  }

  double resemblance(const FeatureSet& a, const FeatureSet& b) const {
    const std::uint64_t modulus = std::max(a.modulus, b.modulus);
    const bool all_a = a.modulus == modulus, all_b = b.modulus == modulus;
    const bool cut =
        options_.agreement == Agreement::kSmallest && std::max(a.ids.size(), b.ids.size()) >= options_.most;
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
      const std::uint64_t weight = weigh ? vocabulary_.weight[id] : 1;
      whole += weight;
      ++taken;
      if (in_a && in_b) shared += weight;
    }
    if (options_.agreement == Agreement::kSlots) whole = std::max(a.ids.size(), b.ids.size());
    return whole == 0 ? 0.0 : static_cast<double>(shared) / static_cast<double>(whole);
  }

  void add_cluster(std::uint32_t row) {
    const FeatureSet mine = features_of(row);
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

  // Adds a row to a cluster. A representative of the most popular features may change with every member; only features
  // that the new member has can have become more popular than those that represented the cluster before.
  void join(Cluster& cluster, std::uint32_t number, std::uint32_t row) {
    if (!options_.popular) return;
    const FeatureSet mine = features_of(row);
    const Ids before = cluster.representative;
    Ids candidates = before;
    for (const Id id : mine.ids) {
      if (!at(id, cluster.modulus)) continue;
      ++cluster.members_with[id];
      candidates.push_back(id);
    }
    if (mine.modulus > cluster.modulus) {
      raise(cluster, mine.modulus);
      candidates.clear();
      for (const auto& [id, members] : cluster.members_with) candidates.push_back(id);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const std::size_t size = std::min(candidates.size(), founder_size(cluster));
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(size), candidates.end(),
                     [&](Id a, Id b) {
                       const std::uint32_t members_a = cluster.members_with[a], members_b = cluster.members_with[b];
                       return members_a != members_b ? members_a > members_b : a < b;
                     });
    candidates.resize(size);
    std::sort(candidates.begin(), candidates.end());
    for (const Id id : before) {
      if (!std::binary_search(candidates.begin(), candidates.end(), id)) index_.remove(id, number);
    }
    for (const Id id : candidates) {
      if (!std::binary_search(before.begin(), before.end(), id)) index_.add(id, number);
    }
    cluster.representative = std::move(candidates);
  }

  // Raises a cluster to a larger modulus, at which alone it is known from now on.
  void raise(Cluster& cluster, std::uint64_t modulus) {
    std::erase_if(cluster.members_with, [&](const auto& entry) { return !at(entry.first, modulus); });
    cluster.modulus = modulus;
    remember(modulus);
  }

  // Returns the size of "the s most popular fingerprints": as many as the first member has.
  std::size_t founder_size(const Cluster& cluster) const {
    const FeatureSet founder = features_of(cluster.founder);
    if (founder.modulus == cluster.modulus) return founder.ids.size();
    return static_cast<std::size_t>(
        std::count_if(founder.ids.begin(), founder.ids.end(), [&](Id id) { return at(id, cluster.modulus); }));
  }

  const Signatures& s_;
  const GreedyOptions& options_;
  Vocabulary vocabulary_;
  RepresentativeIndex index_;
  std::vector<Cluster> clusters_;
  std::vector<std::uint64_t> moduli_;  // of the representatives, ascending
  std::vector<std::uint64_t> met_;     // by cluster: the last query that met it
  std::uint64_t now_ = 0;
  Ids by_rarity_;
};

}  // namespace

Greedy greedy(const Signatures& signatures, std::span<const std::uint32_t> order, const GreedyOptions& options) {
  return Clustering(signatures, options).run(order);
}

}  // namespace nearkin
