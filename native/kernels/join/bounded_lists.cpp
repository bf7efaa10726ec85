#include "join/bounded_lists.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "join/spill.hpp"

namespace nearkin {
namespace {

constexpr std::size_t kLeastSorted = 64;  // postings that are sorted at a time, however little room there is
constexpr std::size_t kListWords = std::size_t{1} << 20;  // of lists that wait to be written

std::size_t part_of(std::uint64_t feature) { return mix(feature) >> 56; }
static_assert(BoundedLists::kParts == 256);

// Works on parts, one at a time on each thread. Each thread has a writer; what it holds at the end is written too.
template <class Work>
void for_each_part(std::size_t from, std::size_t to, unsigned threads, Spill& spill, std::size_t buffered,
                   Work&& work) {
  std::vector<std::unique_ptr<PartWriter>> writers(threads);
  parallel_blocks(to - from, 1, threads, [&](unsigned thread, std::size_t part, std::size_t) {
    if (!writers[thread]) writers[thread] = std::make_unique<PartWriter>(spill, buffered);
    work(from + part, *writers[thread]);
  });
  for (auto& writer : writers)
    if (writer) writer->flush();
}

}  // namespace

std::size_t posting_words(const BoundedState& state) { return state.weighted ? 4 : 3; }

struct BoundedLists::RowPosting {
  std::uint64_t feature;
  std::uint32_t row, frequency, weight;
};

BoundedLists::BoundedLists(BoundedState& state)
    : state_(state),
      buffered_(std::clamp<std::size_t>(state.memory / 16 / state.threads() / kParts / 4, 256, std::size_t{1} << 16)),
      rows_a_part_(static_cast<std::uint32_t>(state.contents() / kParts / kGroup + 1) * kGroup),
      lengths_(state.contents(), 0),
      postings_(std::make_unique<Spill>(state.folder, kParts)) {}

void BoundedLists::add(std::span<const std::uint32_t> rows, const Postings& lists) {
  const std::size_t width = 3 + state_.weighted;
  std::vector<std::unique_ptr<PartWriter>> writers(state_.threads());
  parallel_blocks(rows.size(), 1024, state_.threads(), [&](unsigned thread, std::size_t from, std::size_t to) {
    if (!writers[thread]) writers[thread] = std::make_unique<PartWriter>(*postings_, buffered_);
    for (auto i = static_cast<std::uint32_t>(from); i < to; ++i) {
      const List list = lists.list(i);
      state_.measure(rows[i], list);
      for (std::size_t at = 0; at < list.features.size(); ++at) {
        const std::uint64_t feature = list.features[at];
        const std::array<std::uint32_t, 4> words{low_of(feature), high_of(feature), rows[i],
                                                 state_.weighted ? list.weights[at] : 1};
        writers[thread]->put(part_of(feature), std::span(words).first(width));
      }
    }
  });
  for (auto& writer : writers)
    if (writer) writer->flush();
}

void BoundedLists::count(std::size_t from, std::size_t to) {
  if (!by_content_) {
    spilled_ += postings_->written();
    state_.set_thresholds();
    by_content_ = std::make_unique<Spill>(state_.folder, kParts);
  }
  for_each_part(from, to, state_.threads(), *by_content_, buffered_, [&](std::size_t part, PartWriter& writer) {
    count_part(part, writer);
    postings_->drop(part);
  });
}

std::size_t BoundedLists::sorted_at_once() const {
  return std::max<std::size_t>(kLeastSorted, state_.room() / state_.threads() / FeatureRuns::kPostingBytes);
}

void BoundedLists::count_part(std::size_t part, PartWriter& by_content) const {
  const std::size_t width = 3 + state_.weighted;
  const auto write = [&](const SpilledPosting& posting, std::uint64_t frequency) {
    const std::array<std::uint32_t, 5> words{low_of(posting.feature), high_of(posting.feature), posting.row,
                                             static_cast<std::uint32_t>(frequency), posting.weight};
    by_content.put(posting.row / rows_a_part_, std::span(words).first(width + 1));
  };
  const FeatureRuns runs(*postings_, part, width, sorted_at_once());
  runs.for_each(std::less<>(), [&](std::span<const SpilledPosting> run) {
    if (run.size() == 1 && state_.drops_single()) return;
    for (const SpilledPosting& posting : run) write(posting, run.size());
  });
  for (const auto& heavy : runs.heavy())
    runs.for_each_of(heavy.feature, [&](const SpilledPosting& posting) { write(posting, heavy.count); });
}

void BoundedLists::order(std::size_t from, std::size_t to) {
  if (!lists_) {
    spilled_ += by_content_->written();
    postings_.reset();
    lists_ = std::make_unique<Spill>(state_.folder, kParts);
    marked_ = std::make_unique<Spill>(state_.folder, kParts);
  }
  for_each_part(from, to, state_.threads(), *marked_, buffered_, [&](std::size_t part, PartWriter& writer) {
    order_part(part, writer);
    by_content_->drop(part);
  });
  if (to == kParts) {
    spilled_ += lists_->written() + marked_->written();
    by_content_.reset();
  }
}

void BoundedLists::order_part(std::size_t part, PartWriter& by_feature) {
  const std::size_t width = 4 + state_.weighted;
  const std::uint64_t all = by_content_->words(part) / width;
  const std::uint64_t rounds = std::min<std::uint64_t>(rows_a_part_, (all + sorted_at_once() - 1) / sorted_at_once());
  const std::uint32_t first = static_cast<std::uint32_t>(part) * rows_a_part_;
  std::vector<RowPosting> postings;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    postings.clear();
    postings.reserve(all / rounds + (rounds > 1 ? all / rounds / 4 : 0));
    by_content_->for_each_block(part, width, [&](std::span<const std::uint32_t> words) {
      for (std::size_t at = 0; at < words.size(); at += width) {
        if (rounds > 1 && (words[at + 2] - first) * rounds / rows_a_part_ != round) continue;
        postings.push_back({feature_at(&words[at]), words[at + 2], words[at + 3], state_.weighted ? words[at + 4] : 1});
      }
    });
    order_rows(part, postings, by_feature);
  }
}

