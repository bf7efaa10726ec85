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

using Shingled = std::span<const std::uint64_t>;

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::size_t kMany = 256;  // texts that all threads work on together

bool counts_bytes(const Shingler& shingler) {
  return shingler.unit() != Unit::byte && shingler.unit() != Unit::character;
}

std::size_t most_shingles(std::string_view text, const Shingler& shingler) {
  if (shingler.unit() != Unit::byte) return most_units(shingler.unit(), text.size());
  return text.size() < shingler.window() ? !text.empty() : text.size() - shingler.window() + 1;
}

// Where lists are made, one after the other. It is used again and again: fresh memory costs as much as the sorting.
struct Room {
  UninitVector<std::uint64_t> features;
  UninitVector<std::uint32_t> bytes;  // only where units have lengths
  std::optional<NumberedShingles> numbers;
  std::vector<std::string_view> texts;
};

class Lists {
 public:
  Lists(std::span<const std::string_view> texts, const Shingler& shingler, Shingled ignored)
      : texts_(texts), shingler_(shingler), ignored_(ignored), lists_(texts.size()), bytes_(texts.size()) {}

  std::size_t room_for(std::size_t text) const { return most_shingles(texts_[text], shingler_); }

  void make(std::size_t text, Room& room, std::size_t at) {
    if (texts_[text].empty()) return;
    std::uint64_t* const to = room.features.data() + at;
    if (room.bytes.empty()) {
      lists_[text] = {to, fill(texts_[text], to)};
    } else {
      std::uint32_t* const bytes_to = room.bytes.data() + at;
      bytes_[text] = bytes_to;
      lists_[text] = {to, fill(texts_[text], to, bytes_to)};
    }
  }

  Shingled operator[](std::size_t text) const { return lists_[text]; }
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

