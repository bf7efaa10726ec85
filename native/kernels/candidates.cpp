#include "candidates.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "least.hpp"
#include "overlap.hpp"
#include "parallel.hpp"
#include "postings_index.hpp"

namespace nearkin {
namespace {

// Of a hot feature: as many groups of unlike contents that share it can be told apart.
constexpr std::size_t kPrincipals = 32;
constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

class Join {
 public:
  Join(const Postings& postings, const Thresholds& thresholds, unsigned threads)
      : postings_(postings),
        thresholds_(thresholds),
        threads_(threads),
        index_(build_index(postings, threads)),
        resemblance_(thresholds.resemblance, thresholds.confidence, 2 * longest()),
        containment_(thresholds.containment, thresholds.confidence, longest()),
        exact_{resemblance_, containment_, thresholds.floor, true},
        sampled_{resemblance_, containment_, thresholds.floor, false} {
    if (postings.limit != 0) {
      sampled_.most_alike = sampled_.alike(postings.limit);
      sampled_.most_weak = static_cast<std::uint64_t>(thresholds.floor * static_cast<double>(postings.limit));
    }
    measure_sizes();
    find_hot();
  }

  Candidates run() {
    Candidates found;
    if (!hot_.empty()) link_stars(found);
    const std::size_t contents = index_.content.size();
    std::vector<Probe> probes(threads_);
    parallel_blocks(contents, 64, threads_, [&](unsigned thread, std::size_t from, std::size_t to) {
      Probe& probe = probes[thread];
      if (probe.seen.empty()) probe.seen.assign(contents, ~std::uint32_t{0});
      for (std::size_t rank = from; rank < to; ++rank) look_up(static_cast<std::uint32_t>(rank), probe);
    });
    std::vector<Candidate>& all = found.pairs;
    found.hot_links = all.size();
    for (auto& probe : probes) {
      all.insert(all.end(), probe.found.begin(), probe.found.end());
      probe = {};
    }
    in_order(all);
    keep_strongest(all);
    return found;
  }

 private:
  struct Probe {
    std::vector<std::uint32_t> seen;  // by rank: the last rank that met it
    std::vector<Candidate> found;
  };

  std::uint64_t longest() const {
    std::uint64_t most = 1;
    for (const auto size : index_.size) most = std::max(most, size);
    return most;
  }

  // What lists of a level must share at the least, whatever they turn out to be: complete or cut at n.
  const Least& least(std::uint32_t level) const {
    if (postings_.limit != 0) return sampled_;
    return !postings_.sampled || (index_.base << level) == 1 ? exact_ : sampled_;
  }

  bool is_rare(std::uint32_t begin, std::uint32_t end) const {
    return postings_.partial() ? !index_.common[begin] : end - begin <= thresholds_.floor_reach;
  }

  // Of a part of a collection only pairs with a touched content are wanted.
  bool counts(std::uint32_t rank, std::uint32_t other) const {
    return !postings_.partial() || postings_.touched[index_.content[rank]] || postings_.touched[index_.content[other]];
  }

  // A pair may be met from both sides: as alike, and as part and container.
  static void in_order(std::vector<Candidate>& all) {
    std::sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
      return x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    const auto last = std::unique(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
      return x.a == y.a && x.b == y.b;
    });
    all.erase(last, all.end());
  }

  // The least a content must share with any other to be like it, or to be contained in it. Its prefix is that part of
  // its list from which on so much is left.
  std::uint64_t least_shared(std::uint32_t rank) const {
    const Least& limit = least(index_.level[rank]);
    const std::uint64_t alike = limit.alike(index_.size[rank]);
    return postings_.contains ? std::min(alike, limit.part(index_.size[rank])) : alike;
  }

  // Runs whose feature too many contents have in their prefix.
  void find_hot() {
    if (postings_.estimator == Estimator::collision) return;  // one feature in common is all there is
    const auto slots = static_cast<std::uint32_t>(index_.slots.size());
    for (std::uint32_t begin = 0; begin < slots;) {
      std::uint32_t end = begin + 1;
      while (end < slots && index_.feature[end] == index_.feature[begin]) ++end;
      if (end - begin > thresholds_.hot) {
        std::uint32_t inside = 0;
        for (auto slot = begin; slot < end; ++slot) inside += is_inside(slot);
        if (inside > thresholds_.hot) {
          if (hot_.empty()) hot_.assign(slots, 0);
          hot_[begin] = 1;
          hot_runs_.push_back({begin, end});
        }
      }
      begin = end;
    }
  }

  bool is_inside(std::uint32_t slot) const {
    return index_.slots[slot].left >= least_shared(index_.slots[slot].rank);
  }

