#include "candidates.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "judge.hpp"
#include "parallel.hpp"
#include "postings_index.hpp"
#include "singles.hpp"
#include "stars.hpp"

namespace nearkin {
namespace {

class Join {
 public:
  Join(const Postings& postings, const Bin* bin, const Thresholds& thresholds, unsigned threads)
      : postings_(postings),
        bin_(bin),
        thresholds_(thresholds),
        threads_(threads),
        index_(build_index(postings, bin, threads)),
        judge_(postings.evidence, thresholds, index_.base, longest()) {
    measure_lists();
    if (index_.often.empty()) {
      find_hot();
    } else {
      hot_as_in_whole();
    }
  }

  Candidates run() {
    Candidates found;
    if (!hot_runs_.empty()) link_stars(found);
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
    keep_strongest(all, thresholds_.floor_most);
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

  bool is_rare(std::uint32_t begin, std::uint32_t end) const {
    if (!index_.often.empty()) return index_.often[begin] <= thresholds_.floor_reach;
    return postings_.partial() ? !index_.common[begin] : end - begin <= thresholds_.floor_reach;
  }

  // Of a part of a collection only pairs with a touched content are wanted; of two bins, those across.
  bool counts(std::uint32_t rank, std::uint32_t other) const {
    const std::uint32_t i = index_.content[rank], j = index_.content[other];
    if (bin_ != nullptr) return bin_->side.empty() || bin_->side[i] != bin_->side[j];
    return !postings_.partial() || postings_.touched[i] || postings_.touched[j];
  }

  // Runs whose feature too many contents have in their prefix.
  void find_hot() {
    if (postings_.evidence.estimator == Estimator::collision) return;  // one feature in common is all there is
    for_each_run([&](std::uint32_t begin, std::uint32_t end) {
      if (end - begin <= thresholds_.hot) return;
      std::uint32_t inside = 0;
      for (auto slot = begin; slot < end; ++slot) inside += is_inside(slot);
      if (inside <= thresholds_.hot) return;
      if (hot_.empty()) hot_.assign(index_.slots.size(), 0);
      hot_[begin] = 1;
      hot_runs_.push_back({begin, end});
    });
  }

  void hot_as_in_whole() {
    if (bin_->hot.empty()) return;
    hot_.assign(index_.slots.size(), 0);
    for_each_run([&](std::uint32_t begin, std::uint32_t) {
      hot_[begin] = std::binary_search(bin_->hot.begin(), bin_->hot.end(), index_.feature[begin]);
    });
    if (bin_->home.empty()) return;
    for (const auto content : index_.content) home_.push_back(bin_->home[content]);
  }

  template <class Work>
  void for_each_run(Work&& work) const {
    const auto slots = static_cast<std::uint32_t>(index_.slots.size());
    for (std::uint32_t begin = 0, end = 0; begin < slots; begin = end) {
      for (end = begin + 1; end < slots && index_.feature[end] == index_.feature[begin];) ++end;
      work(begin, end);
    }
  }

  bool is_inside(std::uint32_t slot) const {
    const Slot one = index_.slots[slot];
    return one.left >= judge_.prefix(index_.level[one.rank], index_.size[one.rank]);
  }

  bool is_hot(std::uint32_t begin) const { return !hot_.empty() && hot_[begin]; }

  void link_stars(Candidates& found) {
    Stars stars(index_.content.size());
    const auto compare = [&](std::uint32_t principal, std::uint32_t rank) -> std::optional<Candidate> {
      Candidate pair = measured(principal, rank, std::max(index_.level[principal], index_.level[rank]));
      if (!judge_.is_strong(pair, sized(principal), sized(rank), false)) return {};
      return pair;
    };
    for (const auto& [begin, end] : hot_runs_) {
      const std::vector<std::uint32_t> inside = ranks_inside(begin, end);
      for (const std::uint32_t rank : inside) found.starred.push_back(index_.content[rank]);
      stars.link(inside, compare, found.pairs);
    }
    std::erase_if(found.pairs, [&](const Candidate& pair) {
      return postings_.partial() && !postings_.touched[pair.a] && !postings_.touched[pair.b];
    });
    home_ = std::move(stars).homes();
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

  bool in_one_star(std::uint32_t rank, std::uint32_t other) const {
    return !home_.empty() && home_[rank] != Stars::kNowhere && home_[rank] == home_[other];
  }

  void look_up(std::uint32_t rank, Probe& probe) const {
    if (postings_.evidence.estimator == Estimator::collision) return collide(rank, probe);
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
    const Least& limit = judge_.least(level);
    const auto [least_alike, least_weak, least_part] = judge_.bounds(level, size);
    const std::uint64_t enough = std::min({least_alike, least_weak, least_part});
    const bool tells = judge_.says_enough(sized(rank), level);
    // Below these ranks contents are too small to be like this one, or to contain it.
    const std::uint32_t first = index_.level_start[level], last = index_.level_start[level + 1];
    const std::uint32_t like_from =
        std::max(at_home ? rank + 1 : first, first_of_size(level, std::min(least_alike, least_weak)));
    const std::uint32_t part_from = first_of_size(level, least_part);
    const bool guests = at_home && largest_guest_[level] >= least_part;

    std::uint64_t left = listed_[static_cast<std::size_t>(rank) * index_.levels + level];
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

  // How much a content has at a level; its own or a higher one.
  std::uint64_t size_at(std::uint32_t rank, std::uint32_t level) const { return sized(rank).sizes[level]; }

  Sized sized(std::uint32_t rank) const {
    const std::span<const std::uint64_t> sizes = bin_ != nullptr ? bin_->sizes : listed_;
    const std::size_t row = bin_ != nullptr ? index_.content[rank] : rank;
    return {index_.level[rank], sizes.subspan(row * index_.levels, index_.levels)};
  }

  void measure_lists() {
    const auto contents = static_cast<std::uint32_t>(index_.content.size());
    listed_.assign(static_cast<std::size_t>(contents) * index_.levels, 0);
    parallel_blocks(contents, 256, threads_, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t rank = from; rank < to; ++rank) {
        std::uint64_t* const sizes = listed_.data() + rank * index_.levels;
        for (auto place = index_.offset[rank]; place < index_.offset[rank + 1]; ++place) {
          const auto highest = highest_level(index_.feature[index_.order[place].slot], index_.base, index_.levels);
          for (std::uint32_t level = index_.level[rank]; level <= std::max<std::uint32_t>(highest, index_.level[rank]); ++level)
            sizes[level] += weight(place);
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
    candidate.strong = judge_.is_strong(candidate, sized(rank), sized(other), rare);
    if (candidate.strong || (rare && candidate.resemblance() >= thresholds_.floor)) probe.found.push_back(candidate);
  }

  // A pair of contents and what they share at a level, in order of their rows.
  Candidate measured(std::uint32_t rank, std::uint32_t other, std::uint32_t level) const {
    if (index_.content[rank] > index_.content[other]) std::swap(rank, other);
    const std::uint32_t i = index_.content[rank], j = index_.content[other];
    return judge_.measured(i, j, postings_.list(i), postings_.list(j), size_at(rank, level), size_at(other, level));
  }

  const Postings& postings_;
  const Bin* bin_;
  const Thresholds& thresholds_;
  unsigned threads_;
  PostingsIndex index_;
  Judge judge_;
  std::vector<std::uint64_t> listed_;         // by rank and level: how much of the list counts
  std::vector<std::uint32_t> home_;           // by rank: the principal of its star; empty: there are none
  std::vector<std::uint8_t> hot_;             // by slot that begins a run; empty: none is hot
  std::vector<std::pair<std::uint32_t, std::uint32_t>> hot_runs_;
  std::vector<std::uint64_t> largest_guest_;  // by level: the largest size there of a content of a lower one
};

}  // namespace

void in_order(std::vector<Candidate>& all) {
  std::sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  const auto last = std::unique(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
    return x.a == y.a && x.b == y.b;
  });
  all.erase(last, all.end());
}

void keep_strongest(std::vector<Candidate>& all, std::uint32_t most) {
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
    if (taken < most) keep[seats[i].candidate] = 1;
  }
  std::size_t to = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].strong || keep[i]) all[to++] = all[i];
  all.resize(to);
}

Candidates find_candidates(const Postings& postings, const Thresholds& thresholds, unsigned threads) {
  if (postings.moduli.empty()) return {};
  const unsigned on = std::max(1U, threads);
  const Estimator estimator = postings.evidence.estimator;
  // Of samples cut at n everything is needed: it tells where they are cut.
  if (postings.partial() || estimator == Estimator::collision || estimator == Estimator::smallest)
    return Join(postings, nullptr, thresholds, on).run();
  const WithoutSingles rest(postings, on);
  const Bin bin = rest.bin();
  return Join(rest.lists(postings), &bin, thresholds, on).run();
}

Candidates find_candidates(const Postings& postings, const Bin& bin, const Thresholds& thresholds, unsigned threads) {
  if (postings.moduli.empty()) return {};
  return Join(postings, &bin, thresholds, std::max(1U, threads)).run();
}

}  // namespace nearkin
