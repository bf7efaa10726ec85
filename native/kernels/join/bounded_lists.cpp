#include "join/bounded_lists.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "join/spill.hpp"

namespace nearkin {
namespace {

constexpr std::size_t kLeast = 64;                        // postings that are sorted at a time, however little room
constexpr std::size_t kListWords = std::size_t{1} << 20;  // of lists that wait to be written

std::size_t part_of(std::uint64_t feature) { return mix(feature) >> 56; }
static_assert(BoundedLists::kParts == 256);

// Each thread deals with a part at a time; what it still holds at the end is written too.
template <class Work>
void in_parts(std::size_t from, std::size_t to, unsigned threads, Spill& spill, std::size_t held, Work&& work) {
  std::vector<std::unique_ptr<Dealer>> dealers(threads);
  parallel_blocks(to - from, 1, threads, [&](unsigned thread, std::size_t part, std::size_t) {
    if (!dealers[thread]) dealers[thread] = std::make_unique<Dealer>(spill, held);
    work(from + part, *dealers[thread]);
  });
  for (auto& dealer : dealers)
    if (dealer) dealer->flush();
}

}  // namespace

std::size_t posting_words(const Whole& whole) { return whole.weighted ? 4 : 3; }

struct BoundedLists::Kept {
  std::uint64_t feature;
  std::uint32_t row, often, weight;
};

BoundedLists::BoundedLists(Whole& whole)
    : whole_(whole),
      held_(std::clamp<std::size_t>(whole.memory / 16 / whole.threads / kParts / 4, 256, std::size_t{1} << 16)),
      rows_a_part_(static_cast<std::uint32_t>(whole.contents() / kParts / kGroup + 1) * kGroup),
      lengths_(whole.contents(), 0),
      postings_(std::make_unique<Spill>(whole.folder, kParts)) {}

void BoundedLists::add(std::span<const std::uint32_t> rows, const Postings& lists) {
  const std::size_t width = 3 + whole_.weighted;
  std::vector<std::unique_ptr<Dealer>> dealers(whole_.threads);
  parallel_blocks(rows.size(), 1024, whole_.threads, [&](unsigned thread, std::size_t from, std::size_t to) {
    if (!dealers[thread]) dealers[thread] = std::make_unique<Dealer>(*postings_, held_);
    for (auto i = static_cast<std::uint32_t>(from); i < to; ++i) {
      const List list = lists.list(i);
      whole_.measure(rows[i], list);
      for (std::size_t at = 0; at < list.features.size(); ++at) {
        const std::uint64_t feature = list.features[at];
        const std::array<std::uint32_t, 4> words{low_of(feature), high_of(feature), rows[i],
                                                 whole_.weighted ? list.weights[at] : 1};
        dealers[thread]->put(part_of(feature), std::span(words).first(width));
      }
    }
  });
  for (auto& dealer : dealers)
    if (dealer) dealer->flush();
}

void BoundedLists::count(std::size_t from, std::size_t to) {
  if (!kept_) {
    spilled_ += postings_->written();
    whole_.judge_by_sizes();
    kept_ = std::make_unique<Spill>(whole_.folder, kParts);
  }
  in_parts(from, to, whole_.threads, *kept_, held_, [&](std::size_t part, Dealer& dealer) {
    count_part(part, dealer);
    postings_->drop(part);
  });
}

std::size_t BoundedLists::sorted_at_once() const {
  return std::max<std::size_t>(kLeast, whole_.room() / whole_.threads / FeatureRuns::kPostingBytes);
}

void BoundedLists::count_part(std::size_t part, Dealer& by_content) const {
  const std::size_t width = 3 + whole_.weighted;
  const auto deal = [&](const Spilled& one, std::uint64_t often) {
    const std::array<std::uint32_t, 5> words{low_of(one.feature), high_of(one.feature), one.row,
                                             static_cast<std::uint32_t>(often), one.weight};
    by_content.put(one.row / rows_a_part_, std::span(words).first(width + 1));
  };
  const FeatureRuns runs(*postings_, part, width, sorted_at_once());
  runs.for_each(std::less<>(), [&](std::span<const Spilled> run) {
    if (run.size() == 1 && whole_.drops_single()) return;
    for (const Spilled& one : run) deal(one, run.size());
  });
  for (const auto& heavy : runs.heavy())
    runs.for_each_of(heavy.feature, [&](const Spilled& one) { deal(one, heavy.count); });
}

void BoundedLists::order(std::size_t from, std::size_t to) {
  if (!lists_) {
    spilled_ += kept_->written();
    postings_.reset();
    lists_ = std::make_unique<Spill>(whole_.folder, kParts);
    marked_ = std::make_unique<Spill>(whole_.folder, kParts);
  }
  in_parts(from, to, whole_.threads, *marked_, held_, [&](std::size_t part, Dealer& dealer) {
    order_part(part, dealer);
    kept_->drop(part);
  });
  if (to == kParts) {
    spilled_ += lists_->written() + marked_->written();
    kept_.reset();
  }
}

void BoundedLists::order_part(std::size_t part, Dealer& by_feature) {
  const std::size_t width = 4 + whole_.weighted;
  const std::uint64_t all = kept_->words(part) / width;
  const std::uint64_t rounds = std::min<std::uint64_t>(rows_a_part_, (all + sorted_at_once() - 1) / sorted_at_once());
  const std::uint32_t first = static_cast<std::uint32_t>(part) * rows_a_part_;
  std::vector<Kept> kept;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    kept.clear();
    kept.reserve(all / rounds + (rounds > 1 ? all / rounds / 4 : 0));
    kept_->for_each_block(part, width, [&](std::span<const std::uint32_t> words) {
      for (std::size_t at = 0; at < words.size(); at += width) {
        if (rounds > 1 && (words[at + 2] - first) * rounds / rows_a_part_ != round) continue;
        kept.push_back({feature_at(&words[at]), words[at + 2], words[at + 3], whole_.weighted ? words[at + 4] : 1});
      }
    });
    order_rows(part, kept, by_feature);
  }
}

