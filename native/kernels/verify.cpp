#include "verify.hpp"

#include <algorithm>
#include <bit>

#include "parallel.hpp"

namespace nearkin {
namespace {

// The shingles of one text in an open-addressed table. `mark` is 0 for a free entry, 1 for a shingle, and 2 + n once
// the n-th other text was found to have it, so that nothing is cleared between pairs.
class ShingleTable {
 public:
  void build(std::string_view text, const Roller& roller) {
    const std::size_t windows = text.size() < roller.window() ? !text.empty() : text.size() - roller.window() + 1;
    const std::size_t capacity = std::bit_ceil(windows * 2 + 8);
    shift_ = 64 - std::countr_zero(capacity);
    entries_.assign(capacity, {0, 0});
    entry_of_.resize(windows);
    distinct_ = 0;
    next_mark_ = 2;
    roll(roller, text, [&](std::size_t position, std::uint64_t f) {
      std::size_t at = home(f);
      while (entries_[at].mark != 0 && entries_[at].shingle != f) at = (at + 1) & (entries_.size() - 1);
      if (entries_[at].mark == 0) {
        entries_[at] = {f, 1};
        ++distinct_;
      }
      entry_of_[position] = static_cast<std::uint32_t>(at);
    });
  }

  std::uint64_t distinct() const { return distinct_; }

  // Marks the shingles that the other text has too; returns how many, and where in the other text they stand.
  std::uint64_t meet(std::string_view other, const Roller& roller, std::vector<char>& common) {
    const std::uint32_t mark = next_mark_++;
    common.assign(other.size(), 0);
    std::uint64_t shared = 0;
    roll(roller, other, [&](std::size_t position, std::uint64_t f) {
      std::size_t at = home(f);
      while (entries_[at].mark != 0 && entries_[at].shingle != f) at = (at + 1) & (entries_.size() - 1);
      if (entries_[at].mark == 0) return;
      common[position] = 1;
      if (entries_[at].mark != mark) {
        entries_[at].mark = mark;
        ++shared;
      }
    });
    return shared;
  }

  // Where in its own text the shingles of the last meeting stand.
  void places_of_last(std::vector<char>& common, std::size_t length) const {
    common.assign(length, 0);
    const std::uint32_t mark = next_mark_ - 1;
    for (std::size_t i = 0; i < entry_of_.size(); ++i) common[i] = entries_[entry_of_[i]].mark == mark;
  }

 private:
  struct Entry {
    std::uint64_t shingle;
    std::uint32_t mark;
  };

  std::size_t home(std::uint64_t f) const { return (f * 0x9e3779b97f4a7c15ULL) >> shift_; }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> entry_of_;
  std::uint64_t distinct_ = 0;
  std::uint32_t next_mark_ = 2;
  int shift_ = 0;
};

std::uint64_t covered(const std::vector<char>& common, std::size_t window) {
  std::uint64_t bytes = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < common.size(); ++i) {
    if (!common[i]) continue;
    const std::size_t to = std::min(i + window, common.size());
    bytes += to - std::max(i, end);
    end = to;
  }
  return bytes;
}

}  // namespace

std::vector<Measure> verify(std::span<const std::string_view> texts, std::span<const Pair> pairs, const Roller& roller,
                            unsigned threads) {
  std::vector<std::size_t> group;  // where each run of pairs with one `a` begins
  std::vector<std::uint32_t> alone;  // texts that are never an `a`: only their count is wanted
  std::vector<char> is_a(texts.size(), 0), is_b(texts.size(), 0);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (p == 0 || pairs[p].a != pairs[p - 1].a) group.push_back(p);
    is_a[pairs[p].a] = is_b[pairs[p].b] = 1;
  }
  group.push_back(pairs.size());
  for (std::uint32_t text = 0; text < texts.size(); ++text)
    if (is_b[text] && !is_a[text]) alone.push_back(text);

  std::vector<Measure> measures(pairs.size());
  std::vector<std::uint64_t> distinct(texts.size(), 0);
  const std::size_t groups = group.size() - 1;
  parallel_blocks(groups + alone.size(), 8, threads, [&](unsigned, std::size_t from, std::size_t to) {
    ShingleTable table;
    std::vector<char> common;
    for (std::size_t task = from; task < to; ++task) {
      if (task >= groups) {
        const std::uint32_t text = alone[task - groups];
        table.build(texts[text], roller);
        distinct[text] = table.distinct();
        continue;
      }
      const std::uint32_t a = pairs[group[task]].a;
      table.build(texts[a], roller);
      for (std::size_t p = group[task]; p < group[task + 1]; ++p) {
        Measure& measure = measures[p];
        measure.shared = table.meet(texts[pairs[p].b], roller, common);
        measure.covered_b = covered(common, roller.window());
        table.places_of_last(common, texts[a].size());
        measure.covered_a = covered(common, roller.window());
      }
      distinct[a] = table.distinct();
    }
  });
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    measures[p].size_a = distinct[pairs[p].a];
    measures[p].size_b = distinct[pairs[p].b];
  }
  return measures;
}

}  // namespace nearkin
