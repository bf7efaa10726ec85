#include "verify/verify.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "base/containers.hpp"
#include "base/parallel.hpp"
#include "base/sort.hpp"
#include "base/union_find.hpp"
#include "join/intersect.hpp"
#include "verify/numbered_shingles.hpp"
#include "verify/sieve.hpp"

namespace nearkin {
namespace {

using ShingleList = std::span<const std::uint64_t>;

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::size_t kLargeGroup = 256;  // texts; all threads work on such a group together

bool counts_bytes(const Shingler& shingler) {
  return shingler.unit() != Unit::byte && shingler.unit() != Unit::character;
}

std::size_t most_shingles(std::string_view text, const Shingler& shingler) {
  if (shingler.unit() != Unit::byte) return most_units(shingler.unit(), text.size());
  return text.size() < shingler.window() ? !text.empty() : text.size() - shingler.window() + 1;
}

// The memory of one thread, in which lists are made one after the other: fresh memory costs as much as the sorting.
struct Buffers {
  UninitVector<std::uint64_t> features;
  UninitVector<std::uint32_t> bytes;  // only where units have lengths
  std::optional<NumberedShingles> numbers;
  std::vector<std::string_view> texts;
};

class Lists {
 public:
  Lists(std::span<const std::string_view> texts, const Shingler& shingler, ShingleList ignored)
      : texts_(texts), shingler_(shingler), ignored_(ignored), lists_(texts.size()), bytes_(texts.size()) {}

  std::size_t room_for(std::size_t text) const { return most_shingles(texts_[text], shingler_); }

  void make(std::size_t text, Buffers& buffers, std::size_t at) {
    if (texts_[text].empty()) return;
    std::uint64_t* const to = buffers.features.data() + at;
    if (buffers.bytes.empty()) {
      lists_[text] = {to, fill(texts_[text], to)};
    } else {
      std::uint32_t* const bytes_to = buffers.bytes.data() + at;
      bytes_[text] = bytes_to;
      lists_[text] = {to, fill(texts_[text], to, bytes_to)};
    }
  }

  ShingleList operator[](std::size_t text) const { return lists_[text]; }
  const std::uint32_t* bytes(std::size_t text) const { return bytes_[text]; }

 private:
  struct Weighed {
    std::uint64_t feature;
    std::uint32_t bytes;
  };

