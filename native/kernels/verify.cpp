#include "verify.hpp"

#include <algorithm>
#include <memory>

#include "parallel.hpp"
#include "radix.hpp"

namespace nearkin {
namespace {

using Shingled = std::span<const std::uint64_t>;

std::size_t windows_of(std::string_view text, const Roller& roller) {
  return text.size() < roller.window() ? !text.empty() : text.size() - roller.window() + 1;
}

// All lists lie in one piece of memory that nobody clears before it is written.
class Lists {
 public:
  Lists(std::span<const std::string_view> texts, const std::vector<char>& wanted, const Roller& roller)
      : begin_(texts.size() + 1, 0), size_(texts.size(), 0) {
    for (std::size_t i = 0; i < texts.size(); ++i)
      begin_[i + 1] = begin_[i] + (wanted[i] ? windows_of(texts[i], roller) : 0);
    all_ = std::make_unique_for_overwrite<std::uint64_t[]>(begin_.back());
  }

  void fill(std::size_t i, std::string_view text, const Roller& roller) {
    std::uint64_t* const to = all_.get() + begin_[i];
    const std::size_t count = begin_[i + 1] - begin_[i];
    if (count == 0) return;
    roll(roller, text, [to](std::size_t position, std::uint64_t f) { to[position] = f; });
    sort_features(to, count);
    size_[i] = static_cast<std::size_t>(std::unique(to, to + count) - to);
  }

  Shingled operator[](std::size_t i) const { return {all_.get() + begin_[i], size_[i]}; }

 private:
  std::vector<std::size_t> begin_, size_;
  std::unique_ptr<std::uint64_t[]> all_;
};

// Two lists of like size: every step moves one or both on, without a branch to predict.
std::uint64_t common(Shingled x, Shingled y) {
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
std::uint64_t common_in_longer(Shingled shorter, Shingled longer, std::uint64_t may_miss) {
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

Measure measure(Shingled a, Shingled b, const Bounds& bounds) {
  const Shingled shorter = a.size() <= b.size() ? a : b;
  const Shingled longer = a.size() <= b.size() ? b : a;
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
  Lists shingled(texts, wanted, roller);
  parallel_blocks(texts.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t text = from; text < to; ++text) shingled.fill(text, texts[text], roller);
  });
  std::vector<Measure> measures(pairs.size());
  parallel_blocks(pairs.size(), 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) measures[i] = measure(shingled[pairs[i].a], shingled[pairs[i].b], bounds);
  });
  return measures;
}

}  // namespace nearkin
