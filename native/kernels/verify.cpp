#include "verify.hpp"

#include <algorithm>

#include "parallel.hpp"
#include "radix.hpp"

namespace nearkin {
namespace {

using Shingled = std::vector<std::uint64_t>;

Shingled shingles_of(std::string_view text, const Roller& roller) {
  Shingled all(text.size() < roller.window() ? !text.empty() : text.size() - roller.window() + 1);
  roll(roller, text, [to = all.data()](std::size_t position, std::uint64_t f) { to[position] = f; });
  sort_features(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Two lists of like size: every step moves one or both on, without a branch to predict.
std::uint64_t common(const Shingled& x, const Shingled& y) {
  const std::uint64_t *i = x.data(), *j = y.data(), *const i_end = i + x.size(), *const j_end = j + y.size();
  std::uint64_t shared = 0;
  while (i < i_end && j < j_end) {
    const std::uint64_t f = *i, g = *j;
    shared += f == g;
    i += f <= g;
    j += g <= f;
  }
  return shared;
}

// A short list in a long one: shingles are uniform, so how far the next one stands from the last is known within a few
// places. Stops when more are missing than may be.
std::uint64_t common_in_longer(const Shingled& shorter, const Shingled& longer, std::uint64_t may_miss) {
  const std::size_t size = longer.size();
  std::uint64_t shared = 0, missed = 0, before = 0;
  std::size_t at = 0;
  for (const std::uint64_t f : shorter) {
    __extension__ using wide = unsigned __int128;
    at = std::min(size - 1, at + static_cast<std::size_t>(static_cast<wide>(f - before) * size >> 64));
    before = f;
    while (at > 0 && longer[at] > f) --at;
    while (at + 1 < size && longer[at] < f) ++at;
    if (longer[at] == f) {
      ++shared;
    } else if (++missed > may_miss) {
      return 0;
    }
  }
  return shared;
}

Measure measure(const Shingled& a, const Shingled& b, const Bounds& bounds) {
  const Shingled& shorter = a.size() <= b.size() ? a : b;
  const Shingled& longer = a.size() <= b.size() ? b : a;
  const auto small = static_cast<double>(shorter.size()), large = static_cast<double>(longer.size());
  std::uint64_t shared = 0;
  if (longer.size() < 8 * shorter.size()) {
    shared = common(shorter, longer);
  } else {
    // k reaches a bound only if k ≥ containment · |shorter|, or k ≥ resemblance · |longer| at the very least.
    const double least = std::min(bounds.containment * small, bounds.resemblance * large);
    const double may_miss = std::max(0.0, small - least) + 1.0;
    shared = common_in_longer(shorter, longer, static_cast<std::uint64_t>(may_miss));
  }
  return {shared, a.size(), b.size()};
}

}  // namespace

std::vector<Measure> verify(std::span<const std::string_view> texts, std::span<const Pair> pairs, const Roller& roller,
                            const Bounds& bounds, unsigned threads) {
  std::vector<char> wanted(texts.size(), 0);
  for (const auto& pair : pairs) wanted[pair.a] = wanted[pair.b] = 1;
  std::vector<Shingled> shingled(texts.size());
  parallel_blocks(texts.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t text = from; text < to; ++text)
      if (wanted[text]) shingled[text] = shingles_of(texts[text], roller);
  });
  std::vector<Measure> measures(pairs.size());
  parallel_blocks(pairs.size(), 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) measures[i] = measure(shingled[pairs[i].a], shingled[pairs[i].b], bounds);
  });
  return measures;
}

}  // namespace nearkin
