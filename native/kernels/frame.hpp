// The frame of two texts: common passages that stand in one order in both, as a careful reader would line them up
// (docs/decisions/024-passages.md). As in patience diff (Cohen 2003) what stands once in either text comes first, here by
// characters and weighed by length: of such passages the heaviest chain is kept. Between two of them the same again, where
// more is unique; where nothing is, the longest runs nearest to where they would be had nothing changed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common_runs.hpp"
#include "passages.hpp"

namespace nearkin {

// Numbers of passages that rise in both texts and are longest together; overlaps count once. In the order of A.
std::vector<std::size_t> heaviest_chain(const std::vector<Passage>& sorted, std::uint64_t each_costs);

// Makes passages as long as they can be where they stand.
class Widening {
 public:
  Widening(std::string_view a, std::string_view b, Reading reading);
  Passage operator()(const Passage& passage);

 private:
  std::string_view a_, b_;
  Characters characters_;
  std::uint64_t left_;  // bytes that may still be looked at: texts of one letter would take the square of their length
};

// `whole` is what the texts have in common.
std::vector<Passage> frame_of(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least, Reading reading,
                              Widening& widened);

}  // namespace nearkin
