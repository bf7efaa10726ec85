// What a bounded join holds in memory of every content of the whole collection: a few bytes each.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "join/candidates.hpp"
#include "join/postings.hpp"
#include "join/thresholds.hpp"

namespace nearkin {

struct Whole {
  // Four of a row's bits go to marks.
  static constexpr std::uint32_t kMostContents = std::uint32_t{1} << 28;

  std::string folder;  // for what does not fit
  Evidence evidence;
  Thresholds thresholds;
  bool weighted;
  std::uint64_t memory;  // bytes for all of it
  unsigned threads;
  std::uint64_t base = 1;
  std::uint32_t levels = 1;
  std::vector<std::uint8_t> level;   // by row
  std::vector<std::uint32_t> sizes;  // by row and level: how much counts there
  std::optional<Judge> judge;        // once all sizes are known

  Whole(std::string where, std::span<const std::uint64_t> moduli, bool with_weights, const Evidence& what,
        const Thresholds& limits, std::uint64_t bytes, unsigned on)
      : folder(std::move(where)),
        evidence(what),
        thresholds(limits),
        weighted(with_weights),
        memory(bytes),
        threads(std::max(1U, on)),
        level(moduli.size()) {
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

  std::size_t contents() const { return level.size(); }

  // Bytes that are left beside what is held of every content, in all stages together. On each thread these are also the
  // rows of one feature, which all contents may have.
  std::uint64_t room() const {
    const std::uint64_t fixed = contents() * (4 * levels + 4 + 8 + 4 + 2 + 1 + 1 + 4 * std::uint64_t{threads});
    return memory > 2 * fixed ? memory - fixed : memory / 2;
  }

  // What only one content has meets nothing. Of samples cut at n everything is kept: it tells where they are cut.
  bool drops_single() const { return evidence.estimator != Estimator::smallest; }

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

  void judge_by_sizes() {
    std::uint64_t longest = 1;
    for (std::size_t row = 0; row < contents(); ++row) longest = std::max<std::uint64_t>(longest, own_size(row));
    judge.emplace(evidence, thresholds, base, longest);
  }

  std::uint64_t own_size(std::size_t row) const { return sizes[row * levels + level[row]]; }

  using Room = std::array<std::uint64_t, 64>;

  Sized sized(std::uint32_t row, Room& room) const {
    const auto from = sizes.begin() + static_cast<std::ptrdiff_t>(std::size_t{row} * levels);
    std::copy(from, from + levels, room.begin());
    return {level[row], std::span(room).first(levels)};
  }
};

// Features as two words, little end first.
inline std::uint64_t feature_at(const std::uint32_t* words) { return words[0] | std::uint64_t{words[1]} << 32; }
inline std::uint32_t low_of(std::uint64_t feature) { return static_cast<std::uint32_t>(feature); }
inline std::uint32_t high_of(std::uint64_t feature) { return static_cast<std::uint32_t>(feature >> 32); }

}  // namespace nearkin
