#include "index/segment_search.hpp"

#include <algorithm>
#include <bit>

namespace nearkin {
namespace {

constexpr std::size_t kShort = 64;  // lists that are walked through without further thought

struct Range {
  std::uint32_t from, to;
};

// A feature of the query that some content has.
struct Listed {
  std::uint32_t place;   // among the keys
  std::uint32_t length;  // of its list
  std::uint32_t weight;
  std::uint32_t reach;  // it counts at the levels up to this
};

struct Admitted {
  std::uint32_t rank, level;
  std::uint64_t size, least, shared;
};

class Search {
 public:
  Search(const Segment& segment, const SegmentQuery& query, const Bars& bars)
      : segment_(segment), query_(query), bars_(bars), base_(segment.header().base), levels_(segment.header().levels) {
    if (!query.weights.empty() && query.weights.size() != query.features.size())
      throw std::invalid_argument("the weights of a query do not fit its features");
    home_ = -1;
    if (query.modulus >= base_) {
      const std::uint64_t times = query.modulus / base_;
      if (query.modulus % base_ != 0 || !std::has_single_bit(times) || std::countr_zero(times) >= static_cast<int>(levels_))
        throw std::invalid_argument("the query's modulus is none of the segment's levels");
      home_ = std::countr_zero(times);
    }
    measure();
  }

  std::vector<SegmentMatch> run() {
    if (seat().size() < segment_.header().contents) seat().resize(segment_.header().contents, 0);
    for (const Listed& one : listed_) {
      const PostingList list = segment_.list(segment_.values()[one.place]);
      if (list.ranks.size() <= kShort)
        walk(list, one, 0, list.ranks.size());
      else
        look_through(list, one);
      for (std::uint32_t level = 0; level <= one.reach; ++level) left_[level] -= one.weight;
    }
    std::vector<SegmentMatch> found;
    std::sort(admitted_.begin(), admitted_.end(), [](const Admitted& x, const Admitted& y) { return x.rank < y.rank; });
    for (const Admitted& one : admitted_) {
      seat()[one.rank] = 0;
      const std::uint64_t mine = std::max(mine_[one.level], one.shared), size = std::max(one.size, one.shared);
      const std::uint64_t modulus = modulus_at(one.level);
      if (bars_.reached(one.shared, mine, size, modulus))
        found.push_back({segment_.contents()[one.rank], one.shared, mine, size, modulus});
    }
    admitted_.clear();
    return found;
  }

  ~Search() {
    for (const Admitted& one : admitted_) seat()[one.rank] = 0;  // only after an exception is there one left
  }

 private:
  // By rank: one more than its place among the admitted, 0 where it is not. Kept between searches, all zero.
  static std::vector<std::uint32_t>& seat() {
    static thread_local std::vector<std::uint32_t> seats;
    return seats;
  }

  bool at_home(std::uint32_t level) const { return static_cast<int>(level) >= home_; }

  // What a content of this level is compared at.
  std::uint64_t modulus_at(std::uint32_t level) const {
    return std::max(query_.modulus, base_ << level);
  }

  std::uint64_t size_of(std::uint32_t rank, std::uint32_t level) const {
    return segment_.sizes(at_home(level) ? level : static_cast<std::uint32_t>(home_))[rank];
  }

  std::uint64_t least(std::uint32_t level, std::uint64_t size) const {
    return bars_.least(mine_[level], size, modulus_at(level));
  }

  // The highest level at which a feature counts, and one more; 0: at none. A text shorter than a shingle is its own
  // only feature, a multiple of the modulus or not.
  std::uint32_t reach_of(std::uint64_t feature) const {
    if (query_.features.size() == 1) return levels_;
    const auto home = static_cast<std::uint32_t>(home_ + 1);
    if (feature % base_ != 0) return home;
    return std::max(home, std::min<std::uint32_t>(levels_, static_cast<std::uint32_t>(std::countr_zero(feature / base_)) + 1));
  }

  // Looks up the query's features, and counts at every level how much there is of them and how much may be shared.
  void measure() {
    mine_.assign(levels_, 0);
    left_.assign(levels_, 0);
    std::vector<std::uint64_t> wanted;
    std::vector<Listed> asked;
    // Below the lowest level that has contents there is nothing to look up.
    std::uint32_t lowest = 0;
    while (lowest + 1 < levels_ && segment_.level_starts()[lowest + 1] == 0) ++lowest;
    wanted.reserve(query_.features.size());
    asked.reserve(query_.features.size());
    for (std::size_t i = 0; i < query_.features.size(); ++i) {
      const std::uint32_t reach = reach_of(query_.features[i]);
      if (reach == 0) continue;
      const std::uint32_t weight = query_.weights.empty() ? 1 : query_.weights[i];
      for (std::uint32_t level = 0; level < reach; ++level) mine_[level] += weight;
      if (reach <= lowest) continue;
      wanted.push_back(query_.features[i]);
      asked.push_back({0, 0, weight, reach - 1});
    }
    std::vector<std::uint32_t> places;
    segment_.find(wanted, places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] == Segment::kNowhere) continue;
      asked[i].place = places[i];
      __builtin_prefetch(&segment_.values()[places[i]]);
      listed_.push_back(asked[i]);
    }
    for (Listed& one : listed_) {
      one.length = static_cast<std::uint32_t>(segment_.list(segment_.values()[one.place]).ranks.size());
      for (std::uint32_t level = 0; level <= one.reach; ++level) left_[level] += one.weight;
    }
    std::sort(listed_.begin(), listed_.end(), [](const Listed& x, const Listed& y) {
      return x.length != y.length ? x.length < y.length : x.place < y.place;
    });
  }