  bool is_hot(std::uint32_t begin) const { return !hot_.empty() && hot_[begin]; }

  // Each content of a hot run is compared with the run's principals until it is like one: with those of contents that
  // another run has linked already, then with the contents that were like none, largest first. So near-identical texts
  // hang on one principal, and a run that several groups share has one for each, up to a limit. Runs come in one order,
  // so it does not matter who works on them.
  //
  // Two contents of one star are not compared with each other, whatever else they share: that would be all pairs again.
  void link_stars(Candidates& found) {
    home_.assign(index_.content.size(), kNowhere);
    for (const auto& [begin, end] : hot_runs_) {
      const std::vector<std::uint32_t> inside = ranks_inside(begin, end);
      std::vector<std::uint32_t> principals;
      for (const std::uint32_t rank : inside) {
        found.starred.push_back(index_.content[rank]);
        const std::uint32_t home = home_[rank];
        if (home != kNowhere && principals.size() < kPrincipals &&
            std::find(principals.begin(), principals.end(), home) == principals.end())
          principals.push_back(home);
      }
      for (const std::uint32_t rank : inside)
        if (home_[rank] == kNowhere) link(rank, principals, found.pairs);
    }
    in_order(found.pairs);
    std::sort(found.starred.begin(), found.starred.end());
    found.starred.erase(std::unique(found.starred.begin(), found.starred.end()), found.starred.end());
    found.hot_features = hot_runs_.size();
  }

  // Those with the run's feature in their prefix, largest first.
  std::vector<std::uint32_t> ranks_inside(std::uint32_t begin, std::uint32_t end) const {
    std::vector<std::uint32_t> inside;
    for (auto slot = begin; slot < end; ++slot)
      if (is_inside(slot)) inside.push_back(index_.slots[slot].rank);
    std::sort(inside.begin(), inside.end(), [&](std::uint32_t x, std::uint32_t y) {
      const std::uint64_t size_x = index_.size[x] << index_.level[x], size_y = index_.size[y] << index_.level[y];
      return size_x != size_y ? size_x > size_y : index_.content[x] < index_.content[y];
    });
    inside.erase(std::unique(inside.begin(), inside.end()), inside.end());  // repeated features
    return inside;
  }

  void link(std::uint32_t rank, std::vector<std::uint32_t>& principals, std::vector<Candidate>& links) {
    for (const std::uint32_t principal : principals) {
      Candidate pair = measured(principal, rank, std::max(index_.level[principal], index_.level[rank]));
      pair.strong = is_strong(pair, principal, rank, false);
      if (!pair.strong) continue;
      home_[rank] = principal;
      if (counts(principal, rank)) links.push_back(pair);
      return;
    }
    if (principals.size() < kPrincipals) {
      principals.push_back(rank);
      home_[rank] = rank;
    }
  }

  bool in_one_star(std::uint32_t rank, std::uint32_t other) const {
    return !home_.empty() && home_[rank] != kNowhere && home_[rank] == home_[other];
  }

  // Whether a sample of this size says enough to look for what contains the content, even by a common feature.
  bool says_enough(std::uint32_t rank, std::uint32_t level, std::uint64_t size) const {
    return least(level).exact || size >= thresholds_.short_sample ||
           index_.size[rank] * postings_.moduli[index_.content[rank]] >= thresholds_.short_part;
  }

  void look_up(std::uint32_t rank, Probe& probe) const {
    if (postings_.estimator == Estimator::collision) return collide(rank, probe);
    for (std::uint32_t level = index_.level[rank]; level < index_.levels; ++level)
      if (index_.level_start[level] < index_.level_start[level + 1]) look_up(rank, level, probe);
  }

  void collide(std::uint32_t rank, Probe& probe) const {
    for (auto place = index_.offset[rank]; place < index_.offset[rank + 1]; ++place) {
      const auto [slot, begin, end] = index_.order[place];
      for (auto other = slot_from(begin, end, rank + 1); other < end; ++other) {
        const std::uint32_t met = index_.slots[other].rank;
        if (counts(rank, met) && std::exchange(probe.seen[met], rank) != rank) probe.found.push_back(measured(rank, met, 0));
      }
    }
  }

