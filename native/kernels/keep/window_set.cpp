#include "keep/window_set.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "base/containers.hpp"

namespace nearkin {
namespace {

constexpr std::uint64_t empty = (1 << 20) - 1;
constexpr std::uint64_t several_owners = empty - 1;
static_assert(WindowSet::nobody == empty - 2);
constexpr std::size_t ahead = 32;  // windows whose slots and bytes are fetched at a time: one by one would wait for them

std::uint64_t tag_of(std::uint64_t hash) { return hash >> 20 & 0xfff; }

}  // namespace

WindowSet::WindowSet(std::size_t window, std::uint32_t part, std::uint32_t parts, std::size_t room)
    : window_(window), part_(part), parts_(parts) {
  if (window < 8) throw std::invalid_argument("a window has at least eight bytes");
  if (part >= parts) throw std::invalid_argument("there is no such part");
  slots_.assign(std::bit_ceil(std::max<std::size_t>(1024, room * 5 / 3 + 1)), Slot{0, empty, 0});
  lights_.resize(slots_.size());
}

// The first slot that may have a window of this hash, or an empty one.
std::size_t WindowSet::likely(std::uint64_t hash) const {
  const auto mask = slots_.size() - 1;
  auto at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at].owner != empty && slots_[at].tag != tag_of(hash)) at = (at + 1) & mask;
  return at;
}

// Where a window is, or the empty slot where it belongs.
std::size_t WindowSet::find(const char* window, std::uint64_t hash) const {
  const auto mask = slots_.size() - 1;
  auto at = likely(hash);
  while (slots_[at].owner != empty &&
         (slots_[at].tag != tag_of(hash) || std::memcmp(bytes_.data() + slots_[at].place, window, window_) != 0)) {
    at = (at + 1) & mask;
  }
  return at;
}

template <WindowSet::Of of, class Look>
void WindowSet::each(std::string_view text, std::span<const std::uint8_t> skip, Look&& look) const {
  if (text.size() < window_) return;
  const auto count = text.size() - window_ + 1;
  std::array<std::uint64_t, ahead> hashes;
  std::array<std::size_t, ahead> places;
  for (std::size_t at = 0; at < count;) {
    std::size_t many = 0;
    while (many < ahead && (at = next_bit(skip, count, at, false)) < count) {
      for (const auto end = next_bit(skip, std::min(count, at + ahead - many), at, true); at < end; ++at) {
        const auto h = hash(text.data() + at);
        if (!mine(h)) continue;
        if constexpr (of == Of::likely)
          if (!lit(h)) continue;
        __builtin_prefetch(&slots_[h & (slots_.size() - 1)]);
        hashes[many] = h;
        places[many++] = at;
      }
    }
    for (std::size_t i = 0; i < many; ++i) __builtin_prefetch(bytes_.data() + slots_[likely(hashes[i])].place);
    for (std::size_t i = 0; i < many; ++i) look(places[i], hashes[i]);
  }
}

void WindowSet::add(std::string_view text, std::uint32_t owner, std::span<const std::uint8_t> skip) {
  if (owner > nobody) throw std::invalid_argument("there are too many texts");
  if (text.size() > UINT32_MAX) throw std::invalid_argument("a text is too long");
  std::size_t last = text.size();  // whose bytes end bytes_, if it is before
  each<Of::all>(text, skip, [&](std::size_t at, std::uint64_t h) {
    auto& slot = slots_[find(text.data() + at, h)];
    if (slot.owner != empty) {
      own(slot, owner);
      return;
    }
    if (last < at && at - last < window_) {
      bytes_.append(text.substr(last + window_, at - last));
    } else {
      bytes_.append(text.substr(at, window_));
    }
    if (bytes_.size() > UINT32_MAX) throw std::length_error("there are too many windows");
    last = at;
    slot = Slot{bytes_.size() - window_, owner, tag_of(h)};
    lights_[light(h) / 8] |= 1 << light(h) % 8;
    if (++used_ * 5 > slots_.size() * 3) grow();
  });
}

void WindowSet::own(Slot& slot, std::uint32_t owner) {
  if (owner == nobody || slot.owner == owner) return;
  slot.owner = slot.owner == nobody ? owner : several_owners;
}

void WindowSet::grow() {
  const auto old = std::move(slots_);
  slots_.assign(old.size() * 2, Slot{0, empty, 0});
  lights_.assign(slots_.size(), 0);
  const auto mask = slots_.size() - 1;
  for (const auto& slot : old) {
    if (slot.owner == empty) continue;
    const auto h = hash(bytes_.data() + slot.place);
    lights_[light(h) / 8] |= 1 << light(h) % 8;
    auto at = static_cast<std::size_t>(h) & mask;
    while (slots_[at].owner != empty) at = (at + 1) & mask;  // all are unlike
    slots_[at] = slot;
  }
}

void WindowSet::note(std::string_view text, std::uint32_t owner, std::span<const std::uint8_t> skip) {
  if (owner > nobody) throw std::invalid_argument("there are too many texts");
  if (used_ == 0) return;
  each<Of::likely>(text, skip, [&](std::size_t at, std::uint64_t h) {
    auto& slot = slots_[find(text.data() + at, h)];
    if (slot.owner != empty) own(slot, owner);
  });
}

std::vector<std::uint8_t> WindowSet::held(std::string_view text, bool several, std::span<const std::uint8_t> skip) const {
  const auto count = text.size() < window_ ? 0 : text.size() - window_ + 1;
  std::vector<std::uint8_t> found(skip.begin(), skip.end());
  found.resize((count + 7) / 8);
  each<Of::likely>(text, skip, [&](std::size_t at, std::uint64_t h) {
    const auto owner = slots_[find(text.data() + at, h)].owner;
    if (owner == several_owners || (!several && owner < nobody)) found[at / 8] |= 0x80 >> at % 8;
  });
  return found;
}

}  // namespace nearkin
