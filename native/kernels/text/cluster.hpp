// Canonical order and composition of a few code points (Unicode 16 §3.11), with where each came from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "text/unicode.hpp"

namespace nearkin {

struct Item {
  char32_t code;
  std::uint8_t order;
  std::uint64_t origin;
};

// Canonical order: marks sorted by class, those of equal class as they were. All take their starter's origin.
inline void put_in_order(std::vector<Item>& items) {
  const auto earlier = [](const Item& a, const Item& b) { return a.order < b.order; };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].order == 0) continue;
    std::size_t end = i;
    while (end < items.size() && items[end].order != 0) ++end;
    if (end - i > 16) {
      std::stable_sort(items.begin() + i, items.begin() + end, earlier);
    } else {  // by insertion: the library's sort would allocate
      for (std::size_t j = i + 1; j < end; ++j) {
        for (std::size_t k = j; k > i && earlier(items[k], items[k - 1]); --k) std::swap(items[k], items[k - 1]);
      }
    }
    for (; i < end; ++i) {
      if (i > 0) items[i].origin = items[i - 1].origin;
    }
  }
}

// Canonical composition (Unicode 16 §3.11, D117).
inline void compose_in_place(std::vector<Item>& items) {
  std::size_t kept = 0, starter = items.size();
  std::uint8_t last_order = 0;
  for (const Item item : items) {
    if (starter < items.size() && (last_order == 0 || last_order < item.order)) {
      if (const char32_t whole = unicode::compose(items[starter].code, item.code); whole != 0) {
        items[starter].code = whole;
        continue;
      }
    }
    if (item.order == 0) starter = kept;
    last_order = item.order;
    items[kept++] = item;
  }
  items.resize(kept);
}

}  // namespace nearkin
