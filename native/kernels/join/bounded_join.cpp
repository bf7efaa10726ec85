#include "join/bounded_join.hpp"

#include <malloc.h>

#include <algorithm>
#include <unordered_map>

#include "join/candidates.hpp"

namespace nearkin {
namespace {

// A list read from disk.
struct StoredList {
  std::vector<std::uint64_t> features;
  std::vector<std::uint32_t> weights;

  StoredList(const BoundedState& state, std::span<const std::uint32_t> words) {
    for (std::size_t at = 2; at < words.size(); at += posting_words(state)) {
      features.push_back(feature_at(&words[at]));
      if (state.weighted) weights.push_back(words[at + 3]);
    }
  }

  List list() const { return {features, weights}; }
};

// The lists of a bin, or of two, in order of their rows.
struct LoadedLists {
  std::vector<std::uint32_t> rows, frequencies, weights, principal;
  std::vector<std::uint64_t> offsets{0}, features, moduli, sizes;
  std::vector<std::uint8_t> side;
};

}  // namespace

void BoundedJoin::work(Stage stage, std::size_t from, std::size_t to) {
  if (stage == Stage::link && !bins_) bins_.emplace(state_, lists_);
  switch (stage) {
    case Stage::count: lists_.count(from, to); break;
    case Stage::order: lists_.order(from, to); break;
    case Stage::link: bins_->link(from, to); break;
    case Stage::reach: bins_->reach(from, to); break;
    case Stage::distribute: bins_->distribute(from, to); break;
  }
#ifdef __GLIBC__
  if (to == kParts) ::malloc_trim(0);  // each thread's heap would keep a stage's memory: 60 MB of 300 in a trial
#endif
}

Candidates BoundedJoin::stars() {
  Candidates result;
  if (bins_->hot().empty()) return result;
  const Thresholds& thresholds = *state_.thresholds;
  Stars stars(state_.contents(), state_.options.hot);
  std::unordered_map<std::uint32_t, StoredList> principals;
  std::optional<std::pair<std::uint32_t, StoredList>> last;
  const auto list_of = [&](std::uint32_t row) { return StoredList(state_, bins_->star_list(row)); };
  const auto compare = [&](std::uint32_t principal, std::uint32_t row) -> std::optional<PrincipalMatch> {
    if (!last || last->first != row) last.emplace(row, list_of(row));
    const auto at = principals.find(principal);
    const StoredList& centre =
        (at != principals.end() ? at : principals.emplace(principal, list_of(principal)).first)->second;
    const std::uint32_t level = std::max(state_.level[row], state_.level[principal]);
    const auto measured = [&](std::uint32_t a, std::uint32_t b, const StoredList& list_a, const StoredList& list_b) {
      const std::uint64_t size_a = state_.size_at(a, level), size_b = state_.size_at(b, level);
      return thresholds.measured(a, b, list_a.list(), list_b.list(), size_a, size_b);
    };
    const Candidate pair = row < principal ? measured(row, principal, last->second, centre)
                                           : measured(principal, row, centre, last->second);
    const std::uint64_t modulus = state_.base << level;
    if (!thresholds.is_strong(pair, modulus, state_.shingles(pair.a), state_.shingles(pair.b), false)) return {};
    return PrincipalMatch{pair, thresholds.is_twin(pair, modulus)};
  };
  for (const HotRun& run : bins_->hot()) {
    Words rows = bins_->hot_rows(run);
    result.starred.insert(result.starred.end(), rows.begin(), rows.end());
    std::sort(rows.begin(), rows.end(), [&](std::uint32_t x, std::uint32_t y) {
      const std::uint64_t size_x = state_.own_size(x) << state_.level[x];
      const std::uint64_t size_y = state_.own_size(y) << state_.level[y];
      return size_x != size_y ? size_x > size_y : x < y;
    });
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());  // a feature may be repeated in a list
    principals.clear();
    stars.link(rows, compare, result.pairs);
    std::sort(result.starred.begin(), result.starred.end());
    result.starred.erase(std::unique(result.starred.begin(), result.starred.end()), result.starred.end());
    hot_.push_back(run.feature);
  }
  std::sort(hot_.begin(), hot_.end());
  result.pairs = sorted_candidates({std::move(result.pairs)}, 1);
  principal_ = std::move(stars).principals();
  result.hot_features = hot_.size();
  result.hot_links = result.pairs.size();
  return result;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> BoundedJoin::pairs() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;
  for (std::uint32_t bin = 0; bin < bins(); ++bin)
    for (std::uint32_t other = bin; other < bins(); ++other)
      if (bin == other || bins_->meet(bin, other)) wanted.push_back({bin, other});
  return wanted;
}

UninitVector<Candidate> BoundedJoin::join(std::uint32_t bin, std::uint32_t other) const {
  LoadedLists all;
  {
    struct Place {
      std::uint32_t row;
      std::uint8_t side;
      std::span<const std::uint32_t> words;
    };
    std::vector<Place> places;
    const Words first = bins_->lists(bin), second = bin == other ? Words{} : bins_->lists(other);
    const auto take = [&](const Words& words, std::uint8_t side, std::uint32_t across) {
      for_each_list(state_, words, [&](std::uint32_t row, std::span<const std::uint32_t> list) {
        if (bin == other || bins_->meets(row, across)) places.push_back({row, side, list});
      });
    };
    take(first, 0, other);
    take(second, 1, bin);
    std::sort(places.begin(), places.end(), [](const Place& x, const Place& y) { return x.row < y.row; });
    std::size_t postings = 0;
    for (const Place& place : places) postings += place.words[1];
    all.features.reserve(postings), all.frequencies.reserve(postings);
    all.weights.reserve(state_.weighted ? postings : 0);
    for (const Place& place : places) {
      all.rows.push_back(place.row);
      all.side.push_back(place.side);
      all.moduli.push_back(state_.base << state_.level[place.row]);
      if (!principal_.empty()) all.principal.push_back(principal_[place.row]);
      for (std::uint32_t level = 0; level < state_.levels; ++level)
        all.sizes.push_back(state_.sizes[std::size_t{place.row} * state_.levels + level]);
      for (std::size_t at = 2; at < place.words.size(); at += posting_words(state_)) {
        all.features.push_back(feature_at(&place.words[at]));
        all.frequencies.push_back(place.words[at + 2]);
        if (state_.weighted) all.weights.push_back(place.words[at + 3]);
      }
      all.offsets.push_back(all.features.size());
    }
  }
  Postings postings;
  postings.offsets = all.offsets, postings.features = all.features, postings.weights = all.weights;
  postings.moduli = all.moduli;
  Bin facts;
  facts.frequencies = all.frequencies, facts.sizes = all.sizes, facts.levels = state_.levels, facts.base = state_.base;
  facts.hot = hot_, facts.principal = all.principal;
  if (bin != other) facts.side = all.side;
  UninitVector<Candidate> pairs = find_candidates(postings, facts, state_.options).pairs;
  for (auto& pair : pairs) pair.a = all.rows[pair.a], pair.b = all.rows[pair.b];
  return pairs;
}

}  // namespace nearkin
