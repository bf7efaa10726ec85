// Containers the standard library lacks: bit sets packed as NumPy packs them, a flat hash map, and vectors whose items
// start uninitialized.
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

// Sets the bits from `from` to before `to`. Bit sets keep the first bit in the highest bit of the first byte.
inline void set_bits(std::span<std::uint8_t> bits, std::size_t from, std::size_t to) {
  while (from < to && from % 8) bits[from / 8] |= 0x80 >> from % 8, ++from;
  if (from < to) std::memset(bits.data() + from / 8, 0xff, (to - from) / 8);
  for (from += (to - from) / 8 * 8; from < to; ++from) bits[from / 8] |= 0x80 >> from % 8;
}

// Returns 64 bits from a multiple of 64 on, the first in the highest bit. Bits past the end are not set.
inline std::uint64_t word_of_bits(std::span<const std::uint8_t> bits, std::size_t from) {
  std::uint64_t word = 0;
  const auto bytes = std::min<std::size_t>(8, bits.size() - std::min(bits.size(), from / 8));
  for (std::size_t i = 0; i < bytes; ++i) word |= std::uint64_t{bits[from / 8 + i]} << (56 - 8 * i);
  return word;
}

// Returns the first bit at or after `from` that has the value `set`, or `count` where none of the `count` bits has.
inline std::size_t next_bit(std::span<const std::uint8_t> bits, std::size_t count, std::size_t from, bool set) {
  while (from < count) {
    auto word = word_of_bits(bits, from / 64 * 64);
    if (!set) word = ~word;
    word &= ~std::uint64_t{0} >> from % 64;
    if (word) return std::min(count, from / 64 * 64 + static_cast<std::size_t>(std::countl_zero(word)));
    from = from / 64 * 64 + 64;
  }
  return count;
}

// Calls visit(from, to) for each run of set bits among the first `count`.
template <class Visit>
void each_run(std::span<const std::uint8_t> bits, std::size_t count, Visit&& visit) {
  for (std::size_t from = 0; (from = next_bit(bits, count, from, true)) < count;) {
    const auto to = next_bit(bits, count, from, false);
    visit(from, to);
    from = to;
  }
}

// A hash map whose entries lie side by side in the order of insertion. std::unordered_map allocates each entry by
// itself, and a key that is absent costs it two visits to far memory: three times the time for the digests of a scan.
//
// `Hash` must spread every bit as a digest does. Entries cannot be removed.
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

  // Returns the value of this key and whether it was inserted now.
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

  // Returns the slot that holds the key or would hold it.
  std::size_t place(const Key& key, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot_number = hash & mask;; slot_number = (slot_number + 1) & mask) {
      const Slot& slot = slots_[slot_number];
      if (slot.entry == kFree || (slot.tag == tag(hash) && entries_[slot.entry].first == key)) return slot_number;
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

  std::vector<Slot> slots_;  // a power of two; at least half are free
  std::vector<std::pair<Key, Value>> entries_;
};

// Frees the memory of containers at once. `values = {}` would only empty a vector and keep its capacity.
template <class... Values>
void release(Values&... values) {
  (Values().swap(values), ...);
}

// A vector whose new items are not initialized: large arrays that are written right away need no clearing first.
//
// Pages of 2 MB were tried for them (madvise): fewer faults, but on a virtual machine whose host provides memory at the
// first touch, clearing the pages took longer than all the faults.
template <class Item>
struct DefaultInitAllocator : std::allocator<Item> {
  template <class Other>
  struct rebind {
    using other = DefaultInitAllocator<Other>;
  };

  template <class Other>
  void construct(Other* at) {
    ::new (static_cast<void*>(at)) Other;
  }
  template <class Other, class... Arguments>
  void construct(Other* at, Arguments&&... arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
};

template <class Item>
using UninitVector = std::vector<Item, DefaultInitAllocator<Item>>;

}  // namespace nearkin
