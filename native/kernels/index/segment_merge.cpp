// Several segments into one, key by key. Every segment has its contents in the same order, so the new ranks of one
// grow with the old ones, and a list stays ascending.
#include <algorithm>
#include <tuple>

#include "index/segment.hpp"

namespace nearkin {
namespace {

using namespace segment;

class Merge {
 public:
  Merge(std::span<const Segment* const> segments, const Token& token) : segments_(segments) {
    if (segments.empty()) throw std::invalid_argument("there is nothing to merge");
    const Header& first = segments[0]->header();
    header_.token = token;
    header_.base = first.base;
    header_.levels = first.levels;
    // Without a feature there is no weight to tell by.
    const auto telling = std::find_if(segments.begin(), segments.end(), [](auto* one) { return one->header().postings > 0; });
    header_.weighted = telling == segments.end() ? 0 : (*telling)->header().weighted;
    for (const Segment* one : segments) {
      const Header& header = one->header();
      const bool alike = header.postings == 0 || header.weighted == header_.weighted;
      if (header.base != first.base || header.levels != first.levels || !alike)
        throw std::invalid_argument("segments of unlike schemes cannot be merged");
      header_.contents += header.contents;
      header_.postings += header.postings;
    }
    if (header_.contents >= kMany) throw std::invalid_argument("the segments have too many contents for one");
    rank();
    // Counted first, so that every section can be written to its place.
    each_key([&](std::uint64_t, std::size_t count) {
      ++header_.features;
      if (count > 1 || weighted()) header_.words += 1 + count * (weighted() ? 2 : 1);
    });
    if (header_.words >= kMany || header_.features >= Segment::kNowhere)
      throw std::invalid_argument("the segments have too many postings for one");
    header_.bits = directory_bits(header_.features);
  }

  void write(const std::string& path) {
    const Layout layout(header_);
    SegmentFile file(path, layout.total);
    write_contents(file, layout);
    SectionWriter<std::uint64_t> keys(file, layout.at[kKeys]);
    SectionWriter<std::uint32_t> values(file, layout.at[kValues]), lists(file, layout.at[kLists]);
    std::vector<std::uint32_t> directory((std::size_t{1} << header_.bits) + 1, 0);
    std::uint32_t written = 0;
    each_key([&](std::uint64_t key, std::size_t count) {
      keys.put(key);
      ++directory[header_.bits == 0 ? 1 : (key >> (64 - header_.bits)) + 1];
      gather();
      if (count == 1 && !weighted()) return values.put(gathered_[0].rank);
      values.put(kMany + written);
      lists.put(static_cast<std::uint32_t>(count));
      for (const auto& one : gathered_) lists.put(one.rank);
      for (const auto& one : gathered_)
        if (weighted()) lists.put(one.weight);
      written += static_cast<std::uint32_t>(1 + count * (weighted() ? 2 : 1));
    });
    header_.sums[kKeys] = keys.finish();
    header_.sums[kValues] = values.finish();
    header_.sums[kLists] = lists.finish();
    for (std::size_t i = 1; i < directory.size(); ++i) directory[i] += directory[i - 1];
    SectionWriter<std::uint32_t> starts(file, layout.at[kDirectory]);
    for (const auto start : directory) starts.put(start);
    header_.sums[kDirectory] = starts.finish();
    header_.own_sum = own_sum(header_);
    file.write(0, &header_, sizeof header_);
    file.finish();
  }

 private:
  struct Place {
    std::uint32_t level, size;
    std::int64_t content;
    std::uint32_t segment, rank;
  };
  struct Gathered {
    std::uint32_t rank, weight;
  };

  bool weighted() const { return header_.weighted != 0; }

  void rank() {
    order_.reserve(header_.contents);
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
      const Segment& one = *segments_[i];
      for (std::uint32_t rank = 0; rank < one.header().contents; ++rank) {
        const std::uint32_t level = one.level_of(rank);
        order_.push_back({level, one.sizes(level)[rank], one.contents()[rank], i, rank});
      }
      ranks_.emplace_back(one.header().contents);
    }
    std::sort(order_.begin(), order_.end(), [](const Place& x, const Place& y) {
      return std::tie(x.level, x.size, x.content, x.segment) < std::tie(y.level, y.size, y.content, y.segment);
    });
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) ranks_[order_[rank].segment][order_[rank].rank] = rank;
  }

  void write_contents(SegmentFile& file, const Layout& layout) {
    SectionWriter<std::int64_t> contents(file, layout.at[kContents]);
    std::vector<std::uint32_t> counts(header_.levels + 1, 0);
    for (const auto& place : order_) {
      contents.put(place.content);
      ++counts[place.level + 1];
    }
    header_.sums[kContents] = contents.finish();
    SectionWriter<std::uint32_t> starts(file, layout.at[kLevelStarts]), sizes(file, layout.at[kSizes]);
    std::uint32_t before = 0;
    for (const auto count : counts) starts.put(before += count);
    header_.sums[kLevelStarts] = starts.finish();
    for (std::uint32_t level = 0; level < header_.levels; ++level)
      for (const auto& place : order_) sizes.put(segments_[place.segment]->sizes(level)[place.rank]);
    header_.sums[kSizes] = sizes.finish();
  }

  // Calls use(key, postings) for every key of any segment; `at_` then says where it is in each.
  template <class Use>
  void each_key(Use&& use) {
    next_.assign(segments_.size(), 0);
    at_.assign(segments_.size(), nullptr);
    for (;;) {
      bool some = false;
      std::uint64_t key = ~std::uint64_t{0};
      for (std::size_t i = 0; i < segments_.size(); ++i) {
        const auto keys = segments_[i]->keys();
        if (next_[i] == keys.size()) continue;
        some = true;
        key = std::min(key, keys[next_[i]]);
      }
      if (!some) return;
      std::size_t count = 0;
      for (std::size_t i = 0; i < segments_.size(); ++i) {
        const auto keys = segments_[i]->keys();
        at_[i] = nullptr;
        if (next_[i] == keys.size() || keys[next_[i]] != key) continue;
        at_[i] = &segments_[i]->values()[next_[i]++];
        count += segments_[i]->list(*at_[i]).ranks.size();
      }
      use(key, count);
    }
  }

  void gather() {
    gathered_.clear();
    std::size_t parts = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (at_[i] == nullptr) continue;
      ++parts;
      const PostingList list = segments_[i]->list(*at_[i]);
      for (std::size_t j = 0; j < list.ranks.size(); ++j) {
        if (list.ranks[j] >= ranks_[i].size()) throw SegmentError("the segment is damaged");
        gathered_.push_back({ranks_[i][list.ranks[j]], list.weights.empty() ? 1 : list.weights[j]});
      }
    }
    if (parts > 1)
      std::sort(gathered_.begin(), gathered_.end(), [](const Gathered& x, const Gathered& y) { return x.rank < y.rank; });
  }

  std::span<const Segment* const> segments_;
  Header header_;
  std::vector<Place> order_;
  std::vector<std::vector<std::uint32_t>> ranks_;  // by segment: new ranks of the old ones
  std::vector<std::size_t> next_;
  std::vector<const std::uint32_t*> at_;
  std::vector<Gathered> gathered_;
};

}  // namespace

void merge_segments(std::span<const Segment* const> segments, const Token& token, const std::string& path) {
  // One alone is as it would be merged, unless all its weights went with features left out.
  if (segments.size() == 1 && (segments[0]->header().postings > 0 || segments[0]->header().weighted == 0))
    return segments[0]->save(path, token);
  Merge(segments, token).write(path);
}

}  // namespace nearkin
