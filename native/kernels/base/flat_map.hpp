// A hash map whose entries lie side by side, in the order in which they came. std::unordered_map allocates each by itself,
// and a key that is not there costs it two visits to far memory: for the digests of a scan three times the time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nearkin {

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

}  // namespace nearkin
