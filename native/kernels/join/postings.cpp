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

// Postings grouped by feature are partitioned by the high bits of their features, and each part is sorted within the
// nearest caches. Features that too few contents have, most of all features, are left out.
//
// Parts are filled band by band, each by one thread, in a buffer that the next band uses again: all postings at once
// would take twice the memory of their features, and touching fresh memory takes longer than partitioning.

// A posting in the run of its feature.
struct Posting {
  std::uint32_t rank;
  std::uint32_t at;  // its place in the postings as they were given
};

struct Run {
  std::uint64_t feature;
  std::uint32_t from, count;        // of the band's postings
  std::uint32_t frequency, number;  // set when runs are numbered
};

// Runs in the order of place_of their features; within a run by rank, then as given.
struct Band {
  std::vector<Run> runs;
  UninitVector<Posting> postings;

  std::span<const Posting> of(const Run& run) const { return {postings.data() + run.from, run.count}; }
};

// A part of some eight thousand postings and the buffer to sort it take 256 KB: half of a core's own cache.
constexpr int kPartBits = 13;
constexpr int kMostPartBits = 16;
// More bands would visit each list more often for fewer of its features: six of a hundred with this number.
constexpr int kBandBits = 4;
constexpr std::size_t kPrefetched = 16;  // lists that are prefetched before they are needed
constexpr std::size_t kFew = 48;    // postings of a run that comparisons sort faster

struct PartPosting {
  std::uint64_t feature;
  std::uint32_t rank, at;
};

// Where the features of a list lie, where its postings begin among all, and its rank.
struct ListPlace {
  const std::uint64_t* features;
  std::uint32_t at, rank;
};

class Partitioner {
 public:
  Partitioner(const Postings& postings, std::span<const std::uint32_t> content, std::size_t fewest, Estimator estimator,
              unsigned threads)
      : postings_(postings),
        content_(content),
        fewest_(fewest),
        threads_(threads),
        estimator_(estimator),
        in_order_(estimator_ == Estimator::overlap) {
    bits_ = std::clamp(static_cast<int>(std::bit_width(postings.count() >> kPartBits)), 1, kMostPartBits);
    // Lists that are not in the order of place_of are walked again for every band.
    band_bits_ = std::min(bits_, in_order_ ? kBandBits : static_cast<int>(std::bit_width(threads - 1)));
    std::uint64_t used = 1;
    for (std::uint32_t row = 0; in_order_ && row < content.size(); ++row)
      if (const List list = postings.list(row); !list.features.empty()) used |= list.features.back();
    unused_ = in_order_ ? std::countl_zero(used) : 0;
    count();
  }

  std::vector<Band> bands() {
    std::vector<Band> bands(std::size_t{1} << band_bits_);
    std::vector<UninitVector<PartPosting>> buffers(threads_);
    parallel_blocks(bands.size(), 1, threads_, [&](unsigned thread, std::size_t band, std::size_t) {
      fill(band, buffers[thread]);
      gather(band, buffers[thread], bands[band]);
    });
    return bands;
  }

 private:
  std::size_t part_of(std::uint64_t feature) const {
    return static_cast<std::size_t>(place_of(feature, estimator_) << unused_ >> (64 - bits_));
  }
  std::size_t band_of(std::size_t part) const { return part >> (bits_ - band_bits_); }
  std::size_t first_part(std::size_t band) const { return band << (bits_ - band_bits_); }

