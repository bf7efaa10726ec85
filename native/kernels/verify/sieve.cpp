#include "verify/sieve.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/containers.hpp"
#include "base/parallel.hpp"

namespace nearkin {
namespace {

constexpr std::size_t kBits = 4;      // for a shingle of the longer text
constexpr std::size_t kOwnBits = 16;  // for a shingle of the shorter one, whose distinct shingles are looked up
constexpr std::size_t kRound = 64;   // look-ups between two decisions
// Longer texts have samples that tell enough: of the pages of 005, 13 of 170,000 pairs that reached nothing were of two
// such texts, and they have three quarters of the bytes that would be looked up.
constexpr std::size_t kLong = 4096;   // shingles

// A row of bits. Fingerprints are uniform in their high bits, which give the place of a shingle in the row.
struct Row {
  std::uint64_t* words;
  std::uint64_t bits;

  static std::uint64_t bits_for(std::size_t shingles, std::size_t each) {
    return std::min<std::uint64_t>(std::max<std::size_t>(shingles * each, 64), ~std::uint32_t{0});
  }
  static std::size_t words_for(std::uint64_t bits) { return (bits + 63) / 64; }

  void clear() const { std::fill_n(words, words_for(bits), 0); }

  // Sets a bit, and tells whether it was not set before. `high` is the upper half of a fingerprint.
  bool set(std::uint32_t high) const {
    const std::uint64_t at = high * bits >> 32, bit = std::uint64_t{1} << at % 64;
    const std::uint64_t before = words[at / 64];
    words[at / 64] = before | bit;
    return (before & bit) == 0;
  }

  bool lacks(std::uint32_t high) const {
    const std::uint64_t at = high * bits >> 32;
    return (words[at / 64] >> at % 64 & 1) == 0;
  }

  std::uint64_t count() const {
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < words_for(bits); ++i) set += static_cast<std::uint64_t>(std::popcount(words[i]));
    return set;
  }
};

std::uint32_t high_half(std::uint64_t fingerprint) { return static_cast<std::uint32_t>(fingerprint >> 32); }

class Sieve {
 public:
  Sieve(std::span<const std::string_view> texts, const Roller& roller, const Bounds& bounds)
      : texts_(texts), roller_(roller), bounds_(bounds) {}

  std::vector<std::uint32_t> run(std::span<const Pair> pairs, std::span<const std::uint32_t> which, unsigned threads) {
    sort_pairs(pairs, which);
    mark(threads);
    std::vector<std::uint8_t> kept(which.size(), 1);
    std::vector<LookedUp> looked_up(threads);
    parallel_blocks(texts_.size(), 64, threads, [&](unsigned thread, std::size_t from, std::size_t to) {
      for (auto text = from; text < to; ++text) look_up(text, pairs, which, looked_up[thread], kept);
    });
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < which.size(); ++i)
      if (kept[i]) left.push_back(which[i]);
    return left;
  }

 private:
  // The distinct shingles of a text that are looked up.
  struct LookedUp {
    UninitVector<std::uint64_t> words;
    UninitVector<std::uint32_t> highs;
    std::size_t count = 0;
  };

  std::size_t windows(std::size_t text) const {
    const std::size_t size = texts_[text].size(), width = roller_.window();
    return size < width ? size != 0 : size - width + 1;
  }

  bool is_shorter(std::uint32_t text, std::uint32_t other) const {
    return texts_[text].size() != texts_[other].size() ? texts_[text].size() < texts_[other].size() : text < other;
  }

  // Sorts pairs by their shorter text, and finds room for the rows of the longer ones.
  void sort_pairs(std::span<const Pair> pairs, std::span<const std::uint32_t> which) {
    ends_.assign(texts_.size() + 1, 0);
    words_at_.assign(texts_.size() + 1, 0);
    for (const auto i : which) {
      const auto [a, b] = pairs[i];
      const bool first = is_shorter(a, b);
      const std::size_t shorter = first ? a : b, longer = first ? b : a;
      ++ends_[shorter + 1];
      if (windows(shorter) <= kLong) words_at_[longer + 1] = 1;
    }
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    sorted_.resize(which.size());
    std::vector<std::uint32_t> next(ends_.begin(), ends_.end() - 1);
    for (std::uint32_t i = 0; i < which.size(); ++i) {
      const auto [a, b] = pairs[which[i]];
      sorted_[next[is_shorter(a, b) ? a : b]++] = i;
    }
    for (std::size_t text = 0; text < texts_.size(); ++text)
      words_at_[text + 1] = words_at_[text] + (words_at_[text + 1] ? Row::words_for(bits_of(text)) : 0);
  }

