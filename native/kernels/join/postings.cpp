#include "join/postings.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/parallel.hpp"
#include "base/sort.hpp"

namespace nearkin {
namespace {

void rank_contents(const Postings& postings, const Bin* bin, PostingsIndex& index) {
  const auto contents = static_cast<std::uint32_t>(postings.moduli.size());
  std::uint64_t largest = 1;
  index.base = std::numeric_limits<std::uint64_t>::max();
  for (const auto modulus : postings.moduli) {
    index.base = std::min(index.base, modulus);
    largest = std::max(largest, modulus);
  }
  if (contents == 0) index.base = 1;
  if (bin != nullptr) index.base = bin->base;
  index.levels = bin != nullptr ? bin->levels : static_cast<std::uint32_t>(std::bit_width(largest / index.base));

  std::vector<std::uint8_t> level(contents);
  std::vector<std::uint64_t> size(contents);
  for (std::uint32_t i = 0; i < contents; ++i) {
    const auto from = postings.offsets[i], to = postings.offsets[i + 1];
    level[i] = static_cast<std::uint8_t>(std::bit_width(postings.moduli[i] / index.base) - 1);
    size[i] = bin != nullptr ? bin->sizes[std::size_t{i} * index.levels + level[i]]
              : postings.weights.empty()
                  ? to - from
                  : std::accumulate(postings.weights.begin() + static_cast<std::ptrdiff_t>(from),
                                    postings.weights.begin() + static_cast<std::ptrdiff_t>(to), std::uint64_t{0});
  }
  index.content.resize(contents);
  std::iota(index.content.begin(), index.content.end(), 0U);
  std::sort(index.content.begin(), index.content.end(), [&](std::uint32_t x, std::uint32_t y) {
    if (level[x] != level[y]) return level[x] < level[y];
    return size[x] != size[y] ? size[x] < size[y] : x < y;
  });
  index.level.resize(contents);
  index.size.resize(contents);
  index.level_start.assign(index.levels + 1, 0);
  for (std::uint32_t rank = 0; rank < contents; ++rank) {
    const std::uint32_t i = index.content[rank];
    index.level[rank] = level[i];
    index.size[rank] = size[i];
    ++index.level_start[level[i] + 1];
  }
  std::partial_sum(index.level_start.begin(), index.level_start.end(), index.level_start.begin());
}

// The runs of all features that meet something, numbered.
class Runs {
 public:
  Runs(const Postings& postings, const Bin* bin, std::span<const std::uint32_t> content, unsigned threads)
      // Of part of a collection everything is kept: what is common there comes last, and counts as left until then. So
      // is that of a bin where there are hot features, which nobody is met by: others are then as far on as in the
      // whole.
      : bands_(deal(postings, content, postings.partial() || (bin != nullptr && !bin->hot.empty()) ? 1 : 2, threads)),
        threads_(threads) {
    std::vector<std::array<std::uint32_t, kSeldom>> next(bands_.size());
    each_band([&](std::size_t band) {
      for (Run& run : bands_[band].runs) {
        const bool common = std::binary_search(postings.common.begin(), postings.common.end(), run.feature);
        run.often = bin != nullptr && !bin->often.empty() ? bin->often[bands_[band].of(run).front().at] : run.count;
        if (common) run.often |= PostingsIndex::kCommon;
        if (run.often < kSeldom) ++next[band][run.often];
      }
    });
    number_runs(next);
  }

  std::uint32_t count() const { return count_; }

  // On threads, in no order: a run and its postings.
  template <class Work>
  void each(Work&& work) const {
    each_band([&](std::size_t band) {
      for (const Run& run : bands_[band].runs) work(run, bands_[band].of(run));
    });
  }

 private:
  static constexpr std::uint32_t kSeldom = 256;

  template <class Work>
  void each_band(Work&& work) const {
    parallel_blocks(bands_.size(), 1, threads_, [&](unsigned, std::size_t band, std::size_t) { work(band); });
  }

  // By how often they are, then as they stand. Nearly all are seldom, and counted; the others are sorted.
  void number_runs(std::vector<std::array<std::uint32_t, kSeldom>>& next) {
    for (std::uint32_t often = 0; often < kSeldom; ++often)
      for (auto& numbers : next) count_ += std::exchange(numbers[often], count_);
    std::vector<std::vector<Run*>> others(bands_.size());
    each_band([&](std::size_t band) {
      for (Run& run : bands_[band].runs) {
        if (run.often < kSeldom) run.number = next[band][run.often]++;
        else others[band].push_back(&run);
      }
    });
    std::vector<Run*> often;
    for (const auto& some : others) often.insert(often.end(), some.begin(), some.end());
    std::stable_sort(often.begin(), often.end(), [](const Run* x, const Run* y) { return x->often < y->often; });
    for (Run* run : often) run->number = count_++;
  }