  // Counts the postings of each part, and finds where each band begins in the lists.
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
      for (const auto& of_thread : counts) start_[part + 1] += of_thread[part];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
  }

  // Orders the lists as they lie in memory. By rank every visit would be to another page, of which a processor
  // remembers some two thousand: visiting the lists that way took two thirds of all partitioning.
  void place_lists() {
    lists_.resize(content_.size());
    for (std::uint32_t rank = 0; rank < content_.size(); ++rank)
      lists_[rank] = {postings_.list(content_[rank]).features.data(),
                      static_cast<std::uint32_t>(postings_.offsets[content_[rank]]), rank};
    std::sort(lists_.begin(), lists_.end(),
              [](const ListPlace& x, const ListPlace& y) { return std::less<>()(x.features, y.features); });
  }

  void fill(std::size_t band, UninitVector<PartPosting>& buffer) const {
    const std::size_t first = first_part(band), last = first_part(band + 1), contents = content_.size();
    std::vector<std::size_t> next(start_.begin() + static_cast<std::ptrdiff_t>(first),
                                  start_.begin() + static_cast<std::ptrdiff_t>(last));
    for (auto& place : next) place -= start_[first];
    buffer.clear();  // otherwise resizing would copy the old items
    buffer.resize(start_[last] - start_[first]);
    const std::uint32_t* const from = cuts_.data() + band * contents;
    const std::uint32_t* const to = cuts_.data() + (in_order_ ? band + 1 : std::size_t{1} << band_bits_) * contents;
    for (std::size_t list = 0; list < contents; ++list) {
      if (const auto ahead = list + kPrefetched; ahead < contents) {
        __builtin_prefetch(lists_[ahead].features + from[ahead]);
        __builtin_prefetch(lists_[ahead].features + to[ahead]);
      }
      const auto [features, at, rank] = lists_[list];
      for (auto i = from[list]; i < to[list]; ++i) {
        const std::size_t part = part_of(features[i]);
        if (in_order_ || band_of(part) == band) buffer[next[part - first]++] = {features[i], rank, at + i};
      }
    }
  }

  void gather(std::size_t band, UninitVector<PartPosting>& buffer, Band& to) const {
    const std::size_t first = first_part(band);
    to.postings.reserve(buffer.size());  // memory that is not used is never touched
    for (auto part = first; part < first_part(band + 1); ++part) {
      const std::span<PartPosting> all(buffer.data() + start_[part] - start_[first], start_[part + 1] - start_[part]);
      sort(all);
      for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        while (end < all.size() && all[end].feature == all[begin].feature) ++end;
        if (end - begin < fewest_) continue;
        to.runs.push_back({all[begin].feature, static_cast<std::uint32_t>(to.postings.size()),
                           static_cast<std::uint32_t>(end - begin), 0, 0});
        for (auto i = begin; i < end; ++i) to.postings.push_back({all[i].rank, all[i].at});
        sort_by_rank(std::span(to.postings).last(end - begin));
      }
    }
  }

  // Sorts a run by rank. It was filled in the order of memory.
  void sort_by_rank(std::span<Posting> run) const {
    const auto less = [](const Posting& x, const Posting& y) {
      return x.rank != y.rank ? x.rank < y.rank : x.at < y.at;
    };
    if (run.size() < kFew) return std::sort(run.begin(), run.end(), less);
    const auto bits = static_cast<unsigned>(std::bit_width(content_.size()));
    sort_by_feature(run.data(), run.size(), [](const Posting& p) { return std::uint64_t{p.rank}; }, less, bits);
  }

  void sort(std::span<PartPosting> part) const {
    const int equal = std::min(unused_ + bits_, 63);  // all postings of a part have the same bits up to here
    const auto key = [=, this](const PartPosting& posting) { return place_of(posting.feature, estimator_) << equal; };
    const auto less = [this](const PartPosting& x, const PartPosting& y) {
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
  std::vector<std::size_t> start_;  // where each part begins, were they all side by side
  UninitVector<ListPlace> lists_;          // in the order of memory
  UninitVector<std::uint32_t> cuts_;   // by band and list: where the band begins in the list
};

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

// The numbered runs of all features that more than one content has.
class Runs {
 public:
  Runs(const Postings& postings, const Bin* bin, std::span<const std::uint32_t> content, Estimator estimator,
       unsigned threads)
      // For a part of a collection every feature is kept: common ones come last, and count as left until then. So is it
      // for a bin with hot features, by which nobody is met: the others then stand as far on as in the whole.
      : bands_(Partitioner(postings, content, postings.partial() || (bin != nullptr && !bin->hot.empty()) ? 1 : 2,
                           estimator, threads)
                   .bands()),
        threads_(threads) {
    std::vector<std::array<std::uint32_t, kSeldom>> next(bands_.size());
    each_band([&](std::size_t band) {
      for (Run& run : bands_[band].runs) {
        const bool common = std::binary_search(postings.common.begin(), postings.common.end(), run.feature);
        const bool counted = bin != nullptr && !bin->frequencies.empty();
        run.frequency = counted ? bin->frequencies[bands_[band].of(run).front().at] : run.count;
        if (common) run.frequency |= PostingsIndex::kCommon;
        if (run.frequency < kSeldom) ++next[band][run.frequency];
      }
    });
    number_runs(next);
  }

  std::uint32_t count() const { return count_; }

  // Calls work(run, its postings) for all runs, on threads and in no order.
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

  // Numbers runs by frequency, then in their order. Nearly all are seldom, and counted; the others are sorted.
  void number_runs(std::vector<std::array<std::uint32_t, kSeldom>>& next) {
    for (std::uint32_t frequency = 0; frequency < kSeldom; ++frequency)
      for (auto& numbers : next) count_ += std::exchange(numbers[frequency], count_);
    std::vector<std::vector<Run*>> frequent(bands_.size());
    each_band([&](std::size_t band) {
      for (Run& run : bands_[band].runs) {
        if (run.frequency < kSeldom) run.number = next[band][run.frequency]++;
        else frequent[band].push_back(&run);
      }
    });
    std::vector<Run*> sorted;
    for (const auto& runs : frequent) sorted.insert(sorted.end(), runs.begin(), runs.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Run* x, const Run* y) { return x->frequency < y->frequency; });
    for (Run* run : sorted) run->number = count_++;
  }

  std::vector<Band> bands_;
  unsigned threads_;
  std::uint32_t count_ = 0;
};

