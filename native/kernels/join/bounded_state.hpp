// The state of a bounded join that stays in memory: a few bytes for every content of the whole collection.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "join/candidates.hpp"
#include "join/postings.hpp"
#include "join/thresholds.hpp"

namespace nearkin {

struct BoundedState {
  // Four of a row's bits are marks.
  static constexpr std::uint32_t kMostContents = std::uint32_t{1} << 28;

  std::string folder;  // for the files
  JoinOptions options;
  bool weighted;
  std::uint64_t memory;  // bytes for the whole join
  std::uint64_t base = 1;
  std::uint32_t levels = 1;
  std::vector<std::uint8_t> level;       // by row
  std::vector<std::uint32_t> sizes;      // by row and level: how much of the list counts there
  std::optional<Thresholds> thresholds;  // once all sizes are known

  BoundedState(std::string folder_, std::span<const std::uint64_t> moduli, bool weighted_, const JoinOptions& options_,
               std::uint64_t memory_)
      : folder(std::move(folder_)), options(options_), weighted(weighted_), memory(memory_), level(moduli.size()) {
    options.threads = std::max(1U, options.threads);
    if (moduli.size() >= kMostContents) throw std::length_error("more than 536 million contents in one join");
    if (!moduli.empty()) {
      const auto [least, most] = std::minmax_element(moduli.begin(), moduli.end());
      base = *least;
      levels = static_cast<std::uint32_t>(std::bit_width(*most / base));
    }
    for (std::size_t row = 0; row < moduli.size(); ++row)
      level[row] = static_cast<std::uint8_t>(std::bit_width(moduli[row] / base) - 1);
    sizes.assign(moduli.size() * levels, 0);
  }

  unsigned threads() const { return options.threads; }
  std::size_t contents() const { return level.size(); }

  // Returns the bytes that are left beside what all stages together hold of every content. That includes, for each
  // thread, the rows of one feature, which all contents may have.
  std::uint64_t room() const {
    const std::uint64_t fixed = contents() * (4 * levels + 4 + 8 + 4 + 2 + 1 + 1 + 4 * std::uint64_t{threads()});
    return memory > 2 * fixed ? memory - fixed : memory / 2;
  }

  // A feature that only one content has meets nothing. Samples cut at n keep it: it tells where they are cut.
  bool drops_single() const { return options.evidence.estimator != Estimator::smallest; }

  void measure(std::uint32_t row, const List& list) {
    for (std::size_t i = 0; i < list.features.size(); ++i) {
      const std::uint32_t highest = std::max<std::uint32_t>(level[row], highest_level(list.features[i], base, levels));
      for (std::uint32_t at = level[row]; at <= highest; ++at) {
        std::uint32_t& size = sizes[std::size_t{row} * levels + at];
        const std::uint32_t weight = list.weights.empty() ? 1 : list.weights[i];
        if (weight > std::numeric_limits<std::uint32_t>::max() - size)
          throw std::length_error("a content of over 4 GB in one join");
        size += weight;
      }
    }
  }

  void set_thresholds() {
    std::uint64_t longest = 1;
    for (std::size_t row = 0; row < contents(); ++row) longest = std::max<std::uint64_t>(longest, own_size(row));
    thresholds.emplace(options.evidence, options.thresholds, longest);
  }

  std::uint64_t size_at(std::size_t row, std::uint32_t at) const { return sizes[row * levels + at]; }
  std::uint64_t own_size(std::size_t row) const { return size_at(row, level[row]); }

  // Returns about how many shingles a content has.
  std::uint64_t shingles(std::size_t row) const { return own_size(row) * (base << level[row]); }
};

// Features are written as two words, the low one first.
inline std::uint64_t feature_at(const std::uint32_t* words) { return words[0] | std::uint64_t{words[1]} << 32; }
inline std::uint32_t low_of(std::uint64_t feature) { return static_cast<std::uint32_t>(feature); }
inline std::uint32_t high_of(std::uint64_t feature) { return static_cast<std::uint32_t>(feature >> 32); }

}  // namespace nearkin