  std::vector<Band> bands_;
  unsigned threads_;
  std::uint32_t count_ = 0;
};

// Everything by number. Of each slot `left` holds for now which posting it is.
void fill_runs(const Runs& runs, PostingsIndex& index) {
  index.feature.resize(runs.count());
  index.highest.resize(runs.count());
  index.often.resize(runs.count());
  index.run.assign(runs.count() + std::size_t{1}, 0);
  runs.each([&](const Run& run, std::span<const Posted>) {
    index.feature[run.number] = run.feature;
    index.highest[run.number] = static_cast<std::uint8_t>(highest_level(run.feature, index.base, index.levels));
    index.often[run.number] = run.often;
    index.run[run.number + 1] = run.count;
  });
  std::partial_sum(index.run.begin(), index.run.end(), index.run.begin());
  index.slots.resize(index.run.back());
  std::atomic<bool> repeats{false};
  runs.each([&](const Run& run, std::span<const Posted> postings) {
    Slot* to = index.slots.data() + index.run[run.number];
    std::uint32_t before = std::numeric_limits<std::uint32_t>::max();
    for (const Posted& one : postings) {
      *to++ = {one.rank, one.at};
      if (std::exchange(before, one.rank) == one.rank) repeats.store(true, std::memory_order_relaxed);
    }
  });
  index.repeats = repeats;
}

// The slots turned round once more: number by number, each goes to the end of its content's list.
void fill_lists(const Postings& postings, PostingsIndex& index, unsigned threads) {
  const std::size_t contents = index.content.size(), shares = threads;
  const auto numbers = static_cast<std::uint32_t>(index.feature.size());
  std::vector<std::uint32_t> first(shares + 1, numbers);  // numbers, by share of the slots
  for (std::size_t share = 0; share < shares; ++share) {
    const auto slot = static_cast<std::uint32_t>(index.slots.size() * share / shares);
    const auto at = std::lower_bound(index.run.begin(), index.run.end() - 1, slot);
    first[share] = static_cast<std::uint32_t>(at - index.run.begin());
  }
  std::vector<std::vector<std::uint32_t>> next(shares, std::vector<std::uint32_t>(contents, 0));
  const auto each_share = [&](auto&& work) {
    parallel_blocks(shares, 1, threads, [&](unsigned, std::size_t share, std::size_t) { work(share); });
  };
  each_share([&](std::size_t share) {
    for (auto slot = index.run[first[share]]; slot < index.run[first[share + 1]]; ++slot)
      ++next[share][index.slots[slot].rank];
  });
  index.list_start.assign(contents + 1, 0);
  std::uint32_t at = 0;
  for (std::size_t rank = 0; rank < contents; ++rank) {
    for (auto& places : next) at += std::exchange(places[rank], at);
    index.list_start[rank + 1] = at;
  }
  const bool weighted = !postings.weights.empty();
  index.numbers.resize(at);
  index.hints.resize(at);
  index.weights.resize(weighted ? at : 0);
  each_share([&](std::size_t share) {
    for (auto number = first[share]; number < first[share + 1]; ++number) {
      const std::uint32_t end = index.run[number + 1];
      Hint hint{0, static_cast<std::uint8_t>(index.highest[number] & 127), 0};
      for (auto slot = index.run[number]; slot < end; ++slot)
        hint.levels |= Hint::level_bit(index.level[index.slots[slot].rank]);
      for (auto slot = index.run[number]; slot < end; ++slot) {
        Slot& one = index.slots[slot];
        const std::uint32_t place = next[share][one.rank]++;
        index.numbers[place] = number;
        hint.followed = slot + 1 < end && index.level[index.slots[slot + 1].rank] == index.level[one.rank];
        index.hints[place] = hint;
        if (weighted) index.weights[place] = postings.weights[one.left];
        one.left = weighted ? place : index.list_start[one.rank + 1] - place;
      }
    }
  });
  if (!weighted) return;
  UninitVector<std::uint32_t> left(at);
  for (std::size_t rank = 0; rank < contents; ++rank) {
    std::uint64_t sum = 0;
    for (auto place = index.list_start[rank + 1]; place-- > index.list_start[rank];) {
      sum += index.weights[place];
      left[place] = static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, ~std::uint32_t{0}));
    }
  }
  for (Slot& slot : index.slots) slot.left = left[slot.left];
}

}  // namespace