// Fills in everything that is found by number. For now `left` of each slot holds which posting it is.
void fill_runs(const Runs& runs, PostingsIndex& index) {
  index.feature.resize(runs.count());
  index.highest.resize(runs.count());
  index.frequency.resize(runs.count());
  index.run.assign(runs.count() + std::size_t{1}, 0);
  runs.each([&](const Run& run, std::span<const Posting>) {
    index.feature[run.number] = run.feature;
    index.highest[run.number] = static_cast<std::uint8_t>(highest_level(run.feature, index.base, index.levels));
    index.frequency[run.number] = run.frequency;
    index.run[run.number + 1] = run.count;
  });
  std::partial_sum(index.run.begin(), index.run.end(), index.run.begin());
  index.slots.resize(index.run.back());
  std::atomic<bool> repeats{false};
  runs.each([&](const Run& run, std::span<const Posting> postings) {
    Slot* to = index.slots.data() + index.run[run.number];
    std::uint32_t before = std::numeric_limits<std::uint32_t>::max();
    for (const Posting& posting : postings) {
      *to++ = {posting.rank, posting.at};
      if (std::exchange(before, posting.rank) == posting.rank) repeats.store(true, std::memory_order_relaxed);
    }
  });
  index.repeats = repeats;
}

// Inverts the slots once more: number by number, each goes to the end of its content's list.
void fill_lists(const Postings& postings, PostingsIndex& index, unsigned threads) {
  const std::size_t contents = index.content.size(), shares = threads;
  const auto numbers = static_cast<std::uint32_t>(index.feature.size());
  std::vector<std::uint32_t> first(shares + 1, numbers);  // the first number of each share of the slots
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
        Slot& holder = index.slots[slot];
        const std::uint32_t place = next[share][holder.rank]++;
        index.numbers[place] = number;
        hint.followed = slot + 1 < end && index.level[index.slots[slot + 1].rank] == index.level[holder.rank];
        index.hints[place] = hint;
        if (weighted) index.weights[place] = postings.weights[holder.left];
        holder.left = weighted ? place : index.list_start[holder.rank + 1] - place;
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

PostingsIndex build_index(const Postings& postings, const Bin* bin, Estimator estimator, unsigned threads) {
  if (postings.count() >= std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("more than 4 billion features in one join");
  PostingsIndex index;
  rank_contents(postings, bin, index);
  fill_runs(Runs(postings, bin, index.content, estimator, threads), index);
  fill_lists(postings, index, threads);
  return index;
}

}  // namespace nearkin
