// The first half of a bounded join: from postings to lists that know where they look for others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "join/bounded_state.hpp"
#include "join/spill.hpp"

namespace nearkin {

// What a content does at one of its features, in the word of its row.
inline constexpr std::uint32_t kLike = std::uint32_t{1} << 28;    // it may meet there what it is like …
inline constexpr std::uint32_t kPart = std::uint32_t{1} << 29;    // … or what contains it
inline constexpr std::uint32_t kInside = std::uint32_t{1} << 30;  // the feature is in its prefix …
inline constexpr std::uint32_t kHigher = std::uint32_t{1} << 31;  // … or in that of a higher level
inline constexpr std::uint32_t kRow = kLike - 1;

// Lists on the disk: a content's row, how many postings it has, and each of these: feature, how often the whole has it,
// and its weight if there are weights. Ascending by feature.
std::size_t posting_words(const Whole& whole);

template <class Work>
void for_each_list(const Whole& whole, std::span<const std::uint32_t> words, Work&& work) {
  const std::size_t width = posting_words(whole);
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
  static constexpr std::uint32_t kGroup = 64;    // rows that are never in two parts

  explicit BoundedLists(Whole& whole);

  // Lists of some contents; each content once.
  void add(std::span<const std::uint32_t> rows, const Postings& lists);

  // How often each feature of a part occurs; what only one content has is dropped, the rest dealt out by content.
  void count(std::size_t from, std::size_t to);
  // The lists of a part of the contents, rarest feature first: marks, dealt out by feature.
  void order(std::size_t from, std::size_t to);

  // Postings of a part, by each thread: what is more is worked on in rounds.
  std::size_t sorted_at_once() const;

  Spill& lists() { return *lists_; }     // by parts of the contents, ascending by row; pieces are whole lists
  Spill& marked() { return *marked_; }   // by feature: feature, row with marks
  std::vector<std::uint32_t>& lengths() { return lengths_; }  // by row: postings that are left
  std::uint64_t spilled() const { return spilled_; }

 private:
  struct Kept;

  void count_part(std::size_t part, Dealer& by_content) const;
  void order_part(std::size_t part, Dealer& by_feature);
  void order_rows(std::size_t part, std::vector<Kept>& kept, Dealer& by_feature);
  void mark(std::uint32_t row, std::span<const Kept> list, Dealer& by_feature) const;

  Whole& whole_;
  std::size_t held_;  // words that wait of each part, for each thread
  std::uint32_t rows_a_part_;
  std::vector<std::uint32_t> lengths_;
  std::unique_ptr<Spill> postings_, kept_, lists_, marked_;
  std::uint64_t spilled_ = 0;
};

}  // namespace nearkin
