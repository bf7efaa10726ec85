#include "index/segment_search.hpp"

#include <algorithm>
#include <bit>

namespace nearkin {
namespace {

constexpr std::size_t kShort = 64;  // lists that are always walked through

struct Range {
  std::uint32_t from, to;
};

// A feature of the query that some content has.
struct QueryFeature {
  std::uint32_t place;   // among the keys
  std::uint32_t length;  // of its list
  std::uint32_t weight;
  std::uint32_t reach;  // the highest level at which it counts
};

// A content that is counted.
struct Admitted {
  std::uint32_t rank, level;
  std::uint64_t size, least, shared;
};

class Search {
 public:
  Search(const Segment& segment, const SegmentQuery& query, const Thresholds& thresholds)
      : segment_(segment),
        query_(query),
        thresholds_(thresholds),
        base_(segment.header().base),
        levels_(segment.header().levels) {
    if (!query.weights.empty() && query.weights.size() != query.features.size())
      throw std::invalid_argument("the weights of a query do not fit its features");
    own_level_ = -1;
    if (query.modulus >= base_) {
      const std::uint64_t times = query.modulus / base_;
      if (query.modulus % base_ != 0 || !std::has_single_bit(times) ||
          std::countr_zero(times) >= static_cast<int>(levels_))
        throw std::invalid_argument("the query's modulus is none of the segment's levels");
      own_level_ = std::countr_zero(times);
    }
    measure();
  }

  std::vector<SegmentMatch> run() {
    if (seat().size() < segment_.header().contents) seat().resize(segment_.header().contents, 0);
    for (const QueryFeature& feature : features_) {
      const PostingList list = segment_.list(segment_.values()[feature.place]);
      if (list.ranks.size() <= kShort)
        walk(list, feature, 0, list.ranks.size());
      else
        look_through(list, feature);
      for (std::uint32_t level = 0; level <= feature.reach; ++level) left_[level] -= feature.weight;
    }
    std::vector<SegmentMatch> matches;
    std::sort(admitted_.begin(), admitted_.end(), [](const Admitted& x, const Admitted& y) { return x.rank < y.rank; });
    for (const Admitted& content : admitted_) {
      seat()[content.rank] = 0;
      const std::uint64_t shared = content.shared;
      const std::uint64_t query_size = std::max(sizes_[content.level], shared), size = std::max(content.size, shared);
      const std::uint64_t modulus = modulus_at(content.level);
      if (thresholds_.counts(thresholds_.counted(0, content.rank, shared, query_size, size), modulus))
        matches.push_back({segment_.contents()[content.rank], shared, query_size, size, modulus});
    }
    admitted_.clear();
    return matches;
  }

  ~Search() {
    for (const Admitted& content : admitted_) seat()[content.rank] = 0;  // some are left only after an exception
  }

 private:
  // By rank: one more than its place among the admitted, or 0 if it is not. Kept between searches, all zero.
  static std::vector<std::uint32_t>& seat() {
    static thread_local std::vector<std::uint32_t> seats;
    return seats;
  }

  // Tells whether contents of this level are compared at their own modulus, not at the query's larger one.
  bool at_own_modulus(std::uint32_t level) const { return static_cast<int>(level) >= own_level_; }

  // Returns the modulus at which a content of this level is compared.
  std::uint64_t modulus_at(std::uint32_t level) const {
    return std::max(query_.modulus, base_ << level);
  }

  std::uint64_t size_of(std::uint32_t rank, std::uint32_t level) const {
    return segment_.sizes(at_own_modulus(level) ? level : static_cast<std::uint32_t>(own_level_))[rank];
  }

  std::uint64_t least(std::uint32_t level, std::uint64_t size) const {
    return thresholds_.rising_least(sizes_[level], size, modulus_at(level));
  }

