// Makes passages as long as they can be where they stand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "passages/common_runs.hpp"

namespace nearkin {

class Widening {
 public:
  Widening(std::string_view a, std::string_view b, Reading reading)
      : a_(a), b_(b), characters_{reading}, left_(kEffort * (a.size() + b.size())) {}

  Passage operator()(const Passage& p) {
    std::uint64_t before = 0, after = 0;
    const std::uint64_t most_before = std::min(p.a_start, p.b_start), most_after = std::min(a_.size() - p.a_end, b_.size() - p.b_end);
    while (left_ > 0 && before < most_before && a_[p.a_start - before - 1] == b_[p.b_start - before - 1]) ++before, --left_;
    while (left_ > 0 && after < most_after && a_[p.a_end + after] == b_[p.b_end + after]) ++after, --left_;
    const Stretch run = characters_.trimmed(a_, {p.a_start - before, p.a_end + after});
    const std::uint64_t b_start = p.b_start - p.a_start + run.start;
    return {run.start, run.end, b_start, b_start + (run.end - run.start)};
  }

 private:
  static constexpr std::uint64_t kEffort = 8;

  std::string_view a_, b_;
  Characters characters_;
  std::uint64_t left_;  // bytes that may still be looked at: texts of one letter would take the square of their length
};

}  // namespace nearkin
