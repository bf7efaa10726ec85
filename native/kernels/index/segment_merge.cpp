// Merges segments into one, key by key. Every segment has its contents in the same order, so the new ranks of a segment
// ascend with the old ones, and lists stay ascending.
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
    // A segment without features does not tell whether it has weights.
    const auto with_features = std::find_if(segments.begin(), segments.end(),
                                            [](auto* segment) { return segment->header().postings > 0; });
    header_.weighted = with_features == segments.end() ? 0 : (*with_features)->header().weighted;
    for (const Segment* segment : segments) {
      const Header& header = segment->header();
      const bool same_weights = header.postings == 0 || header.weighted == header_.weighted;
      if (header.base != first.base || header.levels != first.levels || !same_weights)
        throw std::invalid_argument("segments of unlike schemes cannot be merged");
      header_.contents += header.contents;
      header_.postings += header.postings;
    }
    if (header_.contents >= kMany) throw std::invalid_argument("the segments have too many contents for one");
    rank();
    // Features are counted first, so that every section can be written to its place.
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
      collect_postings();
      if (count == 1 && !weighted()) return values.put(postings_[0].rank);
      values.put(kMany + written);
      lists.put(static_cast<std::uint32_t>(count));
      for (const auto& posting : postings_) lists.put(posting.rank);
      for (const auto& posting : postings_)
        if (weighted()) lists.put(posting.weight);
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
  // A content and its old rank.
  struct Place {
    std::uint32_t level, size;
    std::int64_t content;
    std::uint32_t segment, rank;
  };
  struct Posting {
    std::uint32_t rank, weight;
  };

  bool weighted() const { return header_.weighted != 0; }

  void rank() {
    order_.reserve(header_.contents);
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
      const Segment& segment = *segments_[i];
      for (std::uint32_t rank = 0; rank < segment.header().contents; ++rank) {
        const std::uint32_t level = segment.level_of(rank);
        order_.push_back({level, segment.sizes(level)[rank], segment.contents()[rank], i, rank});
      }
      ranks_.emplace_back(segment.header().contents);
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

  // Calls use(key, number of postings) for every key of any segment; `at_` then holds its value in each segment.
  template <class Use>
  void each_key(Use&& use) {
    next_.assign(segments_.size(), 0);
    at_.assign(segments_.size(), nullptr);
    for (;;) {
      bool any = false;
      std::uint64_t key = ~std::uint64_t{0};
      for (std::size_t i = 0; i < segments_.size(); ++i) {
        const auto keys = segments_[i]->keys();
        if (next_[i] == keys.size()) continue;
        any = true;
        key = std::min(key, keys[next_[i]]);
      }
      if (!any) return;
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

  void collect_postings() {
    postings_.clear();
    std::size_t parts = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (at_[i] == nullptr) continue;
      ++parts;
      const PostingList list = segments_[i]->list(*at_[i]);
      for (std::size_t j = 0; j < list.ranks.size(); ++j) {
        if (list.ranks[j] >= ranks_[i].size()) throw SegmentError("the segment is damaged");
        postings_.push_back({ranks_[i][list.ranks[j]], list.weights.empty() ? 1 : list.weights[j]});
      }
    }
    if (parts == 1) return;
    std::sort(postings_.begin(), postings_.end(), [](const Posting& x, const Posting& y) { return x.rank < y.rank; });
  }

  std::span<const Segment* const> segments_;
  Header header_;
  std::vector<Place> order_;
  std::vector<std::vector<std::uint32_t>> ranks_;  // by segment: the new rank of each old one
  std::vector<std::size_t> next_;
  std::vector<const std::uint32_t*> at_;  // by segment: the value of the current key, or null
  std::vector<Posting> postings_;
};

}  // namespace

void merge_segments(std::span<const Segment* const> segments, const Token& token, const std::string& path) {
  // A single segment is already as it would be merged, unless all its weights went with ignored features.
  if (segments.size() == 1 && (segments[0]->header().postings > 0 || segments[0]->header().weighted == 0))
    return segments[0]->save(path, token);
  Merge(segments, token).write(path);
}

}  // namespace nearkin
