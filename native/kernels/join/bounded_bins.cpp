#include "join/bounded_bins.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/parallel.hpp"
#include "join/spill.hpp"

namespace nearkin {
namespace {

// Bytes that a posting takes while a bin is joined.
constexpr std::uint64_t kJoinBytes = 96;
// Parts and containers are put in one component only by a feature that few contents have. A common one would connect
// everything; that they meet is noted all the same.
constexpr std::size_t kFew = 32;
constexpr std::size_t kRunWords = std::size_t{1} << 20;  // that wait to be written

}  // namespace

SharedUnionFind::SharedUnionFind(std::size_t nodes) : parent_(nodes) {
  for (std::size_t node = 0; node < nodes; ++node)
    parent_[node].store(static_cast<std::uint32_t>(node), std::memory_order_relaxed);
}

std::uint32_t SharedUnionFind::root(std::uint32_t node) const {
  for (;;) {
    std::uint32_t parent = parent_[node].load(std::memory_order_relaxed);
    if (parent == node) return node;
    const std::uint32_t next = parent_[parent].load(std::memory_order_relaxed);
    if (next != parent) parent_[node].compare_exchange_weak(parent, next, std::memory_order_relaxed);
    node = next;
  }
}

void SharedUnionFind::join(std::uint32_t x, std::uint32_t y) {
  for (;;) {
    x = root(x), y = root(y);
    if (x == y) return;
    if (x < y) std::swap(x, y);
    std::uint32_t itself = x;
    if (parent_[x].compare_exchange_strong(itself, y, std::memory_order_relaxed)) return;
  }
}

BoundedBins::BoundedBins(BoundedState& state, BoundedLists& lists)
    : state_(state),
      lists_(lists),
      sets_(std::make_unique<SharedUnionFind>(state.contents())),
      in_run_(state.contents()),
      runs_(std::make_unique<Spill>(state.folder, BoundedLists::kParts)),
      hot_rows_(std::make_unique<Spill>(state.folder, 1)) {}

void BoundedBins::link(std::size_t from, std::size_t to) {
  parallel_blocks(to - from, 1, state_.threads(),
                  [&](unsigned, std::size_t part, std::size_t) { link_part(from + part); });
  if (to == BoundedLists::kParts) {
    const Estimator estimator = state_.options.evidence.estimator;
    std::sort(hot_.begin(), hot_.end(), [=](const HotRun& x, const HotRun& y) {
      if (x.prefixes != y.prefixes) return x.prefixes < y.prefixes;
      return place_of(x.feature, estimator) < place_of(y.feature, estimator);
    });
    spilled_ += runs_->written() + hot_rows_->written();
    pack();
  }
}

void BoundedBins::link_part(std::size_t part) {
  Words runs, rows;
  const auto take = [&](std::uint64_t feature) {
    link_rows(feature, rows, runs);
    if (runs.size() >= kRunWords) runs_->append(part, runs), runs.clear();
  };
  const FeatureRuns feature_runs(lists_.marked(), part, 3, lists_.sorted_at_once());
  feature_runs.for_each([](std::uint32_t x, std::uint32_t y) { return (x & kRow) < (y & kRow); },
              [&](std::span<const SpilledPosting> run) {
                rows.clear();
                for (const SpilledPosting& posting : run) rows.push_back(posting.row);
                take(run[0].feature);
              });
  for (const auto& heavy : feature_runs.heavy()) {
    rows.clear();
    rows.reserve(heavy.count);
    feature_runs.for_each_of(heavy.feature, [&](const SpilledPosting& posting) { rows.push_back(posting.row); });
    take(heavy.feature);
    rows = Words();
  }
  runs_->append(part, runs);
  lists_.marked().drop(part);
}

// Links one run. `rows` are its rows with their marks, and are changed.
void BoundedBins::link_rows(std::uint64_t feature, Words& rows, Words& runs) {
  const auto prefixes = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](std::uint32_t row) { return row & kPrefix; }));
  if (prefixes > state_.options.hot) {
    std::erase_if(rows, [](std::uint32_t row) { return !(row & (kPrefix | kHigherPrefix)); });
    for (auto& row : rows) row &= kRow;
    const std::uint64_t at = hot_rows_->append(0, rows);
    const std::lock_guard lock(guard_);
    hot_.push_back({feature, at, static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(prefixes)});
    if (is_starred_.empty()) is_starred_.assign(state_.contents(), 0);
    for (const auto row : rows) is_starred_[row] = 1;
    return;
  }
  const auto like = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](std::uint32_t row) { return row & kLike; }));
  const bool has_part = std::any_of(rows.begin(), rows.end(), [](std::uint32_t row) { return row & kPart; });
  if (rows.size() < 2 || (like < 2 && !has_part)) return;
  if (!has_part) std::erase_if(rows, [](std::uint32_t row) { return !(row & kLike); });
  link_run(rows);
  runs.push_back(static_cast<std::uint32_t>(rows.size()));
  runs.insert(runs.end(), rows.begin(), rows.end());
}

