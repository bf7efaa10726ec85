// The first half of a bounded join: from postings to lists that know at which features they look for others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "join/bounded_state.hpp"
#include "join/spill.hpp"

namespace nearkin {

// Marks of what a content does at one of its features, in the word of its row.
inline constexpr std::uint32_t kLike = std::uint32_t{1} << 28;    // it may meet a content that it resembles …
inline constexpr std::uint32_t kPart = std::uint32_t{1} << 29;    // … or one that contains it
inline constexpr std::uint32_t kPrefix = std::uint32_t{1} << 30;  // the feature is in its prefix …
inline constexpr std::uint32_t kHigherPrefix = std::uint32_t{1} << 31;  // … or in that of a higher level
inline constexpr std::uint32_t kRow = kLike - 1;

// A list on disk holds a content's row, its number of postings, and for each of these, ascending by feature, the
// feature, its frequency in the whole, and its weight if there are weights.
std::size_t posting_words(const BoundedState& state);

template <class Work>
void for_each_list(const BoundedState& state, std::span<const std::uint32_t> words, Work&& work) {
  const std::size_t width = posting_words(state);
  while (!words.empty()) {
    const std::uint32_t row = words[0];
    const std::size_t length = 2 + width * words[1];
    work(row, words.first(length));
    words = words.subspan(length);
  }
}

class BoundedLists {
 public:
  static constexpr std::size_t kParts = 256;     // of each file
  static constexpr std::uint32_t kGroup = 64;    // rows that are never divided between two parts

  explicit BoundedLists(BoundedState& state);

  // Adds the lists of some contents; each content once.
  void add(std::span<const std::uint32_t> rows, const Postings& lists);

  // Counts how many contents have each feature of a part, drops those that only one has, and sorts the rest by content.
  void count(std::size_t from, std::size_t to);
  // Orders the lists of a part of the contents, rarest feature first, and writes their postings with marks by feature.
  void order(std::size_t from, std::size_t to);

  // The postings of a part that a thread sorts at a time; more are sorted in rounds.
  std::size_t sorted_at_once() const;

  Spill& lists() { return *lists_; }    // by parts of the contents, ascending by row; pieces are whole lists
  Spill& marked() { return *marked_; }  // by feature: feature, row with marks
  std::vector<std::uint32_t>& lengths() { return lengths_; }  // by row: postings that are left
  std::uint64_t spilled() const { return spilled_; }

 private:
  struct RowPosting;

  void count_part(std::size_t part, PartWriter& by_content) const;
  void order_part(std::size_t part, PartWriter& by_feature);
  void order_rows(std::size_t part, std::vector<RowPosting>& postings, PartWriter& by_feature);
  void mark(std::uint32_t row, std::span<const RowPosting> list, PartWriter& by_feature) const;

  BoundedState& state_;
  std::size_t buffered_;  // words of each part that a thread holds before it writes them
  std::uint32_t rows_a_part_;
  std::vector<std::uint32_t> lengths_;
  std::unique_ptr<Spill> postings_, by_content_, lists_, marked_;
  std::uint64_t spilled_ = 0;
};

}  // namespace nearkin
