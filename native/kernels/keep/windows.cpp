#include "keep/windows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/containers.hpp"
#include "base/hash.hpp"

namespace nearkin {
namespace {

constexpr int kRarity = 4;  // one window in 2^4 is an anchor

std::size_t equal_ahead(const char* a, const char* b, std::size_t most) {
  std::size_t at = 0;
  for (; at + 8 <= most; at += 8)
    if (const auto unlike = word(a + at) ^ word(b + at)) {
      const bool little = std::endian::native == std::endian::little;
      const auto zeros = little ? std::countr_zero(unlike) : std::countl_zero(unlike);
      return at + static_cast<std::size_t>(zeros) / 8;
    }
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

std::size_t equal_before(const char* a, const char* b, std::size_t most) {
  std::size_t back = 0;
  while (back < most && *(a - back - 1) == *(b - back - 1)) ++back;
  return back;
}

}  // namespace

Anchors::Anchors(std::string_view kept, std::size_t window) : kept_(kept), window_(window) {
  if (window < 8) throw std::invalid_argument("a window has at least eight bytes");
  if (kept.size() >= UINT32_MAX) throw std::invalid_argument("a text is too long");
  const auto count = kept.size() < window ? 0 : kept.size() - window + 1;
  matched_.resize((count + 7) / 8);
  std::vector<std::uint32_t> anchors;
  for (std::size_t at = 0; at < count; ++at)
    if (is_anchor(kept.data() + at)) anchors.push_back(static_cast<std::uint32_t>(at));
  places_.resize(std::bit_ceil(anchors.size() * 2 + 1));
  for (const auto at : anchors) {
    auto& place = places_[slot(kept.data() + at)];
    if (place == 0) place = at + 1;
  }
}

bool Anchors::is_anchor(const char* at) const { return word(at) * 0x9e3779b97f4a7c15 >> (64 - kRarity) == 0; }

bool Anchors::equal(std::size_t place, const char* window) const {
  return std::memcmp(kept_.data() + place, window, window_) == 0;
}

// Returns the slot that holds a window, or the free slot where it belongs.
std::size_t Anchors::slot(const char* window) const {
  const auto mask = places_.size() - 1;
  auto at = static_cast<std::size_t>(window_hash(window, window_)) & mask;
  while (places_[at] != 0 && !equal(places_[at] - 1, window)) at = (at + 1) & mask;
  return at;
}

std::vector<std::uint8_t> Anchors::runs(std::string_view text) {
  const auto count = text.size() < window_ ? 0 : text.size() - window_ + 1;
  const auto kept_count = kept_.size() < window_ ? 0 : kept_.size() - window_ + 1;
  std::vector<std::uint8_t> held((count + 7) / 8);
  if (kept_count == 0) return held;
  std::size_t done = 0;  // the windows before are known
  // Edited texts continue where they were; the first place of a window that the kept text has often may lead nowhere.
  std::ptrdiff_t shift = 0;
  // Follows both texts back to where the last run ended, and ahead.
  const auto run = [&](std::size_t at, std::size_t place) {
    const auto back = equal_before(text.data() + at, kept_.data() + place, std::min(at - done, place));
    const auto most_ahead = std::min(text.size() - at, kept_.size() - place);
    const auto ahead = equal_ahead(text.data() + at, kept_.data() + place, most_ahead);
    if (back + ahead < window_) return false;
    done = at + ahead - window_ + 1;
    set_bits(held, at - back, done);
    set_bits(matched_, place - back, place + ahead - window_ + 1);
    shift = static_cast<std::ptrdiff_t>(place) - static_cast<std::ptrdiff_t>(at);
    return true;
  };
  run(0, 0);  // most texts begin alike
  for (auto at = done; at < count;) {
    if (!is_anchor(text.data() + at)) {
      ++at;
      continue;
    }
    auto place = static_cast<std::ptrdiff_t>(at) + shift;
    if (place < 0 || place >= static_cast<std::ptrdiff_t>(kept_count) ||
        !equal(static_cast<std::size_t>(place), text.data() + at))
      place = static_cast<std::ptrdiff_t>(places_[slot(text.data() + at)]) - 1;
    if (place >= 0) run(at, static_cast<std::size_t>(place));
    at = std::max(done, at + 1);
  }
  return held;
}

namespace {

constexpr std::uint64_t kFree = (1 << 20) - 1;
constexpr std::uint64_t kSeveral = kFree - 1;
static_assert(WindowSet::nobody == kFree - 2);
// Windows whose slots and bytes are prefetched at a time: one by one, each would wait for them.
constexpr std::size_t kPrefetched = 32;

std::uint64_t tag_of(std::uint64_t hash) { return hash >> 20 & 0xfff; }

}  // namespace

WindowSet::WindowSet(std::size_t window, std::uint32_t part, std::uint32_t parts, std::size_t room)
    : window_(window), part_(part), parts_(parts) {
  if (window < 8) throw std::invalid_argument("a window has at least eight bytes");
  if (part >= parts) throw std::invalid_argument("there is no such part");
  slots_.assign(std::bit_ceil(std::max<std::size_t>(1024, room * 5 / 3 + 1)), Slot{0, kFree, 0});
  filter_.resize(slots_.size());
}

// Returns the first slot that may have a window of this hash, or a free one.
std::size_t WindowSet::likely(std::uint64_t hash) const {
  const auto mask = slots_.size() - 1;
  auto at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at].owner != kFree && slots_[at].tag != tag_of(hash)) at = (at + 1) & mask;
  return at;
}