  void walk(const PostingList& list, const Listed& one, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::uint32_t rank = list.ranks[i];
      if (rank >= segment_.header().contents) throw SegmentError("the segment is damaged");
      const std::uint32_t shared = list.weights.empty() ? one.weight : std::min(one.weight, list.weights[i]);
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

  void look_through(const PostingList& list, const Listed& one) {
    refresh();
    const auto begin = list.ranks.begin(), end = list.ranks.end();
    auto at = begin;
    std::vector<std::uint32_t> outside;
    const std::size_t open = open_.size();  // those admitted below are counted there
    for (std::size_t i = 0; i < open; ++i)
      if (!admissible(admitted_[open_[i]].rank)) outside.push_back(open_[i]);
    if (outside.size() * std::bit_width(list.ranks.size()) < list.ranks.size()) {
      for (const std::uint32_t which : outside) {
        Admitted& met = admitted_[which];
        const auto found = std::lower_bound(begin, end, met.rank);
        if (found == end || *found != met.rank) continue;
        met.shared += list.weights.empty() ? one.weight : std::min(one.weight, list.weights[static_cast<std::size_t>(found - begin)]);
      }
      for (const Range& range : ranges_) {
        const auto from = std::lower_bound(at, end, range.from);
        at = std::lower_bound(from, end, range.to);
        walk(list, one, static_cast<std::size_t>(from - begin), static_cast<std::size_t>(at - begin));
      }
    } else {
      walk(list, one, 0, list.ranks.size());
    }
  }

  bool admissible(std::uint32_t rank) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), rank,
                                        [](std::uint32_t value, const Range& range) { return value < range.from; });
    return after != ranges_.begin() && rank < std::prev(after)->to;
  }

  // Ranges only shrink, so those of a while ago will do; they are made anew when a tenth of what was left is gone.
  void refresh() {
    bool stands = !made_for_.empty();
    for (std::uint32_t level = 0; stands && level < levels_; ++level) stands = left_[level] * 10 >= made_for_[level] * 9;
    if (stands) return;
    made_for_ = left_;
    std::erase_if(open_, [&](std::uint32_t which) {
      return admitted_[which].shared + left_[admitted_[which].level] < admitted_[which].least;
    });
    ranges_.clear();
    for (std::uint32_t level = 0; level < levels_; ++level) add_ranges(level);
  }

  // The ranks of a level whose sizes let them reach a bar with what is left.
  void add_ranges(std::uint32_t level) {
    const std::uint32_t first = segment_.level_starts()[level], last = segment_.level_starts()[level + 1];
    const std::uint64_t left = left_[level], mine = mine_[level], modulus = modulus_at(level);
    if (first == last || left == 0) return;
    if (!at_home(level)) return add(first, last);  // by another size than ranks go by
    const auto sizes = segment_.sizes(level);
    const auto where = [&](auto&& holds) {
      return static_cast<std::uint32_t>(
          std::partition_point(sizes.begin() + first, sizes.begin() + last, holds) - sizes.begin());
    };
    std::array<Range, 3> three{};
    three[0] = {first, where([&](std::uint64_t size) { return bars_.part(size, modulus) <= left; })};
    three[1] = {where([&](std::uint64_t size) { return bars_.like(mine + size, modulus) > size; }),
                where([&](std::uint64_t size) { return bars_.like(mine + size, modulus) <= left; })};
    const std::uint64_t inside = bars_.part(mine, modulus);
    three[2] = {inside <= left ? where([&](std::uint64_t size) { return size < inside; }) : last, last};
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
  const Bars& bars_;
  std::uint64_t base_;
  std::uint32_t levels_;
  int home_;                           // the query's own level; -1: it is complete, and they are not
  std::vector<std::uint64_t> mine_;    // by level: how much there is of the query
  std::vector<std::uint64_t> left_;    // by level: how much of that is in lists not yet taken
  std::vector<Listed> listed_;         // shortest list first
  std::vector<Admitted> admitted_;
  std::vector<std::uint32_t> open_;    // those that may still reach a bar
  std::vector<Range> ranges_;          // ranks that may still be admitted
  std::vector<std::uint64_t> made_for_;  // what was left when the ranges were made
};

}  // namespace

std::vector<SegmentMatch> search_segment(const Segment& segment, const SegmentQuery& query, const Bars& bars) {
  if (query.features.empty() || segment.header().contents == 0) return {};
  return Search(segment, query, bars).run();
}

}  // namespace nearkin