  // Meets the contents whose own level this is: those alike (on its own level the ones ranked after it) and those that
  // may contain it. On its own level it also meets contents of lower levels that may contain it: a long text that says
  // the same over and over has few features for its modulus.
  void look_up(std::uint32_t rank, std::uint32_t level, Probe& probe) const {
    const std::uint64_t size = size_at(rank, level);
    if (size == 0) return;
    const bool at_home = level == index_.level[rank];
    const std::uint64_t mask = (std::uint64_t{1} << level) - 1;
    const Least& limit = least(level);
    const std::uint64_t least_part = postings_.contains ? limit.part(size) : std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t least_alike = limit.alike(size);
    const auto least_weak = static_cast<std::uint64_t>(thresholds_.floor * static_cast<double>(size));
    const std::uint64_t enough = std::min({least_alike, least_weak, least_part});
    const bool tells = says_enough(rank, level, size);
    // Below these ranks contents are too small to be like this one, or to contain it.
    const std::uint32_t first = index_.level_start[level], last = index_.level_start[level + 1];
    const std::uint32_t like_from =
        std::max(at_home ? rank + 1 : first, first_of_size(level, std::min(least_alike, least_weak)));
    const std::uint32_t part_from = first_of_size(level, least_part);
    const bool guests = at_home && largest_guest_[level] >= least_part;

    std::uint64_t left = size;
    for (auto place = index_.offset[rank]; place < index_.offset[rank + 1] && left >= enough; ++place) {
      const auto [slot, begin, end] = index_.order[place];
      if (!at_home && ((index_.feature[slot] / index_.base) & mask) != 0) continue;
      if (end - begin > 1 && !is_hot(begin)) {
        const bool rare = is_rare(begin, end);
        const std::uint32_t until = slot_from(begin, end, last);
        if (left >= least_alike || (rare && left >= least_weak)) {
          for (auto other = slot_from(begin, until, like_from); other < until; ++other) {
            const Slot met = index_.slots[other];
            const std::uint64_t sum = size + index_.size[met.rank];
            const std::uint64_t alike = limit.alike_of_sum(sum);
            const std::uint64_t need = rare ? std::min(limit.weak_of_sum(sum), alike) : alike;
            if (need > left) break;  // sizes only grow from here
            if (met.left >= need) score(rank, met.rank, level, rare, probe);
          }
        }
        if (left >= least_part && (tells || rare)) {
          for (auto other = slot_from(begin, until, part_from); other < until; ++other) {
            if (index_.slots[other].left < least_part) [[likely]] continue;
            if (const auto met = index_.slots[other].rank; met != rank) score(rank, met, level, rare, probe);
          }
          if (guests) {
            for (auto other = begin; other < end && index_.slots[other].rank < first; ++other)
              if (const auto met = index_.slots[other].rank; size_at(met, level) >= least_part)
                score(rank, met, level, rare, probe);
          }
        }
      }
      left -= weight(place);
    }
  }

  // How much of a content's list counts at a level; its own or a higher one.
  std::uint64_t size_at(std::uint32_t rank, std::uint32_t level) const {
    return sizes_[static_cast<std::size_t>(rank) * index_.levels + level];
  }

