// A segment from signatures, in memory.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>

#include "radix.hpp"
#include "segment.hpp"
#include "uncleared.hpp"

namespace nearkin {
namespace {

using namespace segment;

struct Posting {
  std::uint64_t key;
  std::uint32_t rank, weight;
};

std::uint32_t level_of(std::uint64_t modulus, std::uint64_t base, std::uint32_t levels) {
  const std::uint64_t times = modulus / base;
  if (modulus % base != 0 || !std::has_single_bit(times) || static_cast<std::uint32_t>(std::countr_zero(times)) >= levels)
    throw std::invalid_argument("a modulus is none of the segment's levels");
  return static_cast<std::uint32_t>(std::countr_zero(times));
}

class Build {
 public:
  Build(const SegmentSource& source, std::uint64_t base, std::uint32_t levels) : source_(source), base_(base), levels_(levels) {
    const std::size_t count = source.contents.size();
    const bool fits = source.offsets.size() == count + 1 && source.moduli.size() == count &&
                      source.offsets[count] == source.features.size() && base >= 1 && levels >= 1 &&
                      levels <= kMostLevels && count < kMany && source.features.size() < kMany / 2 &&
                      std::is_sorted(source.offsets.begin(), source.offsets.end()) &&
                      (source.weights.empty() || source.weights.size() == source.features.size());
    if (!fits) throw std::invalid_argument("the arrays of a segment do not fit together");
    measure();
    list();
  }

  std::vector<std::byte> bytes(const Token& token) const {
    Header header;
    header.weighted = weighted() ? 1 : 0;
    header.token = token;
    header.base = base_;
    header.levels = levels_;
    header.contents = source_.contents.size();
    count_lists(header);
    header.bits = directory_bits(header.features);
    const Layout layout(header);
    std::vector<std::byte> image(layout.total);
    fill(image.data(), layout, header);
    for (std::size_t section = 0; section < kSections; ++section) {
      Sum sum;
      sum.add(image.data() + layout.at[section], layout.bytes[section]);
      header.sums[section] = sum.value();
    }
    header.own_sum = own_sum(header);
    std::memcpy(image.data(), &header, sizeof header);
    return image;
  }

 private:
  bool weighted() const { return !source_.weights.empty(); }
  std::uint32_t weight(std::uint64_t i) const { return weighted() ? source_.weights[i] : 1; }
  bool left_out(std::uint64_t feature) const {
    return std::binary_search(source_.ignored.begin(), source_.ignored.end(), feature);
  }

  // Up to which level it is sampled. Schemes have one level or the base 1, so that nothing is divided here.
  std::uint32_t highest_level(std::uint64_t feature) const {
    if (levels_ == 1 || (base_ != 1 && feature % base_ != 0)) return 0;
    const std::uint64_t times = base_ == 1 ? feature : feature / base_;
    return std::min<std::uint32_t>(levels_ - 1, static_cast<std::uint32_t>(std::countr_zero(times)));
  }