  std::size_t fill(std::string_view text, std::uint64_t* to) const {
    std::size_t count = 0;
    if (shingler_.unit() == Unit::byte) {
      count = most_shingles(text, shingler_);
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
    return static_cast<std::size_t>(without_ignored(to, last, [](std::uint64_t f) { return f; }) - to);
  }

  static void sort(std::vector<Weighed>& items) {
    const auto less = [](const Weighed& x, const Weighed& y) {
      return x.feature != y.feature ? x.feature < y.feature : x.bytes < y.bytes;
    };
    sort_by_feature(items.data(), items.size(), [](const Weighed& x) { return x.feature; }, less);
  }

  // Drops the ignored features; both lists are sorted. Steps of growing length go through the ignored ones: templates
  // may be far longer than a text.
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

  std::size_t fill(std::string_view text, std::uint64_t* to, std::uint32_t* bytes_to) const {
    std::vector<Weighed> items;
    items.reserve(most_shingles(text, shingler_));  // a vector that grows would take three times as much
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
    for (std::size_t at = 0; at < items.size(); ++at) {
      to[at] = items[at].feature;
      bytes_to[at] = items[at].bytes;
    }
    return items.size();
  }

  std::span<const std::string_view> texts_;
  const Shingler& shingler_;
  ShingleList ignored_;
  std::vector<ShingleList> lists_;  // by text, while its group is processed
  std::vector<const std::uint32_t*> bytes_;
};

// Counts the features of a short list in a long one. Shingles are uniform, so the distance from one to the next is
// known within a few places. Stops when more are missing than allowed.
std::uint64_t common_in_longer(ShingleList shorter, ShingleList longer, std::uint64_t may_miss) {
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

// Returns the least overlap that may still reach a bound, one less for rounding: k ≥ c · |shorter| for containment,
// k ≥ r / (1 + r) · (|A| + |B|) for resemblance.
std::uint64_t fewest(std::size_t shorter, std::size_t longer, const Bounds& bounds) {
  const auto small = static_cast<double>(shorter), large = static_cast<double>(longer);
  const double least =
      std::min(bounds.containment * small, bounds.resemblance / (1.0 + bounds.resemblance) * (small + large));
  return least < 2.0 ? 0 : static_cast<std::uint64_t>(least) - 1;
}

std::uint64_t common(ShingleList a, ShingleList b, const Bounds& bounds) {
  const ShingleList shorter = a.size() <= b.size() ? a : b;
  const ShingleList longer = a.size() <= b.size() ? b : a;
  const std::uint64_t least = fewest(shorter.size(), longer.size(), bounds);
  if (shorter.empty() || least > shorter.size()) return 0;
  if (longer.size() < 8 * shorter.size()) return shared_features(shorter, longer, least);
  return common_in_longer(shorter, longer, shorter.size() - least);
}

// Adds the bytes in common where units are bytes or characters.
Measure with_bytes(Measure measure, const Pair& pair, std::span<const std::string_view> texts,
                   const Shingler& shingler) {
  const std::uint64_t shorter = std::min(texts[pair.a].size(), texts[pair.b].size());
  if (measure.shared > 0) measure.bytes = std::min<std::uint64_t>(measure.shared + shingler.window() - 1, shorter);
  return measure;
}

// Counts in rows of bits: to count all is cheaper than to see when a pair can be given up.
std::uint64_t common(const NumberedShingles& numbers, std::size_t a, std::size_t b, const Bounds& bounds) {
  const std::uint64_t shorter = std::min(numbers.size(a), numbers.size(b));
  const std::uint64_t longer = std::max(numbers.size(a), numbers.size(b));
  const std::uint64_t least = fewest(shorter, longer, bounds);
  if (least > shorter) return 0;
  const std::uint64_t shared = numbers.shared(a, b);
  return shared < least ? 0 : shared;
}

Measure measure(const Lists& lists, const Pair& pair, std::span<const std::string_view> texts, const Shingler& shingler,
                const Bounds& bounds) {
  const ShingleList a = lists[pair.a], b = lists[pair.b];
  if (!counts_bytes(shingler)) return with_bytes({common(a, b, bounds), a.size(), b.size(), 0}, pair, texts, shingler);
  Measure measure{0, a.size(), b.size(), 0};
  const std::uint32_t *bytes_a = lists.bytes(pair.a), *bytes_b = lists.bytes(pair.b);
  std::uint64_t in_a = 0, in_b = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t f = a[i], g = b[j];
    if (f == g) {
      ++measure.shared;
      in_a += bytes_a[i];
      in_b += bytes_b[j];
    }
    i += f <= g;
    j += g <= f;
  }
  measure.bytes = std::min(in_a, in_b);
  return measure;
}

// Texts that are connected by pairs, and these pairs.
struct Group {
  std::vector<std::uint32_t> texts, pairs;
};

// Divides texts and pairs into groups. A text in no pair is a group of its own.
std::vector<Group> groups_of(std::size_t all_texts, std::span<const Pair> all_pairs,
                             std::span<const std::uint32_t> texts, std::span<const std::uint32_t> pairs) {
  UnionFind sets(static_cast<std::uint32_t>(all_texts));
  for (const auto i : pairs) sets.join(all_pairs[i].a, all_pairs[i].b);
  const std::vector<std::uint32_t> label = std::move(sets).labels();
  std::vector<std::uint32_t> number(all_texts, kNone);
  std::vector<Group> groups;
  for (const auto text : texts) {
    std::uint32_t& group = number[label[text]];
    if (group == kNone) {
      group = static_cast<std::uint32_t>(groups.size());
      groups.emplace_back();
    }
    groups[group].texts.push_back(text);
  }
  for (const auto i : pairs) groups[number[label[all_pairs[i].a]]].pairs.push_back(i);
  return groups;
}

class Verifier {
 public:
  Verifier(std::span<const std::string_view> texts, std::span<const Pair> pairs, const Shingler& shingler,
           const Bounds& bounds, ShingleList ignored, unsigned threads)
      : texts_(texts),
        pairs_(pairs),
        shingler_(shingler),
        bounds_(bounds),
        threads_(std::max(1U, threads)),
        plain_(shingler.unit() == Unit::byte && !shingler.label() && ignored.empty()),
        lists_(texts, shingler, ignored),
        buffers_(threads_),
        place_(texts.size()),
        measures_(pairs.size()) {}

