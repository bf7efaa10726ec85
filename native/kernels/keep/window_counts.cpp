#include "keep/window_counts.hpp"

#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

namespace nearkin {
namespace {

constexpr std::size_t ahead = 32;  // windows whose slots are fetched at a time

}  // namespace

WindowCounts::WindowCounts(std::size_t window, std::uint64_t modulus)
    : roller_(window), divisor_(modulus ? modulus : 1), modulus_(modulus), shift_(64 - 12), slots_(1 << 12) {
  if (window == 0 || modulus == 0) throw std::invalid_argument("a window and a modulus are at least one");
}

void WindowCounts::note(std::uint64_t print) {
  const auto text = static_cast<std::uint32_t>(ends_.size() + 1);
  auto at = home(print);
  while (slots_[at].last != 0 && slots_[at].print != print) at = (at + 1) & (slots_.size() - 1);
  auto& slot = slots_[at];
  if (slot.last == text) return;
  if (slot.last == 0) {
    slot.print = print;
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
    auto at = home(slot.print);
    while (slots_[at].last != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

void WindowCounts::add(std::string_view text) {
  if (ends_.empty()) grow(text.size() / modulus_);  // later ones have few that are new, mostly
  std::array<std::uint64_t, ahead> waiting;
  std::size_t many = 0;
  const auto note_all = [&] {
    for (std::size_t i = 0; i < many; ++i) note(waiting[i]);
    many = 0;
  };
  if (text.size() >= roller_.window()) {
    roll(roller_, text, [&](std::size_t, std::uint64_t print) {
      if (modulus_ != 1 && !divisor_.divides(print)) return;
      __builtin_prefetch(&slots_[home(print)]);
      waiting[many++] = print;
      if (many == ahead) note_all();
    });
    note_all();
  }
  ends_.push_back(windows_.size());
}

std::vector<WindowCounts::Share> WindowCounts::shares() const {
  std::vector<Share> found;
  std::size_t at = 0;
  for (const auto end : ends_) {
    Share share{end - at, 0};
    for (; at < end; ++at) share.shared += texts_[windows_[at]] - 1;
    found.push_back(share);
  }
  return found;
}

}  // namespace nearkin
