#include "verify.hpp"

#include <algorithm>
#include <memory>

#include "parallel.hpp"
#include "radix.hpp"

namespace nearkin {
namespace {

using Shingled = std::span<const std::uint64_t>;

bool counts_bytes(const Shingler& shingler) {
  return shingler.unit() != Unit::byte && shingler.unit() != Unit::character;
}

std::size_t most_shingles(std::string_view text, const Shingler& shingler) {
  if (shingler.unit() != Unit::byte) return most_units(shingler.unit(), text.size());
  return text.size() < shingler.window() ? !text.empty() : text.size() - shingler.window() + 1;
}

// All lists lie in one piece of memory that nobody clears before it is written.
class Lists {
 public:
  Lists(std::span<const std::string_view> texts, const std::vector<char>& wanted, const Shingler& shingler,
        Shingled ignored)
      : shingler_(shingler), ignored_(ignored), begin_(texts.size() + 1, 0), size_(texts.size(), 0) {
    for (std::size_t i = 0; i < texts.size(); ++i)
      begin_[i + 1] = begin_[i] + (wanted[i] ? most_shingles(texts[i], shingler) : 0);
    all_ = std::make_unique_for_overwrite<std::uint64_t[]>(begin_.back());
    if (counts_bytes(shingler)) bytes_ = std::make_unique_for_overwrite<std::uint32_t[]>(begin_.back());
  }

  void fill(std::size_t i, std::string_view text) {
    if (begin_[i + 1] == begin_[i]) return;
    if (bytes_) return fill_with_bytes(i, text);
    std::uint64_t* const to = all_.get() + begin_[i];
    std::size_t count = 0;
    if (shingler_.unit() == Unit::byte) {
      count = begin_[i + 1] - begin_[i];
      roll(shingler_.roller(), text, [to](std::size_t position, std::uint64_t f) { to[position] = f; });
    } else {
      shingler_.each(text, [&](std::uint64_t f, std::size_t, std::size_t) { to[count++] = f; });
    }
    sort_features(to, count);
    if (shingler_.label()) {
      label_sorted(to, count);
      sort_features(to, count);
    }
    std::uint64_t* const last = std::unique(to, to + count);
    size_[i] = static_cast<std::size_t>(without_ignored(to, last, [](std::uint64_t f) { return f; }) - to);
  }

  Shingled operator[](std::size_t i) const { return {all_.get() + begin_[i], size_[i]}; }
  const std::uint32_t* bytes(std::size_t i) const { return bytes_.get() + begin_[i]; }

 private:
  struct Weighed {
    std::uint64_t feature;
    std::uint32_t bytes;
  };

  static void sort(std::vector<Weighed>& items) {
    const auto less = [](const Weighed& x, const Weighed& y) {
      return x.feature != y.feature ? x.feature < y.feature : x.bytes < y.bytes;
    };
    sort_by_feature(items.data(), items.size(), [](const Weighed& x) { return x.feature; }, less);
  }

  // Both are sorted. Steps of growing length through the ignored ones: templates may be far longer than a text.
  template <class Iterator, class Feature>
  Iterator without_ignored(Iterator from, Iterator to, Feature&& feature) const {
    if (ignored_.empty()) return to;
    auto at = ignored_.begin();
    Iterator kept = from;
    for (; from != to; ++from) {
      const std::uint64_t f = feature(*from);
      std::ptrdiff_t step = 1;
      while (ignored_.end() - at > step && at[step] < f) {
        at += step;
        step *= 2;
      }
      at = std::lower_bound(at, ignored_.end() - at > step ? at + step + 1 : ignored_.end(), f);
      if (at == ignored_.end() || *at != f) *kept++ = *from;
    }
    return kept;
  }

  void fill_with_bytes(std::size_t i, std::string_view text) {
    std::vector<Weighed> items;
    shingler_.each(text, [&](std::uint64_t f, std::size_t, std::size_t bytes) {
      items.push_back({f, static_cast<std::uint32_t>(std::min<std::size_t>(bytes, ~std::uint32_t{0}))});
    });
    sort(items);
    if (shingler_.label()) {
      std::uint64_t before = 0, occurrence = 0;
      for (auto& item : items) {
        occurrence = occurrence != 0 && item.feature == before ? occurrence + 1 : 1;
        before = item.feature;
        item.feature = labelled(before, occurrence);
      }
      sort(items);
    }
    const auto last = std::unique(items.begin(), items.end(),
                                  [](const Weighed& x, const Weighed& y) { return x.feature == y.feature; });
    items.erase(without_ignored(items.begin(), last, [](const Weighed& x) { return x.feature; }), items.end());
    size_[i] = items.size();
    for (std::size_t at = 0; at < items.size(); ++at) {
      all_[begin_[i] + at] = items[at].feature;
      bytes_[begin_[i] + at] = items[at].bytes;
    }
  }

  const Shingler& shingler_;
  Shingled ignored_;
  std::vector<std::size_t> begin_, size_;
  std::unique_ptr<std::uint64_t[]> all_;
  std::unique_ptr<std::uint32_t[]> bytes_;  // only where units have lengths
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

std::uint64_t common(Shingled a, Shingled b, const Bounds& bounds) {
  const Shingled shorter = a.size() <= b.size() ? a : b;
  const Shingled longer = a.size() <= b.size() ? b : a;
  const auto small = static_cast<double>(shorter.size()), large = static_cast<double>(longer.size());
  if (longer.size() < 8 * shorter.size()) return common(shorter, longer);
  if (shorter.empty()) return 0;
  // k reaches a bound only if k ≥ containment · |shorter|, or k ≥ resemblance · |longer| at the very least.
  const double least = std::min(bounds.containment * small, bounds.resemblance * large);
  const double may_miss = std::max(0.0, small - least) + 1.0;
  return common_in_longer(shorter, longer, static_cast<std::uint64_t>(may_miss));
}

Measure measure(const Lists& lists, const Pair& pair, std::span<const std::string_view> texts, const Shingler& shingler,
                const Bounds& bounds) {
  const Shingled a = lists[pair.a], b = lists[pair.b];
  Measure found{0, a.size(), b.size(), 0};
  if (!counts_bytes(shingler)) {
    found.shared = common(a, b, bounds);
    const std::uint64_t shorter = std::min(texts[pair.a].size(), texts[pair.b].size());
    if (found.shared > 0) found.bytes = std::min<std::uint64_t>(found.shared + shingler.window() - 1, shorter);
    return found;
  }
  const std::uint32_t *bytes_a = lists.bytes(pair.a), *bytes_b = lists.bytes(pair.b);
  std::uint64_t in_a = 0, in_b = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t f = a[i], g = b[j];
    if (f == g) {
      ++found.shared;
      in_a += bytes_a[i];
      in_b += bytes_b[j];
    }
    i += f <= g;
    j += g <= f;
  }
  found.bytes = std::min(in_a, in_b);
  return found;
}

}  // namespace

std::vector<Measure> verify(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                            const Shingler& shingler, const Bounds& bounds, std::span<const std::uint64_t> ignored,
                            unsigned threads) {
  std::vector<char> wanted(texts.size(), 0);
  for (const auto& pair : pairs) wanted[pair.a] = wanted[pair.b] = 1;
  Lists shingled(texts, wanted, shingler, ignored);
  parallel_blocks(texts.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t text = from; text < to; ++text) shingled.fill(text, texts[text]);
  });
  std::vector<Measure> measures(pairs.size());
  parallel_blocks(pairs.size(), 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) measures[i] = measure(shingled, pairs[i], texts, shingler, bounds);
  });
  return measures;
}

}  // namespace nearkin