  // Returns one more than the highest level at which a feature counts; 0: it counts at none. A text shorter than a
  // shingle is its own only feature, whether a multiple of the modulus or not.
  std::uint32_t reach_of(std::uint64_t feature) const {
    if (query_.features.size() == 1) return levels_;
    const auto own = static_cast<std::uint32_t>(own_level_ + 1);
    if (feature % base_ != 0) return own;
    const auto reach = static_cast<std::uint32_t>(std::countr_zero(feature / base_)) + 1;
    return std::max(own, std::min<std::uint32_t>(levels_, reach));
  }

  // Looks up the query's features, and sums up at every level how much there is of them and how much may be shared.
  void measure() {
    sizes_.assign(levels_, 0);
    left_.assign(levels_, 0);
    std::vector<std::uint64_t> looked_up;
    std::vector<QueryFeature> features;
    // Below the lowest level that has contents, nothing is looked up.
    std::uint32_t lowest = 0;
    while (lowest + 1 < levels_ && segment_.level_starts()[lowest + 1] == 0) ++lowest;
    looked_up.reserve(query_.features.size());
    features.reserve(query_.features.size());
    for (std::size_t i = 0; i < query_.features.size(); ++i) {
      const std::uint32_t reach = reach_of(query_.features[i]);
      if (reach == 0) continue;
      const std::uint32_t weight = query_.weights.empty() ? 1 : query_.weights[i];
      for (std::uint32_t level = 0; level < reach; ++level) sizes_[level] += weight;
      if (reach <= lowest) continue;
      looked_up.push_back(query_.features[i]);
      features.push_back({0, 0, weight, reach - 1});
    }
    std::vector<std::uint32_t> places;
    segment_.find(looked_up, places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] == Segment::kNowhere) continue;
      features[i].place = places[i];
      __builtin_prefetch(&segment_.values()[places[i]]);
      features_.push_back(features[i]);
    }
    for (QueryFeature& feature : features_) {
      feature.length = static_cast<std::uint32_t>(segment_.list(segment_.values()[feature.place]).ranks.size());
      for (std::uint32_t level = 0; level <= feature.reach; ++level) left_[level] += feature.weight;
    }
    std::sort(features_.begin(), features_.end(), [](const QueryFeature& x, const QueryFeature& y) {
      return x.length != y.length ? x.length < y.length : x.place < y.place;
    });
  }