  std::size_t fill(std::string_view text, std::uint64_t* to, std::uint32_t* bytes_to) const {
    std::vector<Weighed> items;
    items.reserve(most_shingles(text, shingler_));  // grown by doubling, it would take three times as much
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
  Shingled ignored_;
  std::vector<Shingled> lists_;  // by text, while its group is at work
  std::vector<const std::uint32_t*> bytes_;
};

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

// The fewest in common with which a bound may still be reached, one less for rounding: k ≥ c · |shorter| for
// containment, k ≥ r / (1 + r) · (|A| + |B|) for resemblance.
std::uint64_t fewest(std::size_t shorter, std::size_t longer, const Bounds& bounds) {
  const auto small = static_cast<double>(shorter), large = static_cast<double>(longer);
  const double least =
      std::min(bounds.containment * small, bounds.resemblance / (1.0 + bounds.resemblance) * (small + large));
  return least < 2.0 ? 0 : static_cast<std::uint64_t>(least) - 1;
}

std::uint64_t common(Shingled a, Shingled b, const Bounds& bounds) {
  const Shingled shorter = a.size() <= b.size() ? a : b;
  const Shingled longer = a.size() <= b.size() ? b : a;
  const std::uint64_t least = fewest(shorter.size(), longer.size(), bounds);
  if (shorter.empty() || least > shorter.size()) return 0;
  if (longer.size() < 8 * shorter.size()) return in_common(shorter, longer, least);
  return common_in_longer(shorter, longer, shorter.size() - least);
}

// Where units are bytes or characters.
Measure covering(Measure found, const Pair& pair, std::span<const std::string_view> texts, const Shingler& shingler) {
  const std::uint64_t shorter = std::min(texts[pair.a].size(), texts[pair.b].size());
  if (found.shared > 0) found.bytes = std::min<std::uint64_t>(found.shared + shingler.window() - 1, shorter);
  return found;
}

// By rows of bits: it is cheaper to count them all than to see when a pair can be given up.
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
  const Shingled a = lists[pair.a], b = lists[pair.b];
  if (!counts_bytes(shingler)) return covering({common(a, b, bounds), a.size(), b.size(), 0}, pair, texts, shingler);
  Measure found{0, a.size(), b.size(), 0};
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

// Texts that hang together by pairs, and these pairs.
struct Group {
  std::vector<std::uint32_t> texts, pairs;
};

// Of these texts and pairs. A text that is in no pair is a group of its own.
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
           const Bounds& bounds, Shingled ignored, unsigned threads)
      : texts_(texts),
        pairs_(pairs),
        shingler_(shingler),
        bounds_(bounds),
        threads_(std::max(1U, threads)),
        plain_(shingler.unit() == Unit::byte && !shingler.label() && ignored.empty()),
        lists_(texts, shingler, ignored),
        rooms_(threads_),
        place_(texts.size()),
        measures_(pairs.size()) {}

  UninitVector<Measure> run() {
    std::vector<std::uint8_t> named(texts_.size(), 0);
    for (const auto& pair : pairs_) named[pair.a] = named[pair.b] = 1;
    std::vector<std::uint32_t> in_pairs, all(pairs_.size());
    for (std::uint32_t text = 0; text < texts_.size(); ++text)
      if (named[text]) in_pairs.push_back(text);
    std::iota(all.begin(), all.end(), 0U);
    std::vector<Group> groups = groups_of(texts_.size(), pairs_, in_pairs, all);
    each(groups, [&](Group& group) {
      if (!plain_) return by_lists(group, rooms_.front(), threads_);
      if (by_numbers(group, rooms_.front(), threads_)) return;
      fall_apart(group);
    });
    return std::move(measures_);
  }

 private:
  // Large groups on all threads, one by one; small ones side by side.
  template <class Work>
  void each(std::span<Group> groups, Work&& with_large) {
    const auto small = std::partition(groups.begin(), groups.end(), [](const Group& one) { return one.texts.size() > kMany; });
    for (auto group = groups.begin(); group != small; ++group) with_large(*group);
    const auto first = static_cast<std::size_t>(small - groups.begin());
    parallel_blocks(groups.size() - first, 16, threads_, [&](unsigned thread, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) work(groups[first + i], rooms_[thread], 1);
    });
  }

  void work(const Group& group, Room& room, unsigned threads) {
    if (!plain_ || !by_numbers(group, room, threads)) by_lists(group, room, threads);
  }

  // A large group of unlike texts, without the pairs that can come to nothing.
  void fall_apart(const Group& group) {
    const std::vector<std::uint32_t> left =
        sieve(texts_, pairs_, group.pairs, shingler_.roller(), bounds_, threads_);
    std::vector<Group> groups = groups_of(texts_.size(), pairs_, group.texts, left);
    sizes_.resize(texts_.size());
    each(groups, [&](Group& large) { work(large, rooms_.front(), threads_); });
    auto next = left.begin();
    for (const auto i : group.pairs) {
      if (next != left.end() && *next == i) ++next;
      else measures_[i] = {0, sizes_[pairs_[i].a], sizes_[pairs_[i].b], 0};
    }
  }

  bool by_numbers(const Group& group, Room& room, unsigned threads) {
    room.texts.clear();
    for (const auto text : group.texts) {
      place_[text] = static_cast<std::uint32_t>(room.texts.size());
      room.texts.push_back(texts_[text]);
    }
    if (!room.numbers) room.numbers.emplace(shingler_.roller());
    if (!room.numbers->take(room.texts)) return false;
    const NumberedShingles& numbers = *room.numbers;
    if (!sizes_.empty())
      for (const auto text : group.texts) sizes_[text] = numbers.size(place_[text]);
    parallel_blocks(group.pairs.size(), 1024, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const Pair pair = pairs_[group.pairs[i]];
        const std::uint32_t a = place_[pair.a], b = place_[pair.b];
        const Measure found{common(numbers, a, b, bounds_), numbers.size(a), numbers.size(b), 0};
        measures_[group.pairs[i]] = covering(found, pair, texts_, shingler_);
      }
    });
    return true;
  }

  void by_lists(const Group& group, Room& room, unsigned threads) {
    std::vector<std::size_t> at(group.texts.size() + 1, 0);
    for (std::size_t i = 0; i < group.texts.size(); ++i) at[i + 1] = at[i] + lists_.room_for(group.texts[i]);
    room.features.clear();  // else it would be carried over to where there is more room
    room.features.resize(at.back());
    if (counts_bytes(shingler_)) room.bytes.resize(at.back());
    parallel_blocks(group.texts.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) lists_.make(group.texts[i], room, at[i]);
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
  bool plain_;  // shingles are of bytes, and all count
  Lists lists_;
  std::vector<Room> rooms_;           // by thread
  std::vector<std::uint32_t> place_;  // by text: in its group
  std::vector<std::uint64_t> sizes_;  // by text, where pairs that were given up want them
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
  // Their upper bits are alike. Times the slices, cut to 64 bits, they are uniform again and in the same order.
  sort_by_feature(out.data(), out.size(), [=](std::uint64_t f) { return f * slices; }, std::less<>());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (!ignored.empty())
    std::erase_if(out, [&](std::uint64_t f) { return std::binary_search(ignored.begin(), ignored.end(), f); });
}

}  // namespace

Measure measure_long(std::string_view a, std::string_view b, const Shingler& shingler,
                     std::span<const std::uint64_t> ignored, std::uint64_t slices) {
  Measure found{0, 0, 0, 0};
  std::vector<std::uint64_t> of_a, of_b;
  for (std::uint64_t slice = 0; slice < slices; ++slice) {
    list_slice(shingler, a, ignored, slice, slices, of_a);
    list_slice(shingler, b, ignored, slice, slices, of_b);
    found.size_a += of_a.size();
    found.size_b += of_b.size();
    found.shared += in_common(of_a, of_b, 0);
  }
  if (found.shared > 0)
    found.bytes = std::min<std::uint64_t>(found.shared + shingler.window() - 1, std::min(a.size(), b.size()));
  return found;
}

}  // namespace nearkin