  // Sizes at every level, and the order of the ranks.
  void measure() {
    const std::size_t count = source_.contents.size();
    level_.resize(count);
    sizes_.assign(count * levels_, 0);
    for (std::size_t row = 0; row < count; ++row) {
      level_[row] = level_of(source_.moduli[row], base_, levels_);
      std::uint64_t own = 0;
      std::uint64_t* const sizes = sizes_.data() + row * levels_;
      for (auto i = source_.offsets[row]; i < source_.offsets[row + 1]; ++i) {
        const std::uint64_t feature = source_.features[i];
        if (left_out(feature)) continue;
        own += weight(i);
        const std::uint32_t highest = highest_level(feature);
        for (std::uint32_t level = level_[row] + 1; level <= highest; ++level) sizes[level] += weight(i);
      }
      std::fill(sizes, sizes + level_[row] + 1, own);
    }
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0);
    const auto place = [&](std::uint32_t row) {
      return std::tuple(level_[row], size(row, level_[row]), source_.contents[row]);
    };
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t x, std::uint32_t y) { return place(x) < place(y); });
  }

  // Texts of more than 4 GB are as large as 4 GB: they are found a little too easily.
  std::uint32_t size(std::uint32_t row, std::uint32_t level) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(sizes_[std::size_t{row} * levels_ + level], std::numeric_limits<std::uint32_t>::max()));
  }

  // Calls use(key, rank, weight) for every feature that is not left out.
  template <class Use>
  void each_posting(Use&& use) const {
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
      const std::uint32_t row = order_[rank];
      for (auto i = source_.offsets[row]; i < source_.offsets[row + 1]; ++i)
        if (!left_out(source_.features[i])) use(mixed(source_.features[i]), rank, weight(i));
    }
  }

  // Dealt by the first bits of their keys, then sorted piece by piece, each near the core and in memory that is used again.
  void list() {
    constexpr unsigned kBits = 6;
    std::array<std::size_t, (1 << kBits) + 1> ends{};
    each_posting([&](std::uint64_t key, std::uint32_t, std::uint32_t) { ++ends[(key >> (64 - kBits)) + 1]; });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    postings_.resize(ends.back());
    auto next = ends;
    each_posting([&](std::uint64_t key, std::uint32_t rank, std::uint32_t weight) {
      postings_[next[key >> (64 - kBits)]++] = {key, rank, weight};
    });
    for (std::size_t piece = 0; piece + 1 < ends.size(); ++piece)
      sort_by_feature(postings_.data() + ends[piece], ends[piece + 1] - ends[piece],
                      [](const Posting& p) { return p.key << kBits; },
                      [](const Posting& x, const Posting& y) { return x.key != y.key ? x.key < y.key : x.rank < y.rank; });
    // A chunk that a text has twice counts with both its lengths.
    std::size_t to = 0;
    for (std::size_t i = 0; i < postings_.size(); ++i) {
      if (to > 0 && postings_[to - 1].key == postings_[i].key && postings_[to - 1].rank == postings_[i].rank) {
        if (weighted()) {
          const std::uint64_t sum = std::uint64_t{postings_[to - 1].weight} + postings_[i].weight;
          postings_[to - 1].weight = static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, ~std::uint32_t{0}));
        }
      } else {
        postings_[to++] = postings_[i];
      }
    }
    postings_.resize(to);
  }

  // Calls use(first, last) for the postings of every key.
  template <class Use>
  void each_list(Use&& use) const {
    for (std::size_t first = 0, last; first < postings_.size(); first = last) {
      for (last = first + 1; last < postings_.size() && postings_[last].key == postings_[first].key;) ++last;
      use(first, last);
    }
  }

  void count_lists(Header& header) const {
    header.postings = postings_.size();
    each_list([&](std::size_t first, std::size_t last) {
      ++header.features;
      if (last - first > 1 || weighted()) header.words += 1 + (last - first) * (weighted() ? 2 : 1);
    });
  }

  void fill(std::byte* image, const Layout& layout, const Header& header) const {
    const auto at = [&]<class T>(Section section, T) { return reinterpret_cast<T*>(image + layout.at[section]); };
    auto* const contents = at(kContents, std::int64_t{});
    auto* const starts = at(kLevelStarts, std::uint32_t{});
    auto* const sizes = at(kSizes, std::uint32_t{});
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
      contents[rank] = source_.contents[order_[rank]];
      ++starts[level_[order_[rank]] + 1];
      for (std::uint32_t level = 0; level < levels_; ++level)
        sizes[level * order_.size() + rank] = size(order_[rank], level);
    }
    std::partial_sum(starts, starts + levels_ + 1, starts);

    auto* const directory = at(kDirectory, std::uint32_t{});
    auto* key = at(kKeys, std::uint64_t{});
    auto* value = at(kValues, std::uint32_t{});
    auto* const lists = at(kLists, std::uint32_t{});
    std::uint32_t* list = lists;
    each_list([&](std::size_t first, std::size_t last) {
      *key++ = postings_[first].key;
      ++directory[header.bits == 0 ? 1 : (postings_[first].key >> (64 - header.bits)) + 1];
      if (last - first == 1 && !weighted()) {
        *value++ = postings_[first].rank;
        return;
      }
      *value++ = kMany + static_cast<std::uint32_t>(list - lists);
      *list++ = static_cast<std::uint32_t>(last - first);
      for (std::size_t i = first; i < last; ++i) *list++ = postings_[i].rank;
      for (std::size_t i = first; i < last && weighted(); ++i) *list++ = postings_[i].weight;
    });
    std::partial_sum(directory, directory + (std::size_t{1} << header.bits) + 1, directory);
  }

  const SegmentSource& source_;
  std::uint64_t base_;
  std::uint32_t levels_;
  std::vector<std::uint32_t> level_, order_;
  std::vector<std::uint64_t> sizes_;  // by row and level
  Uncleared<Posting> postings_;
};

}  // namespace

Segment Segment::of(const SegmentSource& source, std::uint64_t base, std::uint32_t levels, const Token& token) {
  auto kept = std::make_shared<std::vector<std::byte>>(Build(source, base, levels).bytes(token));
  const std::size_t bytes = kept->size();
  return {std::shared_ptr<const std::byte>(kept, kept->data()), bytes};
}

}  // namespace nearkin