void BoundedBins::link_run(std::span<const std::uint32_t> rows) {
  const auto join_all = [&](std::uint32_t mark) {
    const auto first = std::find_if(rows.begin(), rows.end(), [=](std::uint32_t row) { return (row & mark) == mark; });
    for (auto other = first; other != rows.end(); ++other)
      if ((*other & mark) == mark) sets_->join(*first & kRow, *other & kRow);
  };
  const bool has_part = std::any_of(rows.begin(), rows.end(), [](std::uint32_t row) { return row & kPart; });
  join_all(has_part && rows.size() <= kFew ? 0 : kLike);
  for (const auto row : rows) in_run_[row & kRow].store(1, std::memory_order_relaxed);
}

std::uint64_t BoundedBins::capacity() const {
  return std::max<std::uint64_t>(64, state_.room() / (2 * kJoinBytes));  // two bins at a time
}

void BoundedBins::pack() {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < state_.contents(); ++row)
    if (in_run_[row].load(std::memory_order_relaxed)) rows.push_back(row);
  in_run_ = decltype(in_run_)();
  std::vector<std::uint32_t> root(state_.contents());
  for (const auto row : rows) root[row] = sets_->root(row);
  sets_.reset();
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t x, std::uint32_t y) {
    return root[x] != root[y] ? root[x] < root[y] : x < y;
  });
  bin_.assign(state_.contents(), kNone);
  const std::uint64_t most = capacity();
  const auto& lengths = lists_.lengths();
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    std::uint64_t size = 0;
    for (; end < rows.size() && root[rows[end]] == root[rows[begin]]; ++end) size += lengths[rows[end]];
    if (room_.empty() || room_.back() + size > most) room_.push_back(0);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t length = lengths[rows[i]];
      if (room_.back() > 0 && room_.back() + length > most) room_.push_back(0);
      room_.back() += length;
      if (room_.size() >= kNone) throw std::length_error("too little memory for so many contents");
      bin_[rows[i]] = static_cast<std::uint16_t>(room_.size() - 1);
    }
  }
  reach_ = std::vector<std::atomic<std::uint64_t>>(state_.contents());
}

void BoundedBins::reach(std::size_t from, std::size_t to) {
  parallel_blocks(to - from, 1, state_.threads(), [&](unsigned, std::size_t part, std::size_t) {
    reach_part(from + part);
    runs_->drop(from + part);
  });
  if (to != BoundedLists::kParts) return;
  bin_reach_.assign(bins(), 0);
  for (std::uint32_t row = 0; row < state_.contents(); ++row)
    if (bin_[row] != kNone) bin_reach_[bin_[row]] |= reach_[row].load(std::memory_order_relaxed);
}