  UninitVector<Measure> run() {
    std::vector<std::uint8_t> in_pair(texts_.size(), 0);
    for (const auto& pair : pairs_) in_pair[pair.a] = in_pair[pair.b] = 1;
    std::vector<std::uint32_t> paired, all(pairs_.size());
    for (std::uint32_t text = 0; text < texts_.size(); ++text)
      if (in_pair[text]) paired.push_back(text);
    std::iota(all.begin(), all.end(), 0U);
    std::vector<Group> groups = groups_of(texts_.size(), pairs_, paired, all);
    each(groups, [&](Group& group) {
      if (!plain_) return by_lists(group, buffers_.front(), threads_);
      if (by_numbers(group, buffers_.front(), threads_)) return;
      split(group);
    });
    return std::move(measures_);
  }

 private:
  // Processes large groups on all threads, one by one, and small ones side by side.
  template <class Work>
  void each(std::span<Group> groups, Work&& with_large) {
    const auto small = std::partition(groups.begin(), groups.end(),
                                      [](const Group& group) { return group.texts.size() > kLargeGroup; });
    for (auto group = groups.begin(); group != small; ++group) with_large(*group);
    const auto first = static_cast<std::size_t>(small - groups.begin());
    parallel_blocks(groups.size() - first, 16, threads_, [&](unsigned thread, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) work(groups[first + i], buffers_[thread], 1);
    });
  }

  void work(const Group& group, Buffers& buffers, unsigned threads) {
    if (!plain_ || !by_numbers(group, buffers, threads)) by_lists(group, buffers, threads);
  }

  // Processes a large group of unlike texts without the pairs that cannot reach a bound: it falls into smaller groups.
  void split(const Group& group) {
    const std::vector<std::uint32_t> left =
        sieve(texts_, pairs_, group.pairs, shingler_.roller(), bounds_, threads_);
    std::vector<Group> groups = groups_of(texts_.size(), pairs_, group.texts, left);
    sizes_.resize(texts_.size());
    each(groups, [&](Group& large) { work(large, buffers_.front(), threads_); });
    auto next = left.begin();
    for (const auto i : group.pairs) {
      if (next != left.end() && *next == i) ++next;
      else measures_[i] = {0, sizes_[pairs_[i].a], sizes_[pairs_[i].b], 0};
    }
  }

  bool by_numbers(const Group& group, Buffers& buffers, unsigned threads) {
    buffers.texts.clear();
    for (const auto text : group.texts) {
      place_[text] = static_cast<std::uint32_t>(buffers.texts.size());
      buffers.texts.push_back(texts_[text]);
    }
    if (!buffers.numbers) buffers.numbers.emplace(shingler_.roller());
    if (!buffers.numbers->assign(buffers.texts)) return false;
    const NumberedShingles& numbers = *buffers.numbers;
    if (!sizes_.empty())
      for (const auto text : group.texts) sizes_[text] = numbers.size(place_[text]);
    parallel_blocks(group.pairs.size(), 1024, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const Pair pair = pairs_[group.pairs[i]];
        const std::uint32_t a = place_[pair.a], b = place_[pair.b];
        const Measure measure{common(numbers, a, b, bounds_), numbers.size(a), numbers.size(b), 0};
        measures_[group.pairs[i]] = with_bytes(measure, pair, texts_, shingler_);
      }
    });
    return true;
  }