PostingsIndex build_index(const Postings& postings, const Bin* bin, unsigned threads) {
  if (postings.count() >= std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("more than 4 billion features in one join");
  PostingsIndex index;
  rank_contents(postings, bin, index);
  fill_runs(Runs(postings, bin, index.content, threads), index);
  fill_lists(postings, index, threads);
  return index;
}

namespace {

// A part of some eight thousand postings and the room to sort it are 256 KB: half of what a core has near it.
constexpr int kPartBits = 13;
constexpr int kMostParts = 16;  // bits
// More would visit each list more often for fewer of its features: of a hundred these are six.
constexpr int kBandBits = 4;
constexpr std::size_t kAhead = 16;  // lists that are asked for before they are needed
constexpr std::size_t kFew = 48;    // postings of a run that are quicker sorted by comparing

struct Dealt {
  std::uint64_t feature;
  std::uint32_t rank, at;
};

// Where a list is, where its postings begin among all, and whose it is.
struct Place {
  const std::uint64_t* features;
  std::uint32_t at, rank;
};

class Dealer {
 public:
  Dealer(const Postings& postings, std::span<const std::uint32_t> content, std::size_t fewest, unsigned threads)
      : postings_(postings),
        content_(content),
        fewest_(fewest),
        threads_(threads),
        estimator_(postings.evidence.estimator),
        in_order_(estimator_ == Estimator::overlap) {
    bits_ = std::clamp(static_cast<int>(std::bit_width(postings.count() >> kPartBits)), 1, kMostParts);
    // Lists that are not in the order of place_of are gone through for every band.
    band_bits_ = std::min(bits_, in_order_ ? kBandBits : static_cast<int>(std::bit_width(threads - 1)));
    std::uint64_t used = 1;
    for (std::uint32_t row = 0; in_order_ && row < content.size(); ++row)
      if (const List list = postings.list(row); !list.features.empty()) used |= list.features.back();
    unused_ = in_order_ ? std::countl_zero(used) : 0;
    count();
  }

  std::vector<Band> deal() {
    std::vector<Band> bands(std::size_t{1} << band_bits_);
    std::vector<UninitVector<Dealt>> rooms(threads_);
    parallel_blocks(bands.size(), 1, threads_, [&](unsigned thread, std::size_t band, std::size_t) {
      fill(band, rooms[thread]);
      gather(band, rooms[thread], bands[band]);
    });
    return bands;
  }

 private:
  std::size_t part_of(std::uint64_t feature) const {
    return static_cast<std::size_t>(place_of(feature, estimator_) << unused_ >> (64 - bits_));
  }
  std::size_t band_of(std::size_t part) const { return part >> (bits_ - band_bits_); }
  std::size_t first_part(std::size_t band) const { return band << (bits_ - band_bits_); }

  // How many postings go into each part, and where each band begins in the lists.
  void count() {
    const std::size_t parts = std::size_t{1} << bits_, bands = std::size_t{1} << band_bits_, contents = content_.size();
    std::vector<std::vector<std::size_t>> counts(threads_, std::vector<std::size_t>(parts, 0));
    cuts_.resize((bands + 1) * contents);
    place_lists();
    parallel_blocks(contents, 256, threads_, [&](unsigned thread, std::size_t from, std::size_t to) {
      for (auto list = from; list < to; ++list) {
        const auto features = postings_.list(content_[lists_[list].rank]).features;
        const auto size = static_cast<std::uint32_t>(features.size());
        std::size_t band = 0;
        for (std::uint32_t i = 0; i < size; ++i) {
          const std::size_t part = part_of(features[i]);
          ++counts[thread][part];
          for (; in_order_ && band <= band_of(part); ++band) cuts_[band * contents + list] = i;
        }
        for (; band <= bands; ++band) cuts_[band * contents + list] = in_order_ || band == bands ? size : 0;
      }
    });
    start_.assign(parts + 1, 0);
    for (std::size_t part = 0; part < parts; ++part)
      for (const auto& some : counts) start_[part + 1] += some[part];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
  }

  // In the order of memory. By rank every visit would be to another page, of which a processor remembers some two
  // thousand: asking for lists that way took two thirds of all dealing.
  void place_lists() {
    lists_.resize(content_.size());
    for (std::uint32_t rank = 0; rank < content_.size(); ++rank)
      lists_[rank] = {postings_.list(content_[rank]).features.data(),
                      static_cast<std::uint32_t>(postings_.offsets[content_[rank]]), rank};
    std::sort(lists_.begin(), lists_.end(),
              [](const Place& x, const Place& y) { return std::less<>()(x.features, y.features); });
  }

  void fill(std::size_t band, UninitVector<Dealt>& room) const {
    const std::size_t first = first_part(band), last = first_part(band + 1), contents = content_.size();
    std::vector<std::size_t> next(start_.begin() + static_cast<std::ptrdiff_t>(first),
                                  start_.begin() + static_cast<std::ptrdiff_t>(last));
    for (auto& place : next) place -= start_[first];
    room.clear();  // else it would be carried over to where there is more room
    room.resize(start_[last] - start_[first]);
    const std::uint32_t* const from = cuts_.data() + band * contents;
    const std::uint32_t* const to = cuts_.data() + (in_order_ ? band + 1 : std::size_t{1} << band_bits_) * contents;
    for (std::size_t list = 0; list < contents; ++list) {
      if (const auto ahead = list + kAhead; ahead < contents) {
        __builtin_prefetch(lists_[ahead].features + from[ahead]);
        __builtin_prefetch(lists_[ahead].features + to[ahead]);
      }
      const auto [features, at, rank] = lists_[list];
      for (auto i = from[list]; i < to[list]; ++i) {
        const std::size_t part = part_of(features[i]);
        if (in_order_ || band_of(part) == band) room[next[part - first]++] = {features[i], rank, at + i};
      }
    }
  }

  void gather(std::size_t band, UninitVector<Dealt>& room, Band& to) const {
    const std::size_t first = first_part(band);
    to.postings.reserve(room.size());  // what is not used is never touched
    for (auto part = first; part < first_part(band + 1); ++part) {
      const std::span<Dealt> all(room.data() + start_[part] - start_[first], start_[part + 1] - start_[part]);
      sort(all);
      for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        while (end < all.size() && all[end].feature == all[begin].feature) ++end;
        if (end - begin < fewest_) continue;
        to.runs.push_back({all[begin].feature, static_cast<std::uint32_t>(to.postings.size()),
                           static_cast<std::uint32_t>(end - begin), 0, 0});
        for (auto one = begin; one < end; ++one) to.postings.push_back({all[one].rank, all[one].at});
        by_rank(std::span(to.postings).last(end - begin));
      }
    }
  }

  // A run was dealt in the order of memory.
  void by_rank(std::span<Posted> run) const {
    const auto less = [](const Posted& x, const Posted& y) { return x.rank != y.rank ? x.rank < y.rank : x.at < y.at; };
    if (run.size() < kFew) return std::sort(run.begin(), run.end(), less);
    const auto bits = static_cast<unsigned>(std::bit_width(content_.size()));
    sort_by_feature(run.data(), run.size(), [](const Posted& one) { return std::uint64_t{one.rank}; }, less, bits);
  }

  void sort(std::span<Dealt> part) const {
    const int dealt = std::min(unused_ + bits_, 63);  // all in a part have the same bits up to here
    const auto key = [=, this](const Dealt& one) { return place_of(one.feature, estimator_) << dealt; };
    const auto less = [this](const Dealt& x, const Dealt& y) {
      return place_of(x.feature, estimator_) < place_of(y.feature, estimator_);
    };
    sort_by_feature(part.data(), part.size(), key, less);
  }

  const Postings& postings_;
  std::span<const std::uint32_t> content_;
  std::size_t fewest_;
  unsigned threads_;
  Estimator estimator_;
  bool in_order_;
  int unused_ = 0, bits_ = 1, band_bits_ = 0;
  std::vector<std::size_t> start_;  // of each part, were they all side by side
  UninitVector<Place> lists_;          // as they lie in memory
  UninitVector<std::uint32_t> cuts_;   // by band and list: where it begins there
};

}  // namespace

std::vector<Band> deal(const Postings& postings, std::span<const std::uint32_t> content, std::size_t fewest,
                       unsigned threads) {
  return Dealer(postings, content, fewest, threads).deal();
}

}  // namespace nearkin
