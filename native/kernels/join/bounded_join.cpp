#include "join/bounded_join.hpp"

#include <malloc.h>

#include <algorithm>
#include <unordered_map>

#include "join/candidates.hpp"

namespace nearkin {
namespace {

// A list as it was before it was written down.
struct Kept {
  std::vector<std::uint64_t> features;
  std::vector<std::uint32_t> weights;

  Kept(const Whole& whole, std::span<const std::uint32_t> words) {
    for (std::size_t at = 2; at < words.size(); at += posting_words(whole)) {
      features.push_back(feature_at(&words[at]));
      if (whole.weighted) weights.push_back(words[at + 3]);
    }
  }

  List list() const { return {features, weights}; }
};

// Lists of a bin, or of two, in order of their rows.
struct Loaded {
  std::vector<std::uint32_t> rows, often, weights, home;
  std::vector<std::uint64_t> offsets{0}, features, moduli, sizes;
  std::vector<std::uint8_t> side;
};

}  // namespace

void BoundedJoin::work(Stage stage, std::size_t from, std::size_t to) {
  if (stage == Stage::link && !bins_) bins_.emplace(whole_, lists_);
  switch (stage) {
    case Stage::count: lists_.count(from, to); break;
    case Stage::order: lists_.order(from, to); break;
    case Stage::link: bins_->link(from, to); break;
    case Stage::reach: bins_->reach(from, to); break;
    case Stage::deal: bins_->deal(from, to); break;
  }
#ifdef __GLIBC__
  if (to == kParts) ::malloc_trim(0);  // each thread's heap keeps what a stage had: 60 MB of 300 in a trial
#endif
}

Candidates BoundedJoin::stars() {
  Candidates found;
  if (bins_->hot().empty()) return found;
  Stars stars(whole_.contents(), whole_.thresholds.hot);
  std::unordered_map<std::uint32_t, Kept> principals;
  std::optional<std::pair<std::uint32_t, Kept>> last;
  const auto list_of = [&](std::uint32_t row) { return Kept(whole_, bins_->star_list(row)); };
  const auto compare = [&](std::uint32_t principal, std::uint32_t row) -> std::optional<Beside> {
    if (!last || last->first != row) last.emplace(row, list_of(row));
    const auto at = principals.find(principal);
    const Kept& other = (at != principals.end() ? at : principals.emplace(principal, list_of(principal)).first)->second;
    Whole::Room room, room_other;
    const Sized one = whole_.sized(row, room), centre = whole_.sized(principal, room_other);
    const std::uint32_t level = std::max(one.level, centre.level);
    Candidate pair = row < principal ? whole_.judge->measured(row, principal, last->second.list(), other.list(),
                                                              one.sizes[level], centre.sizes[level])
                                     : whole_.judge->measured(principal, row, other.list(), last->second.list(),
                                                              centre.sizes[level], one.sizes[level]);
    if (!whole_.judge->is_strong(pair, centre, one, false)) return {};
    return Beside{pair, whole_.judge->is_twin(pair, level)};
  };
  for (const HotRun& run : bins_->hot()) {
    Words rows = bins_->hot_rows(run);
    found.starred.insert(found.starred.end(), rows.begin(), rows.end());
    std::sort(rows.begin(), rows.end(), [&](std::uint32_t x, std::uint32_t y) {
      const std::uint64_t size_x = whole_.own_size(x) << whole_.level[x], size_y = whole_.own_size(y) << whole_.level[y];
      return size_x != size_y ? size_x > size_y : x < y;
    });
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());  // repeated features
    principals.clear();
    stars.link(rows, compare, found.pairs);
    std::sort(found.starred.begin(), found.starred.end());
    found.starred.erase(std::unique(found.starred.begin(), found.starred.end()), found.starred.end());
    hot_.push_back(run.feature);
  }
  std::sort(hot_.begin(), hot_.end());
  found.pairs = in_order({std::move(found.pairs)}, 1);
  home_ = std::move(stars).homes();
  found.hot_features = hot_.size();
  found.hot_links = found.pairs.size();
  return found;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> BoundedJoin::pairs() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;
  for (std::uint32_t bin = 0; bin < bins(); ++bin)
    for (std::uint32_t other = bin; other < bins(); ++other)
      if (bin == other || bins_->meet(bin, other)) wanted.push_back({bin, other});
  return wanted;
}

UninitVector<Candidate> BoundedJoin::join(std::uint32_t bin, std::uint32_t other) const {
  Loaded all;
  {
    struct Place {
      std::uint32_t row;
      std::uint8_t side;
      std::span<const std::uint32_t> words;
    };
    std::vector<Place> places;
    const Words first = bins_->lists(bin), second = bin == other ? Words{} : bins_->lists(other);
    const auto take = [&](const Words& words, std::uint8_t side, std::uint32_t across) {
      for_each_list(whole_, words, [&](std::uint32_t row, std::span<const std::uint32_t> list) {
        if (bin == other || bins_->meets(row, across)) places.push_back({row, side, list});
      });
    };
    take(first, 0, other);
    take(second, 1, bin);
    std::sort(places.begin(), places.end(), [](const Place& x, const Place& y) { return x.row < y.row; });
    std::size_t postings = 0;
    for (const Place& one : places) postings += one.words[1];
    all.features.reserve(postings), all.often.reserve(postings), all.weights.reserve(whole_.weighted ? postings : 0);
    for (const Place& one : places) {
      all.rows.push_back(one.row);
      all.side.push_back(one.side);
      all.moduli.push_back(whole_.base << whole_.level[one.row]);
      if (!home_.empty()) all.home.push_back(home_[one.row]);
      for (std::uint32_t level = 0; level < whole_.levels; ++level)
        all.sizes.push_back(whole_.sizes[std::size_t{one.row} * whole_.levels + level]);
      for (std::size_t at = 2; at < one.words.size(); at += posting_words(whole_)) {
        all.features.push_back(feature_at(&one.words[at]));
        all.often.push_back(one.words[at + 2]);
        if (whole_.weighted) all.weights.push_back(one.words[at + 3]);
      }
      all.offsets.push_back(all.features.size());
    }
  }
  Postings postings;
  postings.offsets = all.offsets, postings.features = all.features, postings.weights = all.weights;
  postings.moduli = all.moduli, postings.evidence = whole_.evidence;
  Bin known;
  known.often = all.often, known.sizes = all.sizes, known.levels = whole_.levels, known.base = whole_.base;
  known.hot = hot_, known.home = all.home;
  if (bin != other) known.side = all.side;
  UninitVector<Candidate> found = find_candidates(postings, known, whole_.thresholds, whole_.threads).pairs;
  for (auto& pair : found) pair.a = all.rows[pair.a], pair.b = all.rows[pair.b];
  return found;
}

}  // namespace nearkin