  std::uint64_t bits_of(std::size_t text) const { return Row::bits_for(windows(text), kBits); }

  void mark(unsigned threads) {
    words_.resize(words_at_.back());
    distinct_.assign(texts_.size(), 0);
    parallel_blocks(texts_.size(), 64, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (auto text = from; text < to; ++text) {
        if (words_at_[text] == words_at_[text + 1]) continue;
        const Row row{words_.data() + words_at_[text], bits_of(text)};
        row.clear();
        roll(roller_, texts_[text], [&](std::size_t, std::uint64_t f) { row.set(high_half(f)); });
        distinct_[text] = row.count();
      }
    });
  }

  void look_up(std::size_t text, std::span<const Pair> pairs, std::span<const std::uint32_t> which, LookedUp& looked_up,
               std::vector<std::uint8_t>& kept) {
    if (ends_[text] == ends_[text + 1] || windows(text) > kLong) return;
    list(text, looked_up);
    for (auto at = ends_[text]; at < ends_[text + 1]; ++at) {
      const std::uint32_t i = sorted_[at];
      const Pair pair = pairs[which[i]];
      kept[i] = may_reach(text, pair.a == text ? pair.b : pair.a, looked_up);
    }
  }

  void list(std::size_t text, LookedUp& looked_up) const {
    const std::size_t most = windows(text);
    const std::uint64_t bits = Row::bits_for(most, kOwnBits);
    if (looked_up.words.size() < Row::words_for(bits)) looked_up.words.resize(Row::words_for(bits));
    if (looked_up.highs.size() <= most) looked_up.highs.resize(most + 1);
    const Row row{looked_up.words.data(), bits};
    row.clear();
    std::size_t count = 0;
    std::uint32_t* const to = looked_up.highs.data();
    roll(roller_, texts_[text], [&](std::size_t, std::uint64_t f) {
      to[count] = high_half(f);
      count += row.set(to[count]);
    });
    looked_up.count = count;
  }

  // Looks shingles up until it is certain that too many are missing, or unlikely that they will be.
  bool may_reach(std::size_t text, std::size_t other, const LookedUp& looked_up) {
    const Row row{words_.data() + words_at_[other], bits_of(other)};
    const std::uint64_t most = may_miss(text, other);
    const std::size_t rounds = (looked_up.count + kRound - 1) / kRound;
    std::uint64_t missing = 0, tried = 0;
    for (std::size_t round = 0; round < rounds; ++round) {  // the look-ups of a round are spread over the whole text
      for (std::size_t i = round; i < looked_up.count; i += rounds) missing += row.lacks(looked_up.highs[i]), ++tried;
      if (missing > most) return false;
      if (missing * looked_up.count <= most * tried) return true;
    }
    return true;
  }

  // Returns how many shingles of the text may be missing from the other if the pair is to reach a bound, one more for
  // rounding. The text has at most as many as it has windows, the other at least as many as bits are set.
  std::uint64_t may_miss(std::size_t text, std::size_t other) const {
    const auto here = static_cast<double>(windows(text)), there = static_cast<double>(distinct_[other]);
    const double alike = bounds_.resemblance / (1.0 + bounds_.resemblance) * (here + there);
    const double contained = bounds_.containment * std::min(here, there);
    return static_cast<std::uint64_t>(std::max(0.0, here - std::min(alike, contained))) + 1;
  }

  std::span<const std::string_view> texts_;
  const Roller& roller_;
  const Bounds& bounds_;
  std::vector<std::uint32_t> ends_;      // by text: the pairs of which it is the shorter, in sorted_
  std::vector<std::uint32_t> sorted_;    // places in `which`
  std::vector<std::size_t> words_at_;    // by text: where its row begins; texts that are never the longer have none
  UninitVector<std::uint64_t> words_;
  std::vector<std::uint64_t> distinct_;  // by text with a row: it has at least so many shingles
};

}  // namespace

std::vector<std::uint32_t> sieve(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                                 std::span<const std::uint32_t> which, const Roller& roller, const Bounds& bounds,
                                 unsigned threads) {
  return Sieve(texts, roller, bounds).run(pairs, which, std::max(1U, threads));
}

}  // namespace nearkin
