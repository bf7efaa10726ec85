// Radix sort by 64-bit features. Features are uniform in their high bits, so two counting passes over these put nearly
// every item in place, and an insertion pass mends the rest. No step waits for a comparison that cannot be predicted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace nearkin {

namespace radix {

inline constexpr std::size_t kKeep = std::size_t{1} << 18;

template <int kDigit>
using Counts = std::array<std::uint32_t, std::size_t{1} << kDigit>;

// Turns counts into the positions at which each digit's items begin.
template <int kDigit>
void sum_up(Counts<kDigit>& counts) {
  std::uint32_t start = 0;
  for (auto& count : counts) start += std::exchange(count, start);
}

// Sorts by insertion. Returns false if the items are less uniform than promised and sorting takes too long.
template <class Item, class Less>
bool mend(Item* items, std::size_t count, Less&& less) {
  std::size_t budget = 8 * count;
  for (std::size_t i = 1; i < count; ++i) {
    if (!less(items[i], items[i - 1])) continue;
    const Item item = items[i];
    std::size_t hole = i;
    for (; hole > 0 && less(item, items[hole - 1]); --hole) {
      if (budget-- == 0) return items[hole] = item, false;
      items[hole] = items[hole - 1];
    }
    items[hole] = item;
  }
  return true;
}

template <int kDigit, class Item, class Key>
void two_passes(Item* items, std::size_t count, unsigned bits, Key&& key) {
  // The buffer is kept between calls unless it is large: fresh memory for every list costs more than the sorting.
  static thread_local std::vector<Item> kept;
  std::vector<Item> large;
  std::vector<Item>& buffer = count <= kKeep ? kept : large;
  if (buffer.size() < count) buffer.resize(count);
  const int high = std::max(static_cast<int>(bits), 2 * kDigit) - kDigit, low = high - kDigit;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kDigit) - 1;
  Counts<kDigit> lows{}, highs{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = key(items[i]);
    ++lows[value >> low & kMask];
    ++highs[value >> high & kMask];
  }
  sum_up<kDigit>(lows);
  sum_up<kDigit>(highs);
  for (std::size_t i = 0; i < count; ++i) buffer[lows[key(items[i]) >> low & kMask]++] = items[i];
  for (std::size_t i = 0; i < count; ++i) items[highs[key(buffer[i]) >> high & kMask]++] = buffer[i];
}

}  // namespace radix

// Sorts items by feature. `key` returns an item's feature, below 2^bits; `less` must order by feature first.
template <class Item, class Key, class Less>
void sort_by_feature(Item* items, std::size_t count, Key&& key, Less&& less, unsigned bits = 64) {
  if (count < 48 || count > (std::size_t{1} << 26)) {
    std::sort(items, items + count, less);
    return;
  }
  if (count < 1024) radix::two_passes<7>(items, count, bits, key);
  else if (count < 16384) radix::two_passes<9>(items, count, bits, key);
  else radix::two_passes<11>(items, count, bits, key);
  if (!radix::mend(items, count, less)) std::sort(items, items + count, less);
}

inline void sort_features(std::uint64_t* features, std::size_t count, unsigned bits = 64) {
  sort_by_feature(features, count, [](std::uint64_t f) { return f; }, std::less<>(), bits);
}

}  // namespace nearkin
