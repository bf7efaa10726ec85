// The fingerprints of a text in its order, a block at a time: blocks stay in the nearest cache, and a text of any
// length passes through.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sign/rabin.hpp"
#include "sign/shingler.hpp"

namespace nearkin {

class Blocks {
 public:
  static constexpr std::size_t kBlock = 2048;  // 16 KB of fingerprints beside the tables they are rolled with

  Blocks(const Shingler& shingler, std::string_view text) : shingler_(shingler), text_(text) {
    // Where a shingle's label or place must be known first, all are made at once.
    if (shingler.unit() == Unit::byte && !shingler.label()) return;
    const auto placed = shingler.placed(text);
    made_.reserve(placed.size());
    for (const auto& shingle : placed) made_.push_back(shingle.fingerprint);
    all_ = true;
  }

  // Calls visit(span of fingerprints) for each block. May be called again; a text of one block is rolled only once.
  template <class Visit>
  void each(Visit&& visit) {
    if (all_) {
      if (!made_.empty()) visit(std::span<const std::uint64_t>(made_));
      return;
    }
    const Roller& roller = shingler_.roller();
    const std::size_t overlap = roller.window() - 1;
    for (std::size_t start = 0; start == 0 || start + overlap < text_.size(); start += kBlock) {
      const auto part = text_.substr(start, kBlock + overlap);
      if (!rolled_once_ || part.size() != text_.size()) roll_block(roller, part);
      rolled_once_ = true;
      if (count_ > 0) visit(std::span<const std::uint64_t>(block_.data(), count_));
    }
  }

 private:
  void roll_block(const Roller& roller, std::string_view part) {
    count_ = part.empty() ? 0 : part.size() < roller.window() ? 1 : part.size() - roller.window() + 1;
    if (shingler_.plain()) {
      roll(roller, part, [&](std::size_t position, std::uint64_t f) { block_[position] = f; });
    } else {
      roll(roller, part, [&](std::size_t position, std::uint64_t f) { block_[position] = shingler_.finish(f); });
    }
  }

  const Shingler& shingler_;
  std::string_view text_;
  std::vector<std::uint64_t> made_;
  bool all_ = false;
  bool rolled_once_ = false;
  std::size_t count_ = 0;
  std::array<std::uint64_t, kBlock> block_;
};

}  // namespace nearkin
