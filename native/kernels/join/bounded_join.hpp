// All pairs of a collection too large for memory: the same candidates as find_candidates gives, with files for the
// rest.
//
// Forman 2005 §2.5 and §2.6 partition the file-chunk graph so that it is worked on piece by piece: chunks of one file
// only are dropped, files that share chunks are joined into components by union-find, components of a single file are
// dropped, the rest are packed into bins that fit. Here, for the prefix filter, stage by stage:
//
//   count  postings lie in parts by feature. Sorted, each part tells how many contents have a feature; what only one has
//          can meet nothing. The rest is dealt out by content.
//   order  each content's list, rarest feature first, as in memory: at which features does it look for others, where
//          is it looked for? Lists are written down, and every posting with these marks dealt out by feature again.
//   link   runs of one feature in which someone looks for others: these contents are joined. Hot runs are put aside for
//          the stars.
//   reach  components are packed into bins, one after another. Large ones go over several bins: for each content it is
//          noted in which bins it meets someone.
//   deal   lists are dealt out to their bins.
//
// Then each bin is joined, and each two bins that meet, with those of their contents that do. Order, rarity, hot
// features and stars are those of the whole; so a pair is met, and judged, as it would be in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "join/bounded_bins.hpp"
#include "join/bounded_lists.hpp"
#include "join/bounded_state.hpp"
#include "join/candidates.hpp"

namespace nearkin {

class BoundedJoin {
 public:
  enum class Stage : std::uint8_t { count, order, link, reach, deal };
  static constexpr std::size_t kParts = BoundedLists::kParts;  // of every stage

  explicit BoundedJoin(std::unique_ptr<Whole> whole) : owned_(std::move(whole)), whole_(*owned_), lists_(whole_) {}
  BoundedJoin(const BoundedJoin&) = delete;
  BoundedJoin& operator=(const BoundedJoin&) = delete;

  // Lists of some contents; each content once.
  void add(std::span<const std::uint32_t> rows, const Postings& lists) { lists_.add(rows, lists); }

  // When all were added: each stage part by part, in order.
  void work(Stage stage, std::size_t from, std::size_t to);

  // Then the stars of hot features, and which bins are joined: one with itself, or two. Then each of these.
  Candidates stars();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs() const;
  UninitVector<Candidate> join(std::uint32_t bin, std::uint32_t other) const;

  const std::string& folder() const { return whole_.folder; }
  std::size_t contents() const { return whole_.contents(); }
  std::size_t bins() const { return bins_ ? bins_->bins() : 0; }
  std::uint64_t spilled() const { return lists_.spilled() + (bins_ ? bins_->spilled() : 0); }  // bytes, all in all

 private:
  std::unique_ptr<Whole> owned_;
  Whole& whole_;
  BoundedLists lists_;
  std::optional<BoundedBins> bins_;
  std::vector<std::uint64_t> hot_;    // features, ascending
  std::vector<std::uint32_t> home_;   // by row; empty: there are no stars
};

}  // namespace nearkin
