#include "join/dealt_postings.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "base/parallel.hpp"
#include "join/postings.hpp"
#include "base/sort.hpp"

namespace nearkin {
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
    std::vector<Uncleared<Dealt>> rooms(threads_);
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

  // In the order of memory. By rank every visit would be to another page, of which a processor remembers some two thousand:
  // asking for lists that way took two thirds of all dealing.
  void place_lists() {
    lists_.resize(content_.size());
    for (std::uint32_t rank = 0; rank < content_.size(); ++rank)
      lists_[rank] = {postings_.list(content_[rank]).features.data(),
                      static_cast<std::uint32_t>(postings_.offsets[content_[rank]]), rank};
    std::sort(lists_.begin(), lists_.end(),
              [](const Place& x, const Place& y) { return std::less<>()(x.features, y.features); });
  }

  void fill(std::size_t band, Uncleared<Dealt>& room) const {
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

  void gather(std::size_t band, Uncleared<Dealt>& room, Band& to) const {
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
  Uncleared<Place> lists_;          // as they lie in memory
  Uncleared<std::uint32_t> cuts_;   // by band and list: where it begins there
};

}  // namespace

std::vector<Band> deal(const Postings& postings, std::span<const std::uint32_t> content, std::size_t fewest,
                       unsigned threads) {
  return Dealer(postings, content, fewest, threads).deal();
}

}  // namespace nearkin
