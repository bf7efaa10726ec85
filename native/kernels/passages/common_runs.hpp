// Runs that two texts have in common, whatever their order. The suffix array of both texts puts next to each suffix of
// one text the suffixes of the other that agree with it longest, so one sweep each way finds all runs in linear time,
// however often a text repeats itself (matching statistics, Chang and Lawler 1994).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "passages/passages.hpp"

namespace nearkin {

struct Stretch {
  std::uint64_t start, end;
};

enum class Side { a, b };

// Trims stretches of a text to whole characters without spaces at their ends, and counts characters.
struct Characters {
  Reading reading;

  bool inside(std::string_view text, std::uint64_t at) const {
    return reading == Reading::words && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  }
  bool separates(std::string_view text, std::uint64_t at) const { return reading == Reading::words && text[at] == ' '; }
  Stretch trimmed(std::string_view text, Stretch run) const;
  std::uint64_t count(std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t most) const;
};

class CommonRuns {
 public:
  CommonRuns(std::string_view a, std::string_view b, std::uint64_t least, Reading reading);

  // Returns the runs that stand once in either text and cannot be made longer, in the order of A.
  std::vector<Passage> unique() const;

  // Returns the longest runs of one text that lie in the other, none inside another, in their order.
  std::vector<Stretch> maximal(Side side) const;

  // Returns where the other text has a run: of several places the one nearest to the start of the run moved by `shift`.
  Passage placed(const Stretch& run, Side side, std::int64_t shift) const;

 private:
  using Index = std::int32_t;

  void sort();
  template <class Symbol>
  void sort_as(const std::vector<Symbol>& text, Index alphabet);
  void sweep(Index step);
  bool in_b(Index at) const { return static_cast<std::size_t>(at) >= start_of_b_; }

  std::string_view a_, b_;
  std::uint64_t least_;
  Characters characters_;
  std::size_t start_of_b_;
  std::vector<Index> array_, agree_;
  std::vector<Index> longest_, rank_;  // by suffix: the longest start shared with one of the other text, and its rank
};

// Makes passages as long as they can be where they stand.
class Widener {
 public:
  Widener(std::string_view a, std::string_view b, Reading reading)
      : a_(a), b_(b), characters_{reading}, left_(kEffort * (a.size() + b.size())) {}

  Passage operator()(const Passage& p) {
    std::uint64_t before = 0, after = 0;
    const std::uint64_t most_before = std::min(p.a_start, p.b_start);
    const std::uint64_t most_after = std::min(a_.size() - p.a_end, b_.size() - p.b_end);
    while (left_ > 0 && before < most_before && a_[p.a_start - before - 1] == b_[p.b_start - before - 1])
      ++before, --left_;
    while (left_ > 0 && after < most_after && a_[p.a_end + after] == b_[p.b_end + after]) ++after, --left_;
    const Stretch run = characters_.trimmed(a_, {p.a_start - before, p.a_end + after});
    const std::uint64_t b_start = p.b_start - p.a_start + run.start;
    return {run.start, run.end, b_start, b_start + (run.end - run.start)};
  }

 private:
  static constexpr std::uint64_t kEffort = 8;

  std::string_view a_, b_;
  Characters characters_;
  std::uint64_t left_;  // bytes that may still be compared: texts of one letter would take the square of their length
};

// The stretches of a text that are covered.
class Coverage {
 public:
  void add(std::uint64_t start, std::uint64_t end) {
    auto at = ends_.upper_bound(start);
    if (at != ends_.begin() && std::prev(at)->second >= start) {
      --at;
      start = at->first;
    }
    while (at != ends_.end() && at->first <= end) {
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    ends_.emplace_hint(at, start, end);
  }

  // Return the first place from `at` on that is not covered, and where the next covered stretch begins.
  std::uint64_t past(std::uint64_t at) const {
    const auto next = ends_.upper_bound(at);
    return next == ends_.begin() ? at : std::max(at, std::prev(next)->second);
  }
  std::uint64_t next(std::uint64_t at, std::uint64_t end) const {
    const auto stretch = ends_.lower_bound(at);
    return stretch == ends_.end() ? end : std::min(end, stretch->first);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by start; no stretch touches another
};

}  // namespace nearkin
