// The second half of a bounded join: which contents meet, and in which bin.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "join/bounded_lists.hpp"
#include "join/bounded_state.hpp"
#include "join/spill.hpp"

namespace nearkin {

// Union-find on threads (Forman 2005 §2.3 step 5). A larger root always becomes a child of a smaller one, so the
// components and their names do not depend on the order of the joins.
class SharedUnionFind {
 public:
  explicit SharedUnionFind(std::size_t nodes);
  std::uint32_t root(std::uint32_t node) const;
  void join(std::uint32_t x, std::uint32_t y);

 private:
  mutable std::vector<std::atomic<std::uint32_t>> parent_;
};

// A feature in the prefixes of too many contents, and where their rows are.
struct HotRun {
  std::uint64_t feature, at;
  std::uint32_t rows, prefixes;  // all rows, and those in whose own prefix it is
};

class BoundedBins {
 public:
  static constexpr std::uint16_t kNone = 0xFFFF;

  BoundedBins(BoundedState& state, BoundedLists& lists);

  // Joins the contents of each run of one feature in which a content looks for others. Hot runs are put aside.
  void link(std::size_t from, std::size_t to);
  // Packs contents into bins, component by component, and notes in which other bins each content meets others.
  void reach(std::size_t from, std::size_t to);
  // Writes lists to their bins, and those of hot runs to the stars as well.
  void distribute(std::size_t from, std::size_t to);

  std::size_t bins() const { return room_.size(); }
  bool meet(std::uint32_t bin, std::uint32_t other) const;
  // The lists of a bin. For a join with another bin, only contents that meet others there are needed.
  Words lists(std::uint32_t bin) const { return binned_->read(bin); }
  bool meets(std::uint32_t row, std::uint32_t bin) const {
    return reach_[row].load(std::memory_order_relaxed) & bit(bin);
  }

  // Hot runs in the order in which stars are made.
  const std::vector<HotRun>& hot() const { return hot_; }
  Words hot_rows(const HotRun& run) const { return hot_rows_->read_at(run.at, run.rows); }
  Words star_list(std::uint32_t row) const;
  std::uint64_t spilled() const { return spilled_; }

 private:
  // Where there are more bins than bits, bins share them: then some contents are loaded in vain.
  static std::uint64_t bit(std::uint32_t bin) { return std::uint64_t{1} << (bin % 64); }
  void link_part(std::size_t part);
  void link_rows(std::uint64_t feature, Words& rows, Words& runs);
  void link_run(std::span<const std::uint32_t> rows);
  void reach_part(std::size_t part);
  void reach_run(std::span<const std::uint32_t> run);
  void distribute_part(std::size_t part, PartWriter& by_bin);
  void pack();
  std::uint64_t capacity() const;

  BoundedState& state_;
  BoundedLists& lists_;
  std::unique_ptr<SharedUnionFind> sets_;
  std::vector<std::atomic<std::uint8_t>> in_run_;      // by row: whether it is in a run that is linked
  std::vector<std::atomic<std::uint64_t>> reach_;      // by row: the bins in which it meets others
  std::vector<std::uint16_t> bin_;                     // by row
  std::vector<std::uint64_t> room_;                    // by bin: postings
  std::vector<std::uint64_t> bin_reach_;               // by bin
  std::unique_ptr<Spill> runs_, hot_rows_, binned_, starred_;
  std::vector<HotRun> hot_;
  std::vector<std::uint64_t> star_at_;                 // by group of rows: where the lists of its starred rows begin
  std::vector<std::uint8_t> is_starred_;               // by row; empty: nothing is hot
  std::mutex guard_;
  std::uint64_t spilled_ = 0;
};

}  // namespace nearkin