  void by_lists(const Group& group, Buffers& buffers, unsigned threads) {
    std::vector<std::size_t> at(group.texts.size() + 1, 0);
    for (std::size_t i = 0; i < group.texts.size(); ++i) at[i + 1] = at[i] + lists_.room_for(group.texts[i]);
    buffers.features.clear();  // otherwise resizing would copy the old items
    buffers.features.resize(at.back());
    if (counts_bytes(shingler_)) buffers.bytes.resize(at.back());
    parallel_blocks(group.texts.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) lists_.make(group.texts[i], buffers, at[i]);
    });
    if (!sizes_.empty())
      for (const auto text : group.texts) sizes_[text] = lists_[text].size();
    parallel_blocks(group.pairs.size(), 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i)
        measures_[group.pairs[i]] = measure(lists_, pairs_[group.pairs[i]], texts_, shingler_, bounds_);
    });
  }

  std::span<const std::string_view> texts_;
  std::span<const Pair> pairs_;
  const Shingler& shingler_;
  const Bounds& bounds_;
  unsigned threads_;
  bool plain_;  // shingles are of bytes, and all of them count
  Lists lists_;
  std::vector<Buffers> buffers_;      // by thread
  std::vector<std::uint32_t> place_;  // by text: its place in its group
  std::vector<std::uint64_t> sizes_;  // by text, where pairs that were given up need them
  UninitVector<Measure> measures_;
};

}  // namespace

UninitVector<Measure> verify(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                          const Shingler& shingler, const Bounds& bounds, std::span<const std::uint64_t> ignored,
                          unsigned threads) {
  return Verifier(texts, pairs, shingler, bounds, ignored, threads).run();
}

namespace {

void list_slice(const Shingler& shingler, std::string_view text, std::span<const std::uint64_t> ignored,
                std::uint64_t slice, std::uint64_t slices, std::vector<std::uint64_t>& out) {
  __extension__ using wide = unsigned __int128;
  out.clear();
  out.reserve(text.size() / slices + text.size() / slices / 16 + 64);
  roll(shingler.roller(), text, [&](std::size_t, std::uint64_t f) {
    if (static_cast<std::uint64_t>(static_cast<wide>(f) * slices >> 64) == slice) out.push_back(f);
  });
  // Their upper bits are equal. Multiplied by the slices and cut to 64 bits, they are uniform again and in the same
  // order.
  sort_by_feature(out.data(), out.size(), [=](std::uint64_t f) { return f * slices; }, std::less<>());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (!ignored.empty())
    std::erase_if(out, [&](std::uint64_t f) { return std::binary_search(ignored.begin(), ignored.end(), f); });
}

}  // namespace

Measure measure_long(std::string_view a, std::string_view b, const Shingler& shingler,
                     std::span<const std::uint64_t> ignored, std::uint64_t slices) {
  Measure measure{0, 0, 0, 0};
  std::vector<std::uint64_t> of_a, of_b;
  for (std::uint64_t slice = 0; slice < slices; ++slice) {
    list_slice(shingler, a, ignored, slice, slices, of_a);
    list_slice(shingler, b, ignored, slice, slices, of_b);
    measure.size_a += of_a.size();
    measure.size_b += of_b.size();
    measure.shared += shared_features(of_a, of_b, 0);
  }
  if (measure.shared > 0)
    measure.bytes = std::min<std::uint64_t>(measure.shared + shingler.window() - 1, std::min(a.size(), b.size()));
  return measure;
}

}  // namespace nearkin
