#include "singles.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "mix.hpp"
#include "parallel.hpp"
#include "postings_index.hpp"

namespace nearkin {
namespace {

constexpr std::size_t kAhead = 16;                          // features
constexpr std::size_t kOwnBytes = std::size_t{64} << 20;  // up to which every thread has marks of its own

// Of each feature whether it was seen, and whether it was seen again: two bits, side by side. Two features may share
// them; then both are taken for seen again, which costs a little time and nothing else.
class SeenTwice {
 public:
  explicit SeenTwice(std::size_t features)
      : shift_(64 - std::clamp(static_cast<int>(std::bit_width(features)) + 1, 8, 40)),
        words_((std::size_t{1} << (64 - shift_)) / 32, 0) {}

  // Most of it is not in the cache: asked for some time before it is needed.
  void prepare(std::uint64_t feature) const { __builtin_prefetch(&words_[place(feature).word], 1, 0); }

  std::size_t bytes() const { return sizeof(std::uint64_t) * words_.size(); }

  void see(std::uint64_t feature) {
    const auto [word, once] = place(feature);
    words_[word] |= once << static_cast<int>((words_[word] & once) != 0);
  }

  // What another thread has seen.
  void add(const SeenTwice& other, std::size_t from, std::size_t to) {
    constexpr std::uint64_t kOnce = 0x5555555555555555;
    for (auto word = from; word < to; ++word)
      words_[word] |= other.words_[word] | (words_[word] & other.words_[word] & kOnce) << 1;
  }
  std::size_t words() const { return words_.size(); }

  // The same for several threads at once: each first sight waits for all others.
  void see_together(std::uint64_t feature) {
    const auto [word, once] = place(feature);
    const std::atomic_ref shared(words_[word]);
    if (shared.load(std::memory_order_relaxed) & once << 1) return;
    if (shared.fetch_or(once, std::memory_order_relaxed) & once) shared.fetch_or(once << 1, std::memory_order_relaxed);
  }

  bool again(std::uint64_t feature) const {
    const auto [word, once] = place(feature);
    return words_[word] & once << 1;
  }

 private:
  struct Place {
    std::size_t word;
    std::uint64_t once;
  };

  Place place(std::uint64_t feature) const {
    const std::uint64_t slot = mix(feature) >> shift_;
    return {slot / 32, std::uint64_t{1} << 2 * (slot % 32)};
  }

  int shift_;
  Uncleared<std::uint64_t> words_;
};

SeenTwice seen_in(std::span<const std::uint64_t> features, unsigned threads) {
  SeenTwice seen(features.size());
  const bool together = threads > 1 && threads * seen.bytes() > kOwnBytes;
  std::vector<SeenTwice> others(together ? 0 : threads - 1, seen);
  parallel_blocks(features.size(), 1 << 14, threads, [&](unsigned thread, std::size_t from, std::size_t to) {
    SeenTwice& mine = thread == 0 || together ? seen : others[thread - 1];
    for (auto i = from; i < to; ++i) {
      if (i + kAhead < to) mine.prepare(features[i + kAhead]);
      if (together) mine.see_together(features[i]);
      else mine.see(features[i]);
    }
  });
  parallel_blocks(others.empty() ? 0 : seen.words(), 1 << 14, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (const SeenTwice& other : others) seen.add(other, from, to);
  });
  return seen;
}

}  // namespace

WithoutSingles::WithoutSingles(const Postings& postings, unsigned threads) : offsets(postings.offsets.size(), 0) {
  const std::size_t contents = postings.moduli.size();
  const auto [least, most] = std::minmax_element(postings.moduli.begin(), postings.moduli.end());
  base = *least;
  levels = static_cast<std::uint32_t>(std::bit_width(*most / base));
  const SeenTwice seen = seen_in(postings.features, threads);
  sizes.assign(contents * levels, 0);
  Uncleared<std::uint8_t> stays(postings.features.size());
  parallel_blocks(contents, 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (auto row = from; row < to; ++row) {
      const List list = postings.list(static_cast<std::uint32_t>(row));
      const auto own = static_cast<std::uint32_t>(std::bit_width(postings.moduli[row] / base) - 1);
      measure_levels(list, own, base, std::span(sizes).subspan(row * levels, levels));
      std::uint8_t* const stay = stays.data() + postings.offsets[row];
      for (std::size_t i = 0; i < list.features.size(); ++i) {
        if (i + kAhead < list.features.size()) seen.prepare(list.features[i + kAhead]);
        offsets[row + 1] += stay[i] = seen.again(list.features[i]);
      }
    }
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  features.resize(offsets.back());
  weights.resize(postings.weights.empty() ? 0 : offsets.back());
  parallel_blocks(contents, 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (auto row = from; row < to; ++row) {
      const List list = postings.list(static_cast<std::uint32_t>(row));
      auto next = offsets[row];
      for (std::size_t i = 0; i < list.features.size(); ++i) {
        if (!stays[postings.offsets[row] + i]) continue;
        if (!weights.empty()) weights[next] = list.weights[i];
        features[next++] = list.features[i];
      }
    }
  });
}

Postings WithoutSingles::lists(const Postings& whole) const {
  Postings lists = whole;
  lists.offsets = offsets, lists.features = features, lists.weights = weights;
  return lists;
}

Bin WithoutSingles::bin() const {
  Bin bin;
  bin.sizes = sizes, bin.base = base, bin.levels = levels;
  return bin;
}

}  // namespace nearkin
