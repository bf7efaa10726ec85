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
  Join(const Postings& postings, const Bin* bin, const JoinOptions& options)
      : postings_(postings),
        bin_(bin),
        options_(options),
        threads_(std::max(1U, options.threads)),
        index_(build_index(postings, bin, options.evidence.estimator, threads_)),
        thresholds_(options.evidence, options.thresholds, longest()) {
    const std::uint32_t common = postings.partial() ? PostingsIndex::kCommon : options.floor_reach + 1;
    rare_until_ = static_cast<std::uint32_t>(
        std::lower_bound(index_.frequency.begin(), index_.frequency.end(), common) - index_.frequency.begin());
    measure_lists();
    if (bin == nullptr || bin->frequencies.empty()) {
      find_hot();
    } else {
      take_hot_from_bin();
    }
  }

  Candidates run() {
    Candidates result;
    if (!hot_numbers_.empty()) link_stars(result);
    const std::size_t contents = index_.content.size();
    std::vector<Probe> probes(threads_);
    parallel_blocks(contents, 64, threads_, [&](unsigned thread, std::size_t from, std::size_t to) {
      Probe& probe = probes[thread];
      if (probe.seen.empty()) probe.seen.assign(contents, ~std::uint32_t{0});
      for (std::size_t rank = from; rank < to; ++rank) look_up(static_cast<std::uint32_t>(rank), probe);
    });
    result.hot_links = result.pairs.size();
    std::vector<UninitVector<Candidate>> pieces{std::move(result.pairs)};
    for (auto& probe : probes) std::move(probe.pieces.begin(), probe.pieces.end(), std::back_inserter(pieces));
    result.pairs = sorted_candidates(std::move(pieces), threads_);
    keep_strongest(result.pairs, options_.floor_most);
    return result;
  }

 private:
  std::uint64_t longest() const {
    std::uint64_t most = 1;
    for (const auto size : index_.size) most = std::max(most, size);
    return most;
  }

  bool is_rare(std::uint32_t number) const { return number < rare_until_; }
  std::uint64_t modulus(std::uint32_t level) const { return index_.base << level; }

  // Of a part of a collection only pairs with a touched content are wanted; of two bins only pairs across.
  bool is_wanted(std::uint32_t rank, std::uint32_t other) const {
    const std::uint32_t i = index_.content[rank], j = index_.content[other];
    if (bin_ != nullptr) return bin_->side.empty() || bin_->side[i] != bin_->side[j];
    return !postings_.partial() || postings_.touched[i] || postings_.touched[j];
  }

  // Finds the features that too many contents have in their prefix, in the order in which stars are made.
  void find_hot() {
    if (options_.evidence.estimator == Estimator::collision) return;  // all contents with a common feature are pairs
    std::vector<std::pair<std::uint32_t, std::uint32_t>> hot;  // the number of prefixes, and the feature's number
    for (std::uint32_t number = 0; number < index_.feature.size(); ++number) {
      const auto [begin, end] = run(number);
      if (end - begin <= options_.hot) continue;
      std::uint32_t prefixes = 0;
      for (auto slot = begin; slot < end; ++slot) prefixes += in_prefix(index_.slots[slot]);
      if (prefixes <= options_.hot) continue;
      if (hot_.empty()) hot_.assign(index_.feature.size(), 0);
      hot_[number] = 1;
      hot.push_back({prefixes, number});
    }
    const Estimator estimator = options_.evidence.estimator;
    const auto place = [&](std::uint32_t number) { return place_of(index_.feature[number], estimator); };
    std::sort(hot.begin(), hot.end(), [&](const auto& x, const auto& y) {
      return x.first != y.first ? x.first < y.first : place(x.second) < place(y.second);
    });
    for (const auto& [prefixes, number] : hot) hot_numbers_.push_back(number);
  }

  void take_hot_from_bin() {
    if (bin_->hot.empty()) return;
    hot_.assign(index_.feature.size(), 0);
    for (std::uint32_t number = 0; number < hot_.size(); ++number)
      hot_[number] = std::binary_search(bin_->hot.begin(), bin_->hot.end(), index_.feature[number]);
    if (bin_->principal.empty()) return;
    for (const auto content : index_.content) principal_.push_back(bin_->principal[content]);
  }

  std::pair<std::uint32_t, std::uint32_t> run(std::uint32_t number) const {
    return {index_.run[number], index_.run[number + 1]};
  }

  bool in_prefix(const Slot& slot) const {
    return slot.left >= thresholds_.prefix(index_.size[slot.rank], modulus(index_.level[slot.rank]));
  }

  // Tells whether the feature is in a prefix by which the content meets others of larger moduli.
  bool in_higher_prefix(std::uint32_t number, const Slot& slot) const {
    for (std::uint32_t level = index_.level[slot.rank] + 1U; level <= index_.highest[number]; ++level) {
      const std::uint64_t size = size_at(slot.rank, level), prefix = thresholds_.prefix(size, modulus(level));
      if (size > 0 && slot.left >= prefix && left_at(level, slot) >= prefix) return true;
    }
    return false;
  }

  // Returns how much of a content's list is left at a higher level, from the slot's feature on.
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

  void link_stars(Candidates& result) {
    Stars stars(index_.content.size(), options_.hot);
    const auto compare = [&](std::uint32_t principal, std::uint32_t rank) -> std::optional<PrincipalMatch> {
      const std::uint32_t level = std::max(index_.level[principal], index_.level[rank]);
      const Candidate pair = measured(principal, rank, level);
      if (!is_strong(pair, principal, rank, level, false)) return {};
      return PrincipalMatch{pair, thresholds_.is_twin(pair, modulus(level))};
    };
    for (const std::uint32_t number : hot_numbers_) {
      const std::vector<std::uint32_t> ranks = ranks_by_prefix(number);
      for (const std::uint32_t rank : ranks) result.starred.push_back(index_.content[rank]);
      stars.link(ranks, compare, result.pairs);
    }
    std::erase_if(result.pairs, [&](const Candidate& pair) {
      return postings_.partial() && !postings_.touched[pair.a] && !postings_.touched[pair.b];
    });
    principal_ = std::move(stars).principals();
    result.pairs = sorted_candidates({std::move(result.pairs)}, 1);
    std::sort(result.starred.begin(), result.starred.end());
    result.starred.erase(std::unique(result.starred.begin(), result.starred.end()), result.starred.end());
    result.hot_features = hot_numbers_.size();
  }

  // Returns the contents with the feature in their prefix, largest first.
  std::vector<std::uint32_t> ranks_by_prefix(std::uint32_t number) const {
    std::vector<std::uint32_t> ranks;
    const auto [begin, end] = run(number);
    for (const Slot& slot : std::span(index_.slots).subspan(begin, end - begin))
      if (in_prefix(slot) || in_higher_prefix(number, slot)) ranks.push_back(slot.rank);
    std::sort(ranks.begin(), ranks.end(), [&](std::uint32_t x, std::uint32_t y) {
      const std::uint64_t size_x = index_.size[x] << index_.level[x], size_y = index_.size[y] << index_.level[y];
      return size_x != size_y ? size_x > size_y : index_.content[x] < index_.content[y];
    });
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());  // a feature may be repeated in a list
    return ranks;
  }

  bool in_one_star(std::uint32_t rank, std::uint32_t other) const {
    return !principal_.empty() && principal_[rank] != Stars::kNone && principal_[rank] == principal_[other];
  }

  void look_up(std::uint32_t rank, Probe& probe) const {
    if (options_.evidence.estimator == Estimator::collision) return collide(rank, probe);
    Hinted list{{index_.list(rank), index_.weights_of(rank)}, index_.hints_of(rank)};
    for (std::uint32_t level = index_.level[rank]; level < index_.levels; ++level) {
      if (index_.level_start[level] == index_.level_start[level + 1]) continue;
      if (level > index_.level[rank]) list = list_at(level, list, probe);
      look_up(rank, level, list, probe);
    }
  }

  // Returns the part of a list that counts at a level.
  Hinted list_at(std::uint32_t level, const Hinted& list, Probe& probe) const {
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
      for (auto slot = slot_from(begin, end, rank + 1); slot < end; ++slot) {
        const std::uint32_t other = index_.slots[slot].rank;
        if (is_wanted(rank, other) && std::exchange(probe.seen[other], rank) != rank)
          probe.add(measured(rank, other, 0));
      }
    }
  }

  // Meets the contents whose own level this is: those that may resemble it (on its own level the ones ranked after it)
  // and those that may contain it. On its own level it also meets contents of lower levels that may contain it: a long
  // text that repeats itself has few features for its modulus.
  void look_up(std::uint32_t rank, std::uint32_t level, const Hinted& list, Probe& probe) const {
    const std::uint64_t size = size_at(rank, level);
    if (size == 0) return;
    const bool own_level = level == index_.level[rank];
    const Limits& limit = thresholds_.limits(modulus(level));
    const auto [least_alike, least_weak, least_part] = thresholds_.least(size, modulus(level));
    const std::uint64_t enough = std::min({least_alike, least_weak, least_part});
    const bool informative = is_informative(rank, level);
    // Below these ranks contents are too small to resemble this one, or to contain it.
    const std::uint32_t first = index_.level_start[level], last = index_.level_start[level + 1];
    const std::uint32_t like_from =
        std::max(own_level ? rank + 1 : first, first_of_size(level, std::min(least_alike, least_weak)));
    const std::uint32_t part_from = first_of_size(level, least_part);
    const bool lower_levels = own_level && largest_lower_[level] >= least_part;
    // Smaller contents of its own level have met this one, as more is asked of it than of them. Only stubs have not, by
    // common features.
    const bool asks_more = own_level && limit.part_grows_to(size);
    const std::uint32_t unmet_until = !own_level ? last : asks_more ? informative_from_[level] : rank;
    const std::uint32_t larger_from = std::max(part_from, own_level ? rank + 1 : last);

    const auto contain = [&](std::uint32_t slot, std::uint32_t end, std::uint32_t until, bool rare) {
      for (; slot < end && index_.slots[slot].rank < until; ++slot)
        if (index_.slots[slot].left >= least_part) score(rank, index_.slots[slot].rank, level, rare, probe);
    };
    const bool looks_back = lower_levels || part_from < unmet_until;
    for (const auto [number, left] : visits(rank, level, list, enough, looks_back, probe)) {
      if (is_hot(number)) continue;
      const bool rare = is_rare(number);
      const auto [begin, end] = run(number);
      if (left >= least_alike || (rare && left >= least_weak)) {
        for (auto slot = slot_from(begin, end, like_from); slot < end; ++slot) {
          const Slot other = index_.slots[slot];
          if (other.rank >= last) break;
          if (probe.seen[other.rank] == rank) continue;
          const std::uint64_t sum = size + index_.size[other.rank];
          const std::uint64_t alike = limit.alike_of_sum(sum);
          const std::uint64_t need = rare ? std::min(limit.weak_of_sum(sum), alike) : alike;
          if (need > left) break;  // sizes only grow from here
          if (other.left >= need) score(rank, other.rank, level, rare, probe);
        }
      }
      if (left >= least_part && (informative || rare)) {
        if (part_from < unmet_until && !(asks_more && rare))
          contain(slot_from(begin, end, part_from), end, unmet_until, rare);
        if (larger_from < last) contain(slot_from(begin, end, larger_from), end, last, rare);
        if (lower_levels) {
          for (auto slot = begin; slot < end && index_.slots[slot].rank < first; ++slot)
            if (const auto other = index_.slots[slot].rank; size_at(other, level) >= least_part)
              score(rank, other, level, rare, probe);
        }
      }
    }
  }

  // Returns the features by which to look a list up: while enough of it is left, and if another content may have them.
  // Runs lie all over memory, so all of them are prefetched before the first is needed.
  std::span<const Visit> visits(std::uint32_t rank, std::uint32_t level, const Hinted& list, std::uint64_t enough,
                                bool looks_back, Probe& probe) const {
    const bool own_level = level == index_.level[rank];
    std::uint64_t left = list.features.size();
    if (!list.weights.empty()) left = std::accumulate(list.weights.begin(), list.weights.end(), std::uint64_t{0});
    if (probe.visits.size() < list.features.size()) probe.visits.resize(list.features.size());
    std::size_t count = 0;
    for (std::size_t place = 0; place < list.features.size() && left >= enough; ++place) {
      const Hint hint = list.hints[place];
      probe.visits[count] = {list.features[place], left};
      count += own_level ? looks_back || hint.followed : hint.has_level(level);
      left -= list.weights.empty() ? 1 : list.weights[place];
    }
    const auto features = std::span<const Visit>(probe.visits).first(count);
    for (const auto& visit : features) __builtin_prefetch(&index_.run[visit.number]);
    for (const auto& visit : features) __builtin_prefetch(&index_.slots[index_.run[visit.number]]);
    return features;
  }

  // Returns how much a content has at a level, its own or a higher one.
  std::uint64_t size_at(std::uint32_t rank, std::uint32_t level) const {
    return sizes_[std::size_t{index_.content[rank]} * index_.levels + level];
  }

  // Returns about how many shingles a content has.
  std::uint64_t shingles(std::uint32_t rank) const {
    return size_at(rank, index_.level[rank]) * modulus(index_.level[rank]);
  }

  bool is_informative(std::uint32_t rank, std::uint32_t level) const {
    return thresholds_.is_informative(size_at(rank, level), shingles(rank), modulus(level));
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
    largest_lower_.assign(index_.levels, 0);
    for (std::uint32_t rank = 0; rank < contents; ++rank)
      for (std::uint32_t level = index_.level[rank] + 1U; level < index_.levels; ++level)
        largest_lower_[level] = std::max(largest_lower_[level], size_at(rank, level));
    for (std::uint32_t level = 0; level < index_.levels; ++level) {
      auto rank = index_.level_start[level];
      while (rank < index_.level_start[level + 1] && !is_informative(rank, level)) ++rank;
      informative_from_.push_back(rank);
    }
  }

  // Returns the first slot of a run whose rank is at least this.
  std::uint32_t slot_from(std::uint32_t begin, std::uint32_t end, std::uint32_t rank) const {
    const auto at = std::lower_bound(index_.slots.begin() + begin, index_.slots.begin() + end, rank,
                                     [](const Slot& slot, std::uint32_t value) { return slot.rank < value; });
    return static_cast<std::uint32_t>(at - index_.slots.begin());
  }

  // Returns the first rank of a level whose size is at least this.
  std::uint32_t first_of_size(std::uint32_t level, std::uint64_t size) const {
    const auto from = index_.size.begin() + index_.level_start[level];
    const auto to = index_.size.begin() + index_.level_start[level + 1];
    return static_cast<std::uint32_t>(std::lower_bound(from, to, size) - index_.size.begin());
  }

  void score(std::uint32_t rank, std::uint32_t other, std::uint32_t level, bool rare, Probe& probe) const {
    if (probe.seen[other] == rank || !is_wanted(rank, other) || in_one_star(rank, other)) return;
    probe.seen[other] = rank;
    Candidate candidate = measured(rank, other, level);
    candidate.strong = is_strong(candidate, rank, other, level, rare);
    if (candidate.strong || (rare && thresholds_.is_weak(candidate))) probe.add(candidate);
  }

  bool is_strong(const Candidate& pair, std::uint32_t rank, std::uint32_t other, std::uint32_t level, bool rare) const {
    if (index_.content[rank] > index_.content[other]) std::swap(rank, other);
    return thresholds_.is_strong(pair, modulus(level), shingles(rank), shingles(other), rare);
  }

  // Measures what two contents share at a level. The pair is in order of their rows.
  Candidate measured(std::uint32_t rank, std::uint32_t other, std::uint32_t level) const {
    if (index_.content[rank] > index_.content[other]) std::swap(rank, other);
    const std::uint32_t i = index_.content[rank], j = index_.content[other];
    const std::uint64_t size_i = size_at(rank, level), size_j = size_at(other, level);
    if (thresholds_.is_cut(size_i, size_j))
      return thresholds_.measured(i, j, postings_.list(i), postings_.list(j), size_i, size_j);
    return thresholds_.counted(i, j, shared(rank, other), size_i, size_j);
  }

  std::uint64_t shared(std::uint32_t rank, std::uint32_t other) const {
    if (!index_.repeats && index_.weights.empty()) return shared_numbers(index_.list(rank), index_.list(other));
    return shared_weight(Numbered{index_.list(rank), index_.weights_of(rank)},
                         Numbered{index_.list(other), index_.weights_of(other)});
  }

  const Postings& postings_;
  const Bin* bin_;
  const JoinOptions& options_;
  unsigned threads_;
  PostingsIndex index_;
  Thresholds thresholds_;
  std::uint32_t rare_until_ = 0;              // numbers below are those of rare features
  std::vector<std::uint64_t> measured_;       // the sizes, where no bin gives them
  std::span<const std::uint64_t> sizes_;      // by content and level: how much of the list counts
  std::vector<std::uint32_t> principal_;      // by rank: the principal of its star; empty: there are none
  std::vector<std::uint8_t> hot_;             // by number; empty: none is hot
  std::vector<std::uint32_t> hot_numbers_;
  std::vector<std::uint64_t> largest_lower_;  // by level: the largest size there of a content of a lower level
  std::vector<std::uint32_t> informative_from_;  // by level: the first rank whose sample is informative
};

}  // namespace

Candidates find_candidates(const Postings& postings, const JoinOptions& options) {
  if (postings.moduli.empty()) return {};
  return Join(postings, nullptr, options).run();
}

Candidates find_candidates(const Postings& postings, const Bin& bin, const JoinOptions& options) {
  if (postings.moduli.empty()) return {};
  return Join(postings, &bin, options).run();
}

}  // namespace nearkin