  void measure_sizes() {
    const auto contents = static_cast<std::uint32_t>(index_.content.size());
    sizes_.assign(static_cast<std::size_t>(contents) * index_.levels, 0);
    parallel_blocks(contents, 256, threads_, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t rank = from; rank < to; ++rank) {
        std::uint64_t* const sizes = sizes_.data() + rank * index_.levels;
        const std::uint32_t own = index_.level[rank];
        sizes[own] = index_.size[rank];
        if (own + 1 == index_.levels) continue;
        for (auto place = index_.offset[rank]; place < index_.offset[rank + 1]; ++place) {
          const std::uint64_t multiple = index_.feature[index_.order[place].slot] / index_.base;
          const auto highest = std::min<std::uint32_t>(index_.levels - 1, static_cast<std::uint32_t>(std::countr_zero(multiple)));
          for (std::uint32_t level = own + 1; level <= highest; ++level) sizes[level] += weight(place);
        }
      }
    });
    largest_guest_.assign(index_.levels, 0);
    for (std::uint32_t rank = 0; rank < contents; ++rank)
      for (std::uint32_t level = index_.level[rank] + 1U; level < index_.levels; ++level)
        largest_guest_[level] = std::max(largest_guest_[level], size_at(rank, level));
  }

  std::uint64_t weight(std::uint64_t place) const { return index_.weight.empty() ? 1 : index_.weight[place]; }

  // The first slot of a run whose rank is at least this.
  std::uint32_t slot_from(std::uint32_t begin, std::uint32_t end, std::uint32_t rank) const {
    const auto at = std::lower_bound(index_.slots.begin() + begin, index_.slots.begin() + end, rank,
                                     [](const Slot& slot, std::uint32_t value) { return slot.rank < value; });
    return static_cast<std::uint32_t>(at - index_.slots.begin());
  }

  std::uint32_t first_of_size(std::uint32_t level, std::uint64_t size) const {
    const auto from = index_.size.begin() + index_.level_start[level], to = index_.size.begin() + index_.level_start[level + 1];
    return static_cast<std::uint32_t>(std::lower_bound(from, to, size) - index_.size.begin());
  }

  void score(std::uint32_t rank, std::uint32_t other, std::uint32_t level, bool rare, Probe& probe) const {
    if (probe.seen[other] == rank || !counts(rank, other) || in_one_star(rank, other)) return;
    probe.seen[other] = rank;
    Candidate candidate = measured(rank, other, level);
    candidate.strong = is_strong(candidate, rank, other, rare);
    if (candidate.strong || (rare && candidate.resemblance() >= thresholds_.floor)) probe.found.push_back(candidate);
  }

  // Whether what two contents share may reach a threshold.
  bool is_strong(const Candidate& pair, std::uint32_t rank, std::uint32_t other, bool rare) const {
    const std::uint32_t level = std::max(index_.level[rank], index_.level[other]);
    const bool complete = postings_.estimator == Estimator::smallest && (index_.base << level) == 1 &&
                          std::max(pair.size_a, pair.size_b) < postings_.limit;
    const Least& limit = complete ? exact_ : least(level);
    const auto part_of = [&](std::uint32_t one) {
      const std::uint64_t size = size_at(one, level);
      return pair.shared >= limit.part(size) && (rare || says_enough(one, level, size));
    };
    return pair.shared >= limit.alike(pair.united) || (postings_.contains && (part_of(rank) || part_of(other)));
  }

  // A pair of contents and what they share at a level, in order of their rows.
  Candidate measured(std::uint32_t rank, std::uint32_t other, std::uint32_t level) const {
    if (index_.content[rank] > index_.content[other]) std::swap(rank, other);
    const std::uint32_t i = index_.content[rank], j = index_.content[other];
    Candidate pair{i, j, 0, size_at(rank, level), size_at(other, level), 0, true};
    const bool cut = std::max(pair.size_a, pair.size_b) >= postings_.limit;
    if (postings_.estimator == Estimator::smallest && cut) {
      pair.shared = shared_of_smallest(postings_, i, j);
      pair.united = postings_.limit;
    } else {
      pair.shared = shared_weight(postings_, i, j);
      pair.united = postings_.estimator == Estimator::slots ? postings_.limit : pair.size_a + pair.size_b - pair.shared;
    }
    return pair;
  }

  // Of the weak candidates, those among the strongest of one of their two contents; ties by the other's row.
  void keep_strongest(std::vector<Candidate>& all) const {
    struct Seat {
      std::uint32_t content, other, candidate;
      double resemblance;
    };
    std::vector<Seat> seats;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (all[i].strong) continue;
      seats.push_back({all[i].a, all[i].b, i, all[i].resemblance()});
      seats.push_back({all[i].b, all[i].a, i, all[i].resemblance()});
    }
    std::sort(seats.begin(), seats.end(), [](const Seat& x, const Seat& y) {
      if (x.content != y.content) return x.content < y.content;
      return x.resemblance != y.resemblance ? x.resemblance > y.resemblance : x.other < y.other;
    });
    std::vector<char> keep(all.size(), 0);
    std::uint32_t taken = 0;
    for (std::size_t i = 0; i < seats.size(); ++i) {
      taken = i > 0 && seats[i].content == seats[i - 1].content ? taken + 1 : 0;
      if (taken < thresholds_.floor_most) keep[seats[i].candidate] = 1;
    }
    std::size_t to = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].strong || keep[i]) all[to++] = all[i];
    all.resize(to);
  }

  const Postings& postings_;
  const Thresholds& thresholds_;
  unsigned threads_;
  PostingsIndex index_;
  Fewest resemblance_, containment_;
  Least exact_, sampled_;
  std::vector<std::uint64_t> sizes_;          // by rank and level
  std::vector<std::uint32_t> home_;           // by rank: the principal of its star; empty: there are none
  std::vector<std::uint8_t> hot_;             // by slot that begins a run; empty: none is hot
  std::vector<std::pair<std::uint32_t, std::uint32_t>> hot_runs_;
  std::vector<std::uint64_t> largest_guest_;  // by level: the largest size there of a content of a lower one
};

}  // namespace

Candidates find_candidates(const Postings& postings, const Thresholds& thresholds, unsigned threads) {
  if (postings.moduli.empty()) return {};
  return Join(postings, thresholds, std::max(1U, threads)).run();
}

}  // namespace nearkin