// Returns the slot that holds a window, or the free slot where it belongs.
std::size_t WindowSet::find(const char* window, std::uint64_t hash) const {
  const auto mask = slots_.size() - 1;
  auto at = likely(hash);
  while (slots_[at].owner != kFree &&
         (slots_[at].tag != tag_of(hash) || std::memcmp(bytes_.data() + slots_[at].place, window, window_) != 0)) {
    at = (at + 1) & mask;
  }
  return at;
}

template <WindowSet::Of of, class Look>
void WindowSet::each(std::string_view text, std::span<const std::uint8_t> skip, Look&& look) const {
  if (text.size() < window_) return;
  const auto count = text.size() - window_ + 1;
  std::array<std::uint64_t, kPrefetched> hashes;
  std::array<std::size_t, kPrefetched> places;
  for (std::size_t at = 0; at < count;) {
    std::size_t count_at_once = 0;
    while (count_at_once < kPrefetched && (at = next_bit(skip, count, at, false)) < count) {
      const auto most = std::min(count, at + kPrefetched - count_at_once);
      for (const auto end = next_bit(skip, most, at, true); at < end; ++at) {
        const auto h = hash(text.data() + at);
        if (!in_part(h)) continue;
        if constexpr (of == Of::likely)
          if (!may_hold(h)) continue;
        __builtin_prefetch(&slots_[h & (slots_.size() - 1)]);
        hashes[count_at_once] = h;
        places[count_at_once++] = at;
      }
    }
    for (std::size_t i = 0; i < count_at_once; ++i) __builtin_prefetch(bytes_.data() + slots_[likely(hashes[i])].place);
    for (std::size_t i = 0; i < count_at_once; ++i) look(places[i], hashes[i]);
  }
}

