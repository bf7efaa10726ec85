#include "keep/windows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "base/containers.hpp"
#include "base/window_hash.hpp"

namespace nearkin {
namespace {

constexpr int rarity = 4;  // one window in 2^4 is an anchor

std::size_t equal_ahead(const char* a, const char* b, std::size_t most) {
  std::size_t at = 0;
  for (; at + 8 <= most; at += 8)
    if (const auto unlike = word(a + at) ^ word(b + at)) {
      const auto zeros = std::endian::native == std::endian::little ? std::countr_zero(unlike) : std::countl_zero(unlike);
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
  met_.resize((count + 7) / 8);
  std::vector<std::uint32_t> found;
  for (std::size_t at = 0; at < count; ++at)
    if (is_anchor(kept.data() + at)) found.push_back(static_cast<std::uint32_t>(at));
  places_.resize(std::bit_ceil(found.size() * 2 + 1));
  for (const auto at : found) {
    auto& place = places_[slot(kept.data() + at)];
    if (place == 0) place = at + 1;
  }
}

bool Anchors::is_anchor(const char* at) const { return word(at) * 0x9e3779b97f4a7c15 >> (64 - rarity) == 0; }

bool Anchors::equal(std::size_t place, const char* window) const {
  return std::memcmp(kept_.data() + place, window, window_) == 0;
}

// Where a window is noted, or the empty slot where it belongs.
std::size_t Anchors::slot(const char* window) const {
  const auto mask = places_.size() - 1;
  auto at = static_cast<std::size_t>(window_hash(window, window_)) & mask;
  while (places_[at] != 0 && !equal(places_[at] - 1, window)) at = (at + 1) & mask;
  return at;
}

std::vector<std::uint8_t> Anchors::runs(std::string_view text) {
  const auto count = text.size() < window_ ? 0 : text.size() - window_ + 1;
  const auto there = kept_.size() < window_ ? 0 : kept_.size() - window_ + 1;
  std::vector<std::uint8_t> found((count + 7) / 8);
  if (there == 0) return found;
  std::size_t done = 0;  // windows before are known
  // Edited texts go on where they were; the first place of a window that the kept text has often leads nowhere.
  std::ptrdiff_t shift = 0;
  // Back to where the last run ended, and ahead.
  const auto run = [&](std::size_t at, std::size_t place) {
    const auto back = equal_before(text.data() + at, kept_.data() + place, std::min(at - done, place));
    const auto ahead = equal_ahead(text.data() + at, kept_.data() + place, std::min(text.size() - at, kept_.size() - place));
    if (back + ahead < window_) return false;
    done = at + ahead - window_ + 1;
    set_bits(found, at - back, done);
    set_bits(met_, place - back, place + ahead - window_ + 1);
    shift = static_cast<std::ptrdiff_t>(place) - static_cast<std::ptrdiff_t>(at);
    return true;
  };
  run(0, 0);  // most begin alike
  for (auto at = done; at < count;) {
    if (!is_anchor(text.data() + at)) {
      ++at;
      continue;
    }
    auto place = static_cast<std::ptrdiff_t>(at) + shift;
    if (place < 0 || place >= static_cast<std::ptrdiff_t>(there) || !equal(static_cast<std::size_t>(place), text.data() + at))
      place = static_cast<std::ptrdiff_t>(places_[slot(text.data() + at)]) - 1;
    if (place >= 0) run(at, static_cast<std::size_t>(place));
    at = std::max(done, at + 1);
  }
  return found;
}

}  // namespace nearkin
