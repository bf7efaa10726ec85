#include "join/candidates.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "join/postings.hpp"
#include "join/thresholds.hpp"

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
    const std::uint32_t common = postings.partial() ? PostingsIndex::kCommon : thresholds.floor_reach + 1;
    rare_until_ = static_cast<std::uint32_t>(
        std::lower_bound(index_.often.begin(), index_.often.end(), common) - index_.often.begin());
    measure_lists();
    if (bin == nullptr || bin->often.empty()) {
      find_hot();
    } else {
      hot_as_in_whole();
    }
  }

  Candidates run() {
    Candidates found;
    if (!hot_numbers_.empty()) link_stars(found);
    const std::size_t contents = index_.content.size();
    std::vector<Probe> probes(threads_);
    parallel_blocks(contents, 64, threads_, [&](unsigned thread, std::size_t from, std::size_t to) {
      Probe& probe = probes[thread];
      if (probe.seen.empty()) probe.seen.assign(contents, ~std::uint32_t{0});
      for (std::size_t rank = from; rank < to; ++rank) look_up(static_cast<std::uint32_t>(rank), probe);
    });
    found.hot_links = found.pairs.size();
    std::vector<UninitVector<Candidate>> pieces{std::move(found.pairs)};
    for (auto& probe : probes) std::move(probe.found.begin(), probe.found.end(), std::back_inserter(pieces));
    found.pairs = in_order(std::move(pieces), threads_);
    keep_strongest(found.pairs, thresholds_.floor_most);
    return found;
  }

 private:
  std::uint64_t longest() const {
    std::uint64_t most = 1;
    for (const auto size : index_.size) most = std::max(most, size);
    return most;
  }

  bool is_rare(std::uint32_t number) const { return number < rare_until_; }

  // Of a part of a collection only pairs with a touched content are wanted; of two bins, those across.
  bool counts(std::uint32_t rank, std::uint32_t other) const {
    const std::uint32_t i = index_.content[rank], j = index_.content[other];
    if (bin_ != nullptr) return bin_->side.empty() || bin_->side[i] != bin_->side[j];
    return !postings_.partial() || postings_.touched[i] || postings_.touched[j];
  }

  // Features that too many contents have in their prefix, in the order in which stars are made.
  void find_hot() {
    if (postings_.evidence.estimator == Estimator::collision) return;  // one feature in common is all there is
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // in how many prefixes, and which
    for (std::uint32_t number = 0; number < index_.feature.size(); ++number) {
      const auto [begin, end] = run(number);
      if (end - begin <= thresholds_.hot) continue;
      std::uint32_t inside = 0;
      for (auto slot = begin; slot < end; ++slot) inside += is_inside(index_.slots[slot]);
      if (inside <= thresholds_.hot) continue;
      if (hot_.empty()) hot_.assign(index_.feature.size(), 0);
      hot_[number] = 1;
      found.push_back({inside, number});
    }
    const auto place = [&](std::uint32_t number) { return place_of(index_.feature[number], postings_.evidence.estimator); };
    std::sort(found.begin(), found.end(), [&](const auto& x, const auto& y) {
      return x.first != y.first ? x.first < y.first : place(x.second) < place(y.second);
    });
    for (const auto& [inside, number] : found) hot_numbers_.push_back(number);
  }

  void hot_as_in_whole() {
    if (bin_->hot.empty()) return;
    hot_.assign(index_.feature.size(), 0);
    for (std::uint32_t number = 0; number < hot_.size(); ++number)
      hot_[number] = std::binary_search(bin_->hot.begin(), bin_->hot.end(), index_.feature[number]);
    if (bin_->home.empty()) return;
    for (const auto content : index_.content) home_.push_back(bin_->home[content]);
  }

  std::pair<std::uint32_t, std::uint32_t> run(std::uint32_t number) const {
    return {index_.run[number], index_.run[number + 1]};
  }

  bool is_inside(const Slot& one) const {
    return one.left >= judge_.prefix(index_.level[one.rank], index_.size[one.rank]);
  }

  // In a prefix by which the content meets others, of larger moduli.
  bool is_inside_higher(std::uint32_t number, const Slot& one) const {
    for (std::uint32_t level = index_.level[one.rank] + 1U; level <= index_.highest[number]; ++level) {
      const std::uint64_t size = size_at(one.rank, level), prefix = judge_.prefix(level, size);
      if (size > 0 && one.left >= prefix && left_at(level, one) >= prefix) return true;
    }
    return false;
  }

  // What is left of a content's list at a higher level, from the slot's feature on.
  std::uint64_t left_at(std::uint32_t level, const Slot& slot) const {
    const auto numbers = index_.list(slot.rank), weights = index_.weights_of(slot.rank);
    std::uint64_t own = 0, counted = 0;
    for (std::size_t i = numbers.size(); i-- > 0 && own < slot.left;) {
      const std::uint32_t weight = weights.empty() ? 1 : weights[i];
      own += weight, counted += index_.highest[numbers[i]] >= level ? weight : 0;
    }
    return counted;
  }

  bool is_hot(std::uint32_t number) const { return !hot_.empty() && hot_[number]; }

  void link_stars(Candidates& found) {
    Stars stars(index_.content.size(), thresholds_.hot);
    const auto compare = [&](std::uint32_t principal, std::uint32_t rank) -> std::optional<Beside> {
      const std::uint32_t level = std::max(index_.level[principal], index_.level[rank]);
      const Candidate pair = measured(principal, rank, level);
      if (!judge_.is_strong(pair, sized(principal), sized(rank), false)) return {};
      return Beside{pair, judge_.is_twin(pair, level)};
    };
    for (const std::uint32_t number : hot_numbers_) {
      const std::vector<std::uint32_t> inside = ranks_inside(number);
      for (const std::uint32_t rank : inside) found.starred.push_back(index_.content[rank]);
      stars.link(inside, compare, found.pairs);
    }
    std::erase_if(found.pairs, [&](const Candidate& pair) {
      return postings_.partial() && !postings_.touched[pair.a] && !postings_.touched[pair.b];
    });
    home_ = std::move(stars).homes();
    found.pairs = in_order({std::move(found.pairs)}, 1);
    std::sort(found.starred.begin(), found.starred.end());
    found.starred.erase(std::unique(found.starred.begin(), found.starred.end()), found.starred.end());
    found.hot_features = hot_numbers_.size();
  }

  // Those with the feature in their prefix, largest first.
  std::vector<std::uint32_t> ranks_inside(std::uint32_t number) const {
    std::vector<std::uint32_t> inside;
    const auto [begin, end] = run(number);
    for (const Slot& one : std::span(index_.slots).subspan(begin, end - begin))
      if (is_inside(one) || is_inside_higher(number, one)) inside.push_back(one.rank);
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
    Hinted list{{index_.list(rank), index_.weights_of(rank)}, index_.hints_of(rank)};
    for (std::uint32_t level = index_.level[rank]; level < index_.levels; ++level) {
      if (index_.level_start[level] == index_.level_start[level + 1]) continue;
      if (level > index_.level[rank]) list = counting_at(level, list, probe);
      look_up(rank, level, list, probe);
    }
  }

  // What of a list counts at a level.
  Hinted counting_at(std::uint32_t level, const Hinted& list, Probe& probe) const {
    probe.numbers.resize(std::max(probe.numbers.size(), list.features.size()));
    probe.hints.resize(std::max(probe.hints.size(), list.hints.size()));
    probe.weights.resize(std::max(probe.weights.size(), list.weights.size()));
    std::size_t count = 0;
    for (std::size_t i = 0; i < list.features.size(); ++i) {
      const Hint hint = list.hints[i];
      if (!list.weights.empty()) probe.weights[count] = list.weights[i];
      probe.numbers[count] = list.features[i];
      probe.hints[count] = hint;
      count += hint.highest >= level;
    }
    return {{std::span(probe.numbers).first(count), std::span(probe.weights).first(list.weights.empty() ? 0 : count)},
            std::span(probe.hints).first(count)};
  }

  void collide(std::uint32_t rank, Probe& probe) const {
    for (const std::uint32_t number : index_.list(rank)) {
      const auto [begin, end] = run(number);
      for (auto other = slot_from(begin, end, rank + 1); other < end; ++other) {
        const std::uint32_t met = index_.slots[other].rank;
        if (counts(rank, met) && std::exchange(probe.seen[met], rank) != rank) probe.add(measured(rank, met, 0));
      }
    }
  }

  // Meets the contents whose own level this is: those alike (on its own level the ones ranked after it) and those that
  // may contain it. On its own level it also meets contents of lower levels that may contain it: a long text that says
  // the same over and over has few features for its modulus.
  void look_up(std::uint32_t rank, std::uint32_t level, const Hinted& list, Probe& probe) const {
    const std::uint64_t size = size_at(rank, level);
    if (size == 0) return;
    const bool at_home = level == index_.level[rank];
    const Least& limit = judge_.least(level);
    const auto [least_alike, least_weak, least_part] = judge_.needed(level, size);
    const std::uint64_t enough = std::min({least_alike, least_weak, least_part});
    const bool tells = judge_.says_enough(sized(rank), level);
    // Below these ranks contents are too small to be like this one, or to contain it.
    const std::uint32_t first = index_.level_start[level], last = index_.level_start[level + 1];
    const std::uint32_t like_from =
        std::max(at_home ? rank + 1 : first, first_of_size(level, std::min(least_alike, least_weak)));
    const std::uint32_t part_from = first_of_size(level, least_part);
    const bool guests = at_home && largest_guest_[level] >= least_part;
    // Smaller contents of its own level have met this one, as more is asked of it than of them. Only stubs have not, by
    // features that are common.
    const bool asks_more = at_home && limit.part_grows_to(size);
    const std::uint32_t unmet_until = !at_home ? last : asks_more ? telling_from_[level] : rank;
    const std::uint32_t larger_from = std::max(part_from, at_home ? rank + 1 : last);

    const auto contain = [&](std::uint32_t slot, std::uint32_t end, std::uint32_t until, bool rare) {
      for (; slot < end && index_.slots[slot].rank < until; ++slot)
        if (index_.slots[slot].left >= least_part) score(rank, index_.slots[slot].rank, level, rare, probe);
    };
    for (const auto [number, left] : visits(rank, level, list, enough, guests || part_from < unmet_until, probe)) {
      if (is_hot(number)) continue;
      const bool rare = is_rare(number);
      const auto [begin, end] = run(number);
      if (left >= least_alike || (rare && left >= least_weak)) {
        for (auto other = slot_from(begin, end, like_from); other < end; ++other) {
          const Slot met = index_.slots[other];
          if (met.rank >= last) break;
          if (probe.seen[met.rank] == rank) continue;
          const std::uint64_t sum = size + index_.size[met.rank];
          const std::uint64_t alike = limit.alike_of_sum(sum);
          const std::uint64_t need = rare ? std::min(limit.weak_of_sum(sum), alike) : alike;
          if (need > left) break;  // sizes only grow from here
          if (met.left >= need) score(rank, met.rank, level, rare, probe);
        }
      }
      if (left >= least_part && (tells || rare)) {
        if (part_from < unmet_until && !(asks_more && rare))
          contain(slot_from(begin, end, part_from), end, unmet_until, rare);
        if (larger_from < last) contain(slot_from(begin, end, larger_from), end, last, rare);
        if (guests) {
          for (auto other = begin; other < end && index_.slots[other].rank < first; ++other)
            if (const auto met = index_.slots[other].rank; size_at(met, level) >= least_part)
              score(rank, met, level, rare, probe);
        }
      }
    }
  }

  // Where to look a list up: by its features while enough of it is left, if there may be somebody else. Runs lie all
  // over memory, so they are asked for together before they are needed.
  std::span<const Visit> visits(std::uint32_t rank, std::uint32_t level, const Hinted& list, std::uint64_t enough,
                                bool before, Probe& probe) const {
    const bool at_home = level == index_.level[rank];
    std::uint64_t left = list.weights.empty() ? list.features.size()
                                              : std::accumulate(list.weights.begin(), list.weights.end(), std::uint64_t{0});
    if (probe.visits.size() < list.features.size()) probe.visits.resize(list.features.size());
    std::size_t count = 0;
    for (std::size_t place = 0; place < list.features.size() && left >= enough; ++place) {
      const Hint hint = list.hints[place];
      probe.visits[count] = {list.features[place], left};
      count += at_home ? before || hint.followed : hint.has_level(level);
      left -= list.weights.empty() ? 1 : list.weights[place];
    }
    const auto found = std::span<const Visit>(probe.visits).first(count);
    for (const auto& visit : found) __builtin_prefetch(&index_.run[visit.number]);
    for (const auto& visit : found) __builtin_prefetch(&index_.slots[index_.run[visit.number]]);
    return found;
  }

  // How much a content has at a level; its own or a higher one.
  std::uint64_t size_at(std::uint32_t rank, std::uint32_t level) const { return sized(rank).sizes[level]; }

  Sized sized(std::uint32_t rank) const {
    return {index_.level[rank], sizes_.subspan(std::size_t{index_.content[rank]} * index_.levels, index_.levels)};
  }

  void measure_lists() {
    const auto contents = static_cast<std::uint32_t>(index_.content.size());
    if (bin_ != nullptr) {
      sizes_ = bin_->sizes;
    } else {
      measured_.assign(static_cast<std::size_t>(contents) * index_.levels, 0);
      parallel_blocks(contents, 256, threads_, [&](unsigned, std::size_t from, std::size_t to) {
        for (std::size_t rank = from; rank < to; ++rank) {
          const std::uint32_t row = index_.content[rank];
          const auto sizes = std::span(measured_).subspan(std::size_t{row} * index_.levels, index_.levels);
          measure_levels(postings_.list(row), index_.level[rank], index_.base, sizes);
        }
      });
      sizes_ = measured_;
    }
    largest_guest_.assign(index_.levels, 0);
    for (std::uint32_t rank = 0; rank < contents; ++rank)
      for (std::uint32_t level = index_.level[rank] + 1U; level < index_.levels; ++level)
        largest_guest_[level] = std::max(largest_guest_[level], size_at(rank, level));
    for (std::uint32_t level = 0; level < index_.levels; ++level) {
      auto rank = index_.level_start[level];
      while (rank < index_.level_start[level + 1] && !judge_.says_enough(sized(rank), level)) ++rank;
      telling_from_.push_back(rank);
    }
  }

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
    if (candidate.strong || (rare && candidate.resemblance() >= thresholds_.floor)) probe.add(candidate);
  }

  // A pair of contents and what they share at a level, in order of their rows.
  Candidate measured(std::uint32_t rank, std::uint32_t other, std::uint32_t level) const {
    if (index_.content[rank] > index_.content[other]) std::swap(rank, other);
    const std::uint32_t i = index_.content[rank], j = index_.content[other];
    const std::uint64_t size_i = size_at(rank, level), size_j = size_at(other, level);
    if (judge_.is_cut(size_i, size_j))
      return judge_.measured(i, j, postings_.list(i), postings_.list(j), size_i, size_j);
    return judge_.counted(i, j, shared(rank, other), size_i, size_j);
  }

  std::uint64_t shared(std::uint32_t rank, std::uint32_t other) const {
    if (!index_.repeats && index_.weights.empty()) return shared_numbers(index_.list(rank), index_.list(other));
    return shared_weight(Numbered{index_.list(rank), index_.weights_of(rank)},
                         Numbered{index_.list(other), index_.weights_of(other)});
  }

  const Postings& postings_;
  const Bin* bin_;
  const Thresholds& thresholds_;
  unsigned threads_;
  PostingsIndex index_;
  Judge judge_;
  std::uint32_t rare_until_ = 0;              // numbers below are of rare features
  std::vector<std::uint64_t> measured_;       // where no bin tells the sizes
  std::span<const std::uint64_t> sizes_;      // by content and level: how much of the list counts
  std::vector<std::uint32_t> home_;           // by rank: the principal of its star; empty: there are none
  std::vector<std::uint8_t> hot_;             // by number; empty: none is hot
  std::vector<std::uint32_t> hot_numbers_;
  std::vector<std::uint64_t> largest_guest_;  // by level: the largest size there of a content of a lower one
  std::vector<std::uint32_t> telling_from_;   // by level: the first rank that says enough
};

}  // namespace

Candidates find_candidates(const Postings& postings, const Thresholds& thresholds, unsigned threads) {
  if (postings.moduli.empty()) return {};
  return Join(postings, nullptr, thresholds, std::max(1U, threads)).run();
}

Candidates find_candidates(const Postings& postings, const Bin& bin, const Thresholds& thresholds, unsigned threads) {
  if (postings.moduli.empty()) return {};
  return Join(postings, &bin, thresholds, std::max(1U, threads)).run();
}

}  // namespace nearkin
