// The join of a collection too large for memory: the same candidates as find_candidates gives, with files for the rest.
//
// Forman 2005 §2.5 and §2.6 partition the file-chunk graph so that it is processed piece by piece: chunks of a single
// file are dropped, files that share chunks are joined into components by union-find, components of a single file are
// dropped, and the rest are packed into bins that fit. Here, for the prefix filter, that takes these stages:
//
//   count       Postings lie in parts by feature. Sorted, each part shows how many contents have a feature; features
//               that only one has can meet nothing. The rest is written by content.
//   order       Each content's list is ordered as in memory, rarest feature first: at which features does it look for
//               others, where is it looked for? Lists are written, and every posting with these marks by feature.
//   link        Runs of one feature in which a content looks for others: these contents are joined. Hot runs are put
//               aside for the stars.
//   reach       Components are packed into bins, one after another. Large ones go over several bins: for each content
//               it is noted in which bins it meets others.
//   distribute  Lists are written to their bins.
//
// Then each bin is joined, and each two bins that meet, with those of their contents that do. Order, rarity, hot
// features and stars are those of the whole, so a pair is met and judged as it would be in memory.
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
  enum class Stage : std::uint8_t { count, order, link, reach, distribute };
  static constexpr std::size_t kParts = BoundedLists::kParts;  // of every stage

  explicit BoundedJoin(std::unique_ptr<BoundedState> state)
      : owned_(std::move(state)), state_(*owned_), lists_(state_) {}
  BoundedJoin(const BoundedJoin&) = delete;
  BoundedJoin& operator=(const BoundedJoin&) = delete;

  // Adds the lists of some contents; each content once.
  void add(std::span<const std::uint32_t> rows, const Postings& lists) { lists_.add(rows, lists); }

  // When all lists are added: does each stage, part by part and in order.
  void work(Stage stage, std::size_t from, std::size_t to);

  // Then makes the stars of hot features, lists the joins of bins, of one with itself or of two, and does each of
  // these.
  Candidates stars();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs() const;
  UninitVector<Candidate> join(std::uint32_t bin, std::uint32_t other) const;

  const std::string& folder() const { return state_.folder; }
  std::size_t contents() const { return state_.contents(); }
  std::size_t bins() const { return bins_ ? bins_->bins() : 0; }
  std::uint64_t spilled() const { return lists_.spilled() + (bins_ ? bins_->spilled() : 0); }  // bytes in all

 private:
  std::unique_ptr<BoundedState> owned_;
  BoundedState& state_;
  BoundedLists lists_;
  std::optional<BoundedBins> bins_;
  std::vector<std::uint64_t> hot_;        // features, ascending
  std::vector<std::uint32_t> principal_;  // by row: that of its star; empty: there are no stars
};

}  // namespace nearkin