void BoundedLists::order_rows(std::size_t part, std::vector<RowPosting>& postings, PartWriter& by_feature) {
  std::sort(postings.begin(), postings.end(), [](const RowPosting& x, const RowPosting& y) {
    return x.row != y.row ? x.row < y.row : x.feature < y.feature;
  });
  Words lists;
  const auto place = [estimator = state_.options.evidence.estimator](const RowPosting& posting) {
    return place_of(posting.feature, estimator);
  };
  for (std::size_t begin = 0, end = 0; begin < postings.size(); begin = end) {
    while (end < postings.size() && postings[end].row == postings[begin].row) ++end;
    const std::span<RowPosting> list(postings.data() + begin, end - begin);
    const std::uint32_t row = list[0].row;
    lengths_[row] = static_cast<std::uint32_t>(list.size());
    lists.insert(lists.end(), {row, lengths_[row]});
    for (const RowPosting& posting : list) {
      lists.insert(lists.end(), {low_of(posting.feature), high_of(posting.feature), posting.frequency});
      if (state_.weighted) lists.push_back(posting.weight);
    }
    if (lists.size() >= kListWords) lists_->append(part, lists), lists.clear();
    std::sort(list.begin(), list.end(), [=](const RowPosting& x, const RowPosting& y) {
      return x.frequency != y.frequency ? x.frequency < y.frequency : place(x) < place(y);
    });
    mark(row, list, by_feature);
  }
  lists_->append(part, lists);
}

// Marks the features of a list as the join in memory looks it up, at every level from the content's own on. Features of
// one content only come first; at the first of the others, exactly these others are left. A content is also met by
// others that it resembles, where as much of its list is left as the two must share. That follows from both sizes and
// is rounded down, so a little less must do here: a content that meets nobody is only loaded in vain.
void BoundedLists::mark(std::uint32_t row, std::span<const RowPosting> list, PartWriter& by_feature) const {
  constexpr std::uint64_t kRounded = 2;
  const Thresholds& thresholds = *state_.thresholds;
  const std::uint32_t own = state_.level[row];
  std::vector<std::uint32_t> marks(list.size(), row);
  for (std::uint32_t level = own; level < state_.levels; ++level) {
    const std::uint64_t size = state_.size_at(row, level), modulus = state_.base << level;
    if (size == 0) continue;
    const auto counts = [&](const RowPosting& posting) {
      return level == own || highest_level(posting.feature, state_.base, state_.levels) >= level;
    };
    const LeastOverlaps least = thresholds.least(size, modulus);
    const std::uint64_t prefix = thresholds.prefix(size, modulus);
    const bool informative = thresholds.is_informative(size, state_.shingles(row), modulus);
    std::uint64_t left = 0;
    for (const RowPosting& posting : list) left += counts(posting) ? posting.weight : 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!counts(list[i])) continue;
      const bool rare = list[i].frequency <= state_.options.floor_reach;
      if (left + kRounded >= least.alike || (rare && left + kRounded >= least.weak)) marks[i] |= kLike;
      if (left >= least.part && (informative || rare)) marks[i] |= kPart;
      if (left >= prefix) marks[i] |= level == own ? kPrefix : kHigherPrefix;
      left -= list[i].weight;
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::array<std::uint32_t, 3> words{low_of(list[i].feature), high_of(list[i].feature), marks[i]};
    by_feature.put(part_of(list[i].feature), words);
  }
}

}  // namespace nearkin
