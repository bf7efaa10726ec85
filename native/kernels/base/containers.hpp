// One bit for each of many things, the first in the highest bit of the first byte, as NumPy packs them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nearkin {

inline void set_bits(std::span<std::uint8_t> bits, std::size_t from, std::size_t to) {
  while (from < to && from % 8) bits[from / 8] |= 0x80 >> from % 8, ++from;
  if (from < to) std::memset(bits.data() + from / 8, 0xff, (to - from) / 8);
  for (from += (to - from) / 8 * 8; from < to; ++from) bits[from / 8] |= 0x80 >> from % 8;
}

// 64 of them from a multiple of 64 on, the first in the highest bit; those that are not there are not set.
inline std::uint64_t sixty_four(std::span<const std::uint8_t> bits, std::size_t from) {
  std::uint64_t some = 0;
  const auto many = std::min<std::size_t>(8, bits.size() - std::min(bits.size(), from / 8));
  for (std::size_t i = 0; i < many; ++i) some |= std::uint64_t{bits[from / 8 + i]} << (56 - 8 * i);
  return some;
}

// The first at or after `from` that is set, or not set; `count` if none of so many is.
inline std::size_t next_bit(std::span<const std::uint8_t> bits, std::size_t count, std::size_t from, bool set) {
  while (from < count) {
    auto some = sixty_four(bits, from / 64 * 64);
    if (!set) some = ~some;
    some &= ~std::uint64_t{0} >> from % 64;
    if (some) return std::min(count, from / 64 * 64 + static_cast<std::size_t>(std::countl_zero(some)));
    from = from / 64 * 64 + 64;
  }
  return count;
}

// Calls visit(from, to) for each run of set ones among so many.
template <class Visit>
void each_run(std::span<const std::uint8_t> bits, std::size_t count, Visit&& visit) {
  for (std::size_t from = 0; (from = next_bit(bits, count, from, true)) < count;) {
    const auto to = next_bit(bits, count, from, false);
    visit(from, to);
    from = to;
  }
}

// A hash map whose entries lie side by side, in the order in which they came. std::unordered_map allocates each by itself,
// and a key that is not there costs it two visits to far memory: for the digests of a scan three times the time.

// `Hash` gives numbers whose bits are all as good as dice: digests are. Nothing is ever removed.
template <class Key, class Value, class Hash>
class FlatMap {
 public:
  std::size_t size() const { return entries_.size(); }

  const Value* find(const Key& key) const {
    if (entries_.empty()) return nullptr;
    const Slot& slot = slots_[place(key, Hash{}(key))];
    return slot.entry == kFree ? nullptr : &entries_[slot.entry].second;
  }
  Value* find(const Key& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  // The value of this key, and whether it is this one: it is not where there was one already.
  std::pair<Value*, bool> emplace(const Key& key, Value value) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const std::uint64_t hash = Hash{}(key);
    Slot& slot = slots_[place(key, hash)];
    const bool is_new = slot.entry == kFree;
    if (is_new) {
      entries_.emplace_back(key, std::move(value));
      slot = {tag(hash), static_cast<std::uint32_t>(entries_.size() - 1)};
    }
    return {&entries_[slot.entry].second, is_new};
  }

  Value& operator[](const Key& key) { return *emplace(key, Value{}).first; }

  void swap(FlatMap& other) {
    slots_.swap(other.slots_);
    entries_.swap(other.entries_);
  }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t entry = kFree;
  };

  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  // Where it is, or would be.
  std::size_t place(const Key& key, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.entry == kFree || (slot.tag == tag(hash) && entries_[slot.entry].first == key)) return at;
    }
  }

  void grow() {
    if (entries_.size() >= kFree / 2) throw std::length_error("more entries than a map has room for");
    std::vector<Slot> slots(std::max<std::size_t>(64, slots_.size() * 2));
    const std::size_t mask = slots.size() - 1;
    for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
      const std::uint64_t hash = Hash{}(entries_[entry].first);
      std::size_t at = hash & mask;
      while (slots[at].entry != kFree) at = (at + 1) & mask;
      slots[at] = {tag(hash), entry};
    }
    slots_.swap(slots);
  }

  std::vector<Slot> slots_;  // a power of two, at least half of them free
  std::vector<std::pair<Key, Value>> entries_;
};

// Memory given back at once. `values = {}` only empties a vector: that assigns a list of nothing, and keeps the room.

template <class... Values>
void let_go(Values&... values) {
  (Values().swap(values), ...);
}

// Large arrays that nobody clears before they are written: what is not given a value has none.
//
// Pages of 2 MB were tried for them (madvise): fewer faults, but on a virtual machine whose host gives memory when it is
// first touched clearing them took longer than all the faults.

template <class Item>
struct NoClearing : std::allocator<Item> {
  template <class Other>
  struct rebind {
    using other = NoClearing<Other>;
  };

  template <class Other>
  void construct(Other* at) {
    ::new (static_cast<void*>(at)) Other;
  }
  template <class Other, class... Given>
  void construct(Other* at, Given&&... given) {
    std::construct_at(at, std::forward<Given>(given)...);
  }
};

template <class Item>
using Uncleared = std::vector<Item, NoClearing<Item>>;

}  // namespace nearkin
