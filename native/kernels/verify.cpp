#include "verify.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

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
                            const Bounds& bounds, unsigned threads) {
  // The larger text of a pair is held in the table and the smaller rolled past it: a container's table is built once
  // for all its parts, and what each part costs depends on its own length.
  const auto larger = [&](const Pair& pair) { return texts[pair.a].size() >= texts[pair.b].size() ? pair.a : pair.b; };
  std::vector<std::uint32_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    const auto held_x = larger(pairs[x]), held_y = larger(pairs[y]);
    return held_x != held_y ? held_x < held_y : x < y;
  });
  std::vector<std::size_t> group;   // where the pairs of each held text begin
  std::vector<char> rolled(texts.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Pair& pair = pairs[order[i]];
    if (i == 0 || larger(pair) != larger(pairs[order[i - 1]])) group.push_back(i);
    rolled[larger(pair) == pair.a ? pair.b : pair.a] = 1;
  }
  const std::size_t groups = group.size();
  group.push_back(order.size());

  // How many shingles the smaller ones have is asked before any pair can be judged.
  std::vector<std::uint64_t> distinct(texts.size(), 0);
  parallel_blocks(texts.size(), 64, threads, [&](unsigned, std::size_t from, std::size_t to) {
    ShingleTable table;
    for (std::size_t text = from; text < to; ++text) {
      if (!rolled[text]) continue;
      table.build(texts[text], roller);
      distinct[text] = table.distinct();
    }
  });
  std::vector<Measure> measures(pairs.size());
  parallel_blocks(groups, 8, threads, [&](unsigned, std::size_t from, std::size_t to) {
    ShingleTable table;
    std::vector<char> common;
    for (std::size_t number = from; number < to; ++number) {
      const std::uint32_t held = larger(pairs[order[group[number]]]);
      table.build(texts[held], roller);
      for (std::size_t i = group[number]; i < group[number + 1]; ++i) {
        const Pair& pair = pairs[order[i]];
        const bool a_held = held == pair.a;
        const std::uint32_t other = a_held ? pair.b : pair.a;
        const std::uint64_t shared = table.meet(texts[other], roller, common);
        const std::uint64_t mine = table.distinct(), theirs = distinct[other];
        Measure& measure = measures[order[i]];
        measure = {shared, a_held ? mine : theirs, a_held ? theirs : mine, 0, 0};
        const auto share = [shared](std::uint64_t whole) { return static_cast<double>(shared) / static_cast<double>(whole); };
        if (shared == 0 || (share(mine + theirs - shared) < bounds.resemblance &&
                            share(std::min(mine, theirs)) < bounds.containment))
          continue;
        (a_held ? measure.covered_b : measure.covered_a) = covered(common, roller.window());
        table.places_of_last(common, texts[held].size());
        (a_held ? measure.covered_a : measure.covered_b) = covered(common, roller.window());
      }
    }
  });
  return measures;
}

}  // namespace nearkin