void WindowSet::add(std::string_view text, std::uint32_t owner, std::span<const std::uint8_t> skip) {
  if (owner > nobody) throw std::invalid_argument("there are too many texts");
  if (text.size() > UINT32_MAX) throw std::invalid_argument("a text is too long");
  std::size_t last = text.size();  // the last window whose bytes end bytes_
  each<Of::all>(text, skip, [&](std::size_t at, std::uint64_t h) {
    auto& slot = slots_[find(text.data() + at, h)];
    if (slot.owner != kFree) {
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
    filter_[filter_bit(h) / 8] |= 1 << filter_bit(h) % 8;
    if (++used_ * 5 > slots_.size() * 3) grow();
  });
}

void WindowSet::own(Slot& slot, std::uint32_t owner) {
  if (owner == nobody || slot.owner == owner) return;
  slot.owner = slot.owner == nobody ? owner : kSeveral;
}

void WindowSet::grow() {
  const auto old = std::move(slots_);
  slots_.assign(old.size() * 2, Slot{0, kFree, 0});
  filter_.assign(slots_.size(), 0);
  const auto mask = slots_.size() - 1;
  for (const auto& slot : old) {
    if (slot.owner == kFree) continue;
    const auto h = hash(bytes_.data() + slot.place);
    filter_[filter_bit(h) / 8] |= 1 << filter_bit(h) % 8;
    auto at = static_cast<std::size_t>(h) & mask;
    while (slots_[at].owner != kFree) at = (at + 1) & mask;  // all windows are different
    slots_[at] = slot;
  }
}

void WindowSet::add_owner(std::string_view text, std::uint32_t owner, std::span<const std::uint8_t> skip) {
  if (owner > nobody) throw std::invalid_argument("there are too many texts");
  if (used_ == 0) return;
  each<Of::likely>(text, skip, [&](std::size_t at, std::uint64_t h) {
    auto& slot = slots_[find(text.data() + at, h)];
    if (slot.owner != kFree) own(slot, owner);
  });
}

std::vector<std::uint8_t> WindowSet::owned(std::string_view text, bool several,
                                           std::span<const std::uint8_t> skip) const {
  const auto count = text.size() < window_ ? 0 : text.size() - window_ + 1;
  std::vector<std::uint8_t> bits(skip.begin(), skip.end());
  bits.resize((count + 7) / 8);
  each<Of::likely>(text, skip, [&](std::size_t at, std::uint64_t h) {
    const auto owner = slots_[find(text.data() + at, h)].owner;
    if (owner == kSeveral || (!several && owner < nobody)) bits[at / 8] |= 0x80 >> at % 8;
  });
  return bits;
}

WindowCounts::WindowCounts(std::size_t window, std::uint64_t modulus)
    : roller_(window), divisor_(modulus ? modulus : 1), modulus_(modulus), shift_(64 - 12), slots_(1 << 12) {
  if (window == 0 || modulus == 0) throw std::invalid_argument("a window and a modulus are at least one");
}

void WindowCounts::note(std::uint64_t fingerprint) {
  const auto text = static_cast<std::uint32_t>(ends_.size() + 1);
  auto at = slot_of(fingerprint);
  while (slots_[at].last != 0 && slots_[at].fingerprint != fingerprint) at = (at + 1) & (slots_.size() - 1);
  auto& slot = slots_[at];
  if (slot.last == text) return;
  if (slot.last == 0) {
    slot.fingerprint = fingerprint;
    slot.id = static_cast<std::uint32_t>(texts_.size());
    texts_.push_back(0);
  }
  slot.last = text;
  windows_.push_back(slot.id);
  ++texts_[slot.id];
  grow(texts_.size());
}

void WindowCounts::grow(std::size_t windows) {
  if (windows > UINT32_MAX / 2) throw std::length_error("there are too many windows");
  if (windows * 5 <= slots_.size() * 3) return;
  const auto size = std::bit_ceil(windows * 5 / 3 + 1);
  const auto old = std::exchange(slots_, {});
  slots_.resize(size);
  shift_ = 64 - std::countr_zero(size);
  for (const auto& slot : old) {
    if (slot.last == 0) continue;
    auto at = slot_of(slot.fingerprint);
    while (slots_[at].last != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

void WindowCounts::add(std::string_view text) {
  if (ends_.empty()) grow(text.size() / modulus_);  // later texts mostly have few new windows
  std::array<std::uint64_t, kPrefetched> waiting;
  std::size_t count = 0;
  const auto note_all = [&] {
    for (std::size_t i = 0; i < count; ++i) note(waiting[i]);
    count = 0;
  };
  if (text.size() >= roller_.window()) {
    roll(roller_, text, [&](std::size_t, std::uint64_t fingerprint) {
      if (modulus_ != 1 && !divisor_.divides(fingerprint)) return;
      __builtin_prefetch(&slots_[slot_of(fingerprint)]);
      waiting[count++] = fingerprint;
      if (count == kPrefetched) note_all();
    });
    note_all();
  }
  ends_.push_back(windows_.size());
}

std::vector<WindowCounts::Share> WindowCounts::shares() const {
  std::vector<Share> shares;
  std::size_t at = 0;
  for (const auto end : ends_) {
    Share share{end - at, 0};
    for (; at < end; ++at) share.shared += texts_[windows_[at]] - 1;
    shares.push_back(share);
  }
  return shares;
}

}  // namespace nearkin