  void walk(const PostingList& list, const QueryFeature& feature, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::uint32_t rank = list.ranks[i];
      if (rank >= segment_.header().contents) throw SegmentError("the segment is damaged");
      const std::uint32_t shared = list.weights.empty() ? feature.weight : std::min(feature.weight, list.weights[i]);
      if (std::uint32_t& seat = Search::seat()[rank]; seat != 0)
        admitted_[seat - 1].shared += shared;
      else
        admit(rank, shared, seat);
    }
  }

  void admit(std::uint32_t rank, std::uint32_t shared, std::uint32_t& seat) {
    const std::uint32_t level = segment_.level_of(rank);
    const std::uint64_t size = size_of(rank, level);
    const std::uint64_t enough = least(level, size);
    if (enough > left_[level]) return;
    admitted_.push_back({rank, level, size, enough, shared});
    seat = static_cast<std::uint32_t>(admitted_.size());
    open_.push_back(seat - 1);
  }

  // Reads only the admissible ranges of a long list, and looks up the open contents outside of them.
  void look_through(const PostingList& list, const QueryFeature& feature) {
    refresh();
    const auto begin = list.ranks.begin(), end = list.ranks.end();
    auto at = begin;
    std::vector<std::uint32_t> outside;
    const std::size_t open = open_.size();  // contents admitted below are counted there
    for (std::size_t i = 0; i < open; ++i)
      if (!admissible(admitted_[open_[i]].rank)) outside.push_back(open_[i]);
    if (outside.size() * std::bit_width(list.ranks.size()) < list.ranks.size()) {
      for (const std::uint32_t which : outside) {
        Admitted& content = admitted_[which];
        const auto at_rank = std::lower_bound(begin, end, content.rank);
        if (at_rank == end || *at_rank != content.rank) continue;
        const auto i = static_cast<std::size_t>(at_rank - begin);
        content.shared += list.weights.empty() ? feature.weight : std::min(feature.weight, list.weights[i]);
      }
      for (const Range& range : ranges_) {
        const auto from = std::lower_bound(at, end, range.from);
        at = std::lower_bound(from, end, range.to);
        walk(list, feature, static_cast<std::size_t>(from - begin), static_cast<std::size_t>(at - begin));
      }
    } else {
      walk(list, feature, 0, list.ranks.size());
    }
  }

  bool admissible(std::uint32_t rank) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), rank,
                                        [](std::uint32_t value, const Range& range) { return value < range.from; });
    return after != ranges_.begin() && rank < std::prev(after)->to;
  }

  // Ranges only shrink, so slightly old ones will do. They are made anew when a tenth of what was left is gone.
  void refresh() {
    bool valid = !made_for_.empty();
    for (std::uint32_t level = 0; valid && level < levels_; ++level) valid = left_[level] * 10 >= made_for_[level] * 9;
    if (valid) return;
    made_for_ = left_;
    std::erase_if(open_, [&](std::uint32_t which) {
      return admitted_[which].shared + left_[admitted_[which].level] < admitted_[which].least;
    });
    ranges_.clear();
    for (std::uint32_t level = 0; level < levels_; ++level) add_ranges(level);
  }

  // Adds the ranks of a level whose sizes let them reach a threshold with what is left of the query.
  void add_ranges(std::uint32_t level) {
    const std::uint32_t first = segment_.level_starts()[level], last = segment_.level_starts()[level + 1];
    const std::uint64_t left = left_[level], query_size = sizes_[level], modulus = modulus_at(level);
    if (first == last || left == 0) return;
    if (!at_own_modulus(level)) return add(first, last);  // ranks go by another size there
    const auto sizes = segment_.sizes(level);
    const auto where = [&](auto&& holds) {
      return static_cast<std::uint32_t>(
          std::partition_point(sizes.begin() + first, sizes.begin() + last, holds) - sizes.begin());
    };
    std::array<Range, 3> three{};
    three[0] = {first, where([&](std::uint64_t size) { return thresholds_.rising_part(size, modulus) <= left; })};
    const auto alike = [&](std::uint64_t size) { return thresholds_.rising_alike(query_size + size, modulus); };
    three[1] = {where([&](std::uint64_t size) { return alike(size) > size; }),
                where([&](std::uint64_t size) { return alike(size) <= left; })};
    const std::uint64_t part = thresholds_.rising_part(query_size, modulus);
    three[2] = {part <= left ? where([&](std::uint64_t size) { return size < part; }) : last, last};
    std::sort(three.begin(), three.end(), [](const Range& x, const Range& y) { return x.from < y.from; });
    for (const Range& range : three)
      if (range.from < range.to) add(range.from, range.to);
  }

  void add(std::uint32_t from, std::uint32_t to) {
    if (!ranges_.empty() && from <= ranges_.back().to)
      ranges_.back().to = std::max(ranges_.back().to, to);
    else
      ranges_.push_back({from, to});
  }

  const Segment& segment_;
  const SegmentQuery& query_;
  const Thresholds& thresholds_;
  std::uint64_t base_;
  std::uint32_t levels_;
  int own_level_;                        // the query's; -1: the query is complete, and the contents are not
  std::vector<std::uint64_t> sizes_;     // by level: the size of the query
  std::vector<std::uint64_t> left_;      // by level: how much of it is in lists that are not yet read
  std::vector<QueryFeature> features_;   // shortest list first
  std::vector<Admitted> admitted_;
  std::vector<std::uint32_t> open_;      // the admitted that may still reach a threshold
  std::vector<Range> ranges_;            // the ranks that may still be admitted
  std::vector<std::uint64_t> made_for_;  // what was left when the ranges were made
};

}  // namespace

std::vector<SegmentMatch> search_segment(const Segment& segment, const SegmentQuery& query,
                                         const Thresholds& thresholds) {
  if (query.features.empty() || segment.header().contents == 0) return {};
  return Search(segment, query, thresholds).run();
}

}  // namespace nearkin