void BoundedLists::order_rows(std::size_t part, std::vector<Kept>& kept, Dealer& by_feature) {
  std::sort(kept.begin(), kept.end(), [](const Kept& x, const Kept& y) {
    return x.row != y.row ? x.row < y.row : x.feature < y.feature;
  });
  Words lists;
  const Estimator estimator = whole_.evidence.estimator;
  for (std::size_t begin = 0, end = 0; begin < kept.size(); begin = end) {
    while (end < kept.size() && kept[end].row == kept[begin].row) ++end;
    const std::span<Kept> list(kept.data() + begin, end - begin);
    const std::uint32_t row = list[0].row;
    lengths_[row] = static_cast<std::uint32_t>(list.size());
    lists.insert(lists.end(), {row, lengths_[row]});
    for (const Kept& one : list) {
      lists.insert(lists.end(), {low_of(one.feature), high_of(one.feature), one.often});
      if (whole_.weighted) lists.push_back(one.weight);
    }
    if (lists.size() >= kListWords) lists_->append(part, lists), lists.clear();
    std::sort(list.begin(), list.end(), [=](const Kept& x, const Kept& y) {
      return x.often != y.often ? x.often < y.often : place_of(x.feature, estimator) < place_of(y.feature, estimator);
    });
    mark(row, list, by_feature);
  }
  lists_->append(part, lists);
}

// As the join in memory looks a list up, at every level from the content's own on. Features of one content only come
// first; what is left at the first of the others is these others. A content is met as well by others that it is like,
// where as much of its list is left as the two must share. That is worked out from both sizes and rounded down, so a
// little less will do here: whoever meets nobody is only loaded in vain.
void BoundedLists::mark(std::uint32_t row, std::span<const Kept> list, Dealer& by_feature) const {
  constexpr std::uint64_t kRounded = 2;
  const Judge& judge = *whole_.judge;
  Whole::Room room;
  const Sized sized = whole_.sized(row, room);
  std::vector<std::uint32_t> marks(list.size(), row);
  for (std::uint32_t level = sized.level; level < whole_.levels; ++level) {
    if (sized.sizes[level] == 0) continue;
    const auto counts = [&](const Kept& one) {
      return level == sized.level || highest_level(one.feature, whole_.base, whole_.levels) >= level;
    };
    const Needed least = judge.needed(level, sized.sizes[level]);
    const std::uint64_t prefix = judge.prefix(level, sized.sizes[level]);
    const bool tells = judge.says_enough(sized, level);
    std::uint64_t left = 0;
    for (const Kept& one : list) left += counts(one) ? one.weight : 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!counts(list[i])) continue;
      const bool rare = list[i].often <= whole_.thresholds.floor_reach;
      if (left + kRounded >= least.alike || (rare && left + kRounded >= least.weak)) marks[i] |= kLike;
      if (left >= least.part && (tells || rare)) marks[i] |= kPart;
      if (left >= prefix) marks[i] |= level == sized.level ? kInside : kHigher;
      left -= list[i].weight;
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::array<std::uint32_t, 3> words{low_of(list[i].feature), high_of(list[i].feature), marks[i]};
    by_feature.put(part_of(list[i].feature), words);
  }
}

}  // namespace nearkin