void BoundedBins::reach_part(std::size_t part) {
  runs_->for_each_piece(part, [&](std::span<const std::uint32_t> words) {
    for (std::size_t at = 0; at < words.size();) {
      const std::span run = words.subspan(at + 1, words[at]);
      at += 1 + run.size();
      reach_run(run);
    }
  });
}

void BoundedBins::reach_run(std::span<const std::uint32_t> run) {
  std::uint64_t all = 0, like = 0, parts = 0;
  for (const auto row : run) {
    const std::uint64_t mine = bit(bin_[row & kRow]);
    all |= mine;
    if (row & kLike) like |= mine;
    if (row & kPart) parts |= mine;
  }
  for (const auto row : run) {
    const std::uint64_t bins = (row & kPart ? all : parts) | (row & kLike ? like : 0);
    auto& reach = reach_[row & kRow];
    if ((reach.load(std::memory_order_relaxed) & bins) != bins) reach.fetch_or(bins, std::memory_order_relaxed);
  }
}

bool BoundedBins::meet(std::uint32_t bin, std::uint32_t other) const {
  return (bin_reach_[bin] & bit(other)) && (bin_reach_[other] & bit(bin));
}

void BoundedBins::distribute(std::size_t from, std::size_t to) {
  if (!binned_) {
    runs_.reset();
    binned_ = std::make_unique<Spill>(state_.folder, bins());
    starred_ = std::make_unique<Spill>(state_.folder, 1);
    if (!is_starred_.empty()) star_at_.resize(state_.contents() / BoundedLists::kGroup + 1);
  }
  const std::size_t buffered = std::clamp<std::size_t>(
      state_.memory / 16 / state_.threads() / std::max<std::size_t>(1, bins()) / 4, 256, std::size_t{1} << 16);
  std::vector<std::unique_ptr<PartWriter>> writers(state_.threads());
  parallel_blocks(to - from, 1, state_.threads(), [&](unsigned thread, std::size_t part, std::size_t) {
    if (!writers[thread]) writers[thread] = std::make_unique<PartWriter>(*binned_, buffered);
    distribute_part(from + part, *writers[thread]);
    lists_.lists().drop(from + part);
  });
  for (auto& writer : writers)
    if (writer) writer->flush();
  if (to == BoundedLists::kParts) spilled_ += binned_->written() + starred_->written();
}

void BoundedBins::distribute_part(std::size_t part, PartWriter& by_bin) {
  Words stars;
  std::vector<std::pair<std::uint32_t, std::size_t>> groups;  // groups that wait, and where among the words each begins
  const auto write = [&] {
    const std::uint64_t at = starred_->append(0, stars);
    for (const auto& [group, word] : groups) star_at_[group] = at + 4 * word;
    stars.clear(), groups.clear();
  };
  lists_.lists().for_each_piece(part, [&](std::span<const std::uint32_t> words) {
    for_each_list(state_, words, [&](std::uint32_t row, std::span<const std::uint32_t> list) {
      if (bin_[row] != kNone) by_bin.put(bin_[row], list);
      if (is_starred_.empty() || !is_starred_[row]) return;
      const std::uint32_t group = row / BoundedLists::kGroup;
      if (groups.empty() || groups.back().first != group) {
        if (stars.size() >= kRunWords) write();
        groups.push_back({group, stars.size()});
      }
      stars.insert(stars.end(), list.begin(), list.end());
    });
  });
  write();
}

Words BoundedBins::star_list(std::uint32_t row) const {
  const auto words = [&](std::uint32_t of) { return 2 + posting_words(state_) * lists_.lengths()[of]; };
  const std::uint32_t group = row / BoundedLists::kGroup;
  std::uint64_t at = star_at_[group];
  for (std::uint32_t before = group * BoundedLists::kGroup; before < row; ++before)
    if (is_starred_[before]) at += 4 * words(before);
  return starred_->read_at(at, words(row));
}

}  // namespace nearkin
