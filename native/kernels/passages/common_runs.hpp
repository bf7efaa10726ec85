// What two texts have in common, whatever the order: the suffix array of both together puts next to each suffix of one
// the suffixes of the other that agree with it longest, so one sweep each way finds them all in linear time, however
// often a text repeats itself (matching statistics, Chang and Lawler 1994).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "passages/passages.hpp"

namespace nearkin {

struct Stretch {
  std::uint64_t start, end;
};

enum class Side { a, b };

// What is left of a stretch of a text where only whole characters count and no spaces at its ends.
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

  // Runs that stand once in either text and cannot be made longer, in the order of A.
  std::vector<Passage> unique() const;

  // The longest runs of one text that lie in the other, none inside another, in their order.
  std::vector<Stretch> maximal(Side side) const;

  // Where the other text has a run: of several places the one nearest to the start of the run moved by `shift`.
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
  std::vector<Index> longest_, rank_;  // for each suffix the longest start it shares with one of the other text, and whose
};

}  // namespace nearkin
