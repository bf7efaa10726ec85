#include "tttd.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "divisor.hpp"
#include "radix.hpp"
#include "signature.hpp"

namespace nearkin {
namespace {

constexpr std::size_t kStretch = 4096;  // windows of a lane marked at a time: the marks stay in the nearest caches
constexpr std::size_t kBlock = kStretch * kLanes;
constexpr std::size_t kLaneRoom = kStretch + kLanes;  // the last lane also takes what does not divide by four

// The places where the first divisor would end a chunk, in order, a block of the text at a time.
class Marks {
 public:
  explicit Marks(const Tttd& scheme) : scheme_(scheme), divisor_(scheme.divisor) {}

  // Up to where all places are known.
  std::size_t known() const { return known_; }

  // Forgets what is behind and marks the next block of the text.
  void advance(std::string_view text) {
    places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
    const std::size_t width = scheme_.roller.window();
    if (text.size() < width) {
      known_ = text.size();
      return;
    }
    const std::size_t windows = std::min(kBlock, text.size() - width + 1 - marked_);
    const auto block = text.substr(marked_, windows + width - 1);
    const Divisor divisor = divisor_;
    if (divisor.shift() == 1) {  // D = 2D' with an odd D', as for mean = 100
      mark(block, [divisor](std::uint64_t value) { return divisor.divides_with_shift<1>(value); });
    } else {
      mark(block, [divisor](std::uint64_t value) { return divisor.divides(value); });
    }
    marked_ += windows;
    known_ = marked_ + width - 1;
  }

  // The first place in [from, to], or `to` + 1; all places up to `to` are known. `from` never goes back.
  std::size_t first(std::size_t from, std::size_t to) {
    while (head_ < places_.size() && places_[head_] < from) ++head_;
    return head_ < places_.size() && places_[head_] <= to ? places_[head_] : to + 1;
  }

 private:
  // "F is D-1 mod D" is "D divides F + 1".
  template <class Test>
  void mark(std::string_view block, Test test) {
    // Everything by value or local: a store through a captured reference would make the compiler load it all again for
    // every byte.
    std::uint32_t* const ends = ends_.data();
    std::array<std::size_t, kLanes> found{};
    roll_lanes(scheme_.roller, block, [ends, test, &found](std::size_t lane, std::size_t position, std::uint64_t f) {
      if (test(f + 1)) [[unlikely]] ends[lane * kLaneRoom + found[lane]++] = static_cast<std::uint32_t>(position);
    });
    const std::size_t base = marked_ + scheme_.roller.window();
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t i = 0; i < found[lane]; ++i) places_.push_back(base + ends[lane * kLaneRoom + i]);
  }

  const Tttd& scheme_;
  Divisor divisor_;
  std::array<std::uint32_t, kLaneRoom * kLanes> ends_;
  std::vector<std::uint64_t> places_;
  std::size_t head_ = 0, marked_ = 0, known_ = 0;
};

// The last place in [from, to] where the backup divisor would end a chunk, or 0. One chunk in eighty needs it, so
// these few windows are rolled again rather than tested for every byte of the text.
std::size_t last_backup(const Tttd& scheme, const Divisor& backup, std::string_view text, std::size_t from, std::size_t to) {
  const std::size_t width = scheme.roller.window();
  from = std::max(from, width);
  if (from > to) return 0;
  std::size_t last = 0;
  roll(scheme.roller, text.substr(from - width, to - from + width), [&](std::size_t position, std::uint64_t f) {
    if (backup.divides(f + 1)) last = std::max(last, from + position);
  });
  return last;
}

std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load(const char* data, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, data, size);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  return value;
}

}  // namespace

std::uint64_t chunk_hash(std::string_view chunk) {
  constexpr std::uint64_t kA = 0x9e3779b97f4a7c15ULL, kB = 0xd1b54a32d192ed03ULL, kC = 0x8cb92ba72f3d8dd7ULL;
  std::uint64_t state = kC ^ (chunk.size() * kA);
  const char* data = chunk.data();
  std::size_t left = chunk.size();
  for (; left >= 16; left -= 16, data += 16) state = fold(load(data, 8) ^ kA, load(data + 8, 8) ^ kB ^ state);
  const std::size_t low = std::min<std::size_t>(left, 8);
  state = fold(load(data, low) ^ kA, load(data + low, left - low) ^ kB ^ state);
  return fold(state ^ kA, state + kB);
}

std::vector<std::uint64_t> cut(const Tttd& scheme, std::string_view text) {
  const std::size_t size = text.size();
  const Divisor backup(scheme.backup);
  Marks marks(scheme);
  std::vector<std::uint64_t> ends;
  ends.reserve(size / (scheme.min + scheme.backup) + 1);
  for (std::size_t start = 0; start < size;) {
    const std::size_t from = start + scheme.min, limit = std::min(start + scheme.max, size);
    while (marks.known() < limit) marks.advance(text);
    std::size_t end = marks.first(from, limit);
    if (end > limit) {
      end = limit;
      if (start + scheme.max <= size)
        if (const std::size_t place = last_backup(scheme, backup, text, from, limit)) end = place;
    }
    ends.push_back(end);
    start = end;
  }
  return ends;
}

std::vector<Placed> place_with(const Tttd& scheme, std::string_view text) {
  std::vector<Placed> placed;
  std::uint64_t start = 0;
  for (const auto end : cut(scheme, text)) {
    const auto chunk = text.substr(start, end - start);
    placed.push_back({start, chunk_hash(chunk), static_cast<std::uint32_t>(chunk.size())});
    start = end;
  }
  return placed;
}

void sign_with(const Tttd& scheme, std::string_view text, Signature& out) {
  struct Chunk {
    std::uint64_t feature;
    std::uint32_t weight;
  };
  const auto ends = cut(scheme, text);
  std::vector<Chunk> chunks(ends.size());
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto chunk = text.substr(start, ends[i] - start);
    chunks[i] = {chunk_hash(chunk), static_cast<std::uint32_t>(chunk.size())};
    start = ends[i];
  }
  sort_by_feature(chunks.data(), chunks.size(), [](const Chunk& x) { return x.feature; }, [](const Chunk& x, const Chunk& y) {
    return x.feature != y.feature ? x.feature < y.feature : x.weight < y.weight;
  });
  out.modulus = 1;
  out.features.resize(chunks.size());
  out.weights.resize(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    out.features[i] = chunks[i].feature;
    out.weights[i] = chunks[i].weight;
  }
}

}  // namespace nearkin
