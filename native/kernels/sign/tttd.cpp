#include "sign/tttd.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/sort.hpp"
#include "sign/signature.hpp"

namespace nearkin {
namespace {

// Cuts a text in several places at once.
//
// Where a chunk ends depends on nothing but the text and where the chunk begins. So the text is divided into stretches,
// and in each a chain of cuts starts as if a chunk began there. Four chains are followed side by side, since each step
// of a fingerprint waits for the table look-up of the step before. Then the first chain is followed into the second
// stretch until it makes a cut that the second chain made too: from there on both are one, and so on. In text with
// entropy that takes two or three chunks; where the chains never meet, a stretch is cut twice at the most.
//
// A chain rolls nothing in the first `min` bytes of a chunk: 46 % of the text with the paper's parameters.
//
// `kWindow` is the window if it is known at compile time, else 0. With a known window the loop of four lanes has just
// enough registers.
template <class Test, std::size_t kWindow>
class StretchCutter {
 public:
  StretchCutter(const Tttd& scheme, const Test& test, std::string_view text)
      : scheme_(scheme),
        roller_(scheme.turned),
        test_(test),
        data_(reinterpret_cast<const unsigned char*>(text.data())),
        size_(text.size()),
        min_(scheme.min),
        max_(scheme.max) {}

  // Returns the ends of the chunks.
  std::vector<std::uint64_t> cut() const {
    const std::size_t chunk = std::min(min_ + scheme_.divisor, max_);
    // Without a minimum, chains meet at their first cut, so that even short stretches pay.
    const std::size_t stretch = std::clamp(size_ / kLanes + 1, (min_ > 1 ? kLeast : 1) * chunk, kMost * chunk);
    std::vector<Chain> chains(size_ / stretch + 1);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      chains[i].first = i * stretch;
      chains[i].until = std::min((i + 1) * stretch, size_);
      chains[i].ends.reserve((i == 0 ? size_ : stretch) / chunk * 9 / 8 + 8);
      begin(chains[i], chains[i].first);
    }
    follow_all(chains);
    for (std::size_t i = 1; i < chains.size(); ++i) join(chains[0], chains[i]);
    return std::move(chains[0].ends);
  }

 private:
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kLeast = 8, kMost = 256;  // chunks of a stretch
  static constexpr std::size_t kWalk = 12;               // steps that take no longer than a first window

  struct Chain {
    std::size_t first = 0, until = 0;  // its stretch
    std::size_t start = 0;             // of the current chunk
    std::size_t limit = 0;             // where the current chunk ends at the latest
    std::size_t at = 0;                // the end of the window …
    std::uint64_t f = 0;               // … that has this fingerprint
    std::vector<std::uint64_t> ends;

    bool over() const { return start >= until; }
  };

  std::size_t window() const { return kWindow ? kWindow : roller_.window(); }

  // Returns the fingerprint of the window that ends one byte later.
  std::uint64_t next(std::uint64_t f, const unsigned char* end) const {
    return roller_.step(f, *(end - window()), *end);
  }

  std::size_t earliest(const Chain& chain) const { return std::max(chain.start + min_, window()); }

  // Begins a chunk at `start` and goes to where it may end at the earliest.
  void begin(Chain& chain, std::size_t start) const {
    const std::size_t before = chain.at;
    chain.start = start;
    chain.limit = std::min(start + max_, size_);
    chain.at = earliest(chain);
    if (chain.at > chain.limit) return;
    if (before == start && before >= window() && chain.at - before <= kWalk) {
      for (std::size_t at = before; at < chain.at; ++at) chain.f = next(chain.f, data_ + at);
    } else {
      chain.f = roller_.first(data_ + chain.at - window());
    }
  }

  // Cuts at the chain's position as long as there is something to cut.
  void settle(Chain& chain) const {
    while (!chain.over()) {
      std::size_t end;
      if (chain.at > chain.limit) end = chain.limit;
      else if (test_(chain.f)) end = chain.at;
      else if (chain.at == chain.limit) end = backup_cut(chain);
      else return;
      chain.ends.push_back(end);
      begin(chain, end);
    }
  }

  // Returns the end of a chunk without a place for D: the last place for the backup divisor, else the limit. One chunk
  // in eighty comes here, so its windows are rolled again rather than all windows tested for both divisors.
  std::size_t backup_cut(const Chain& chain) const {
    std::size_t end = chain.limit;
    if (chain.start + max_ > size_) return end;  // the text ends before the longest chunk would
    std::size_t at = earliest(chain);
    std::uint64_t f = roller_.first(data_ + at - window());
    for (;; f = next(f, data_ + at), ++at) {
      if (scheme_.backup(f)) end = at;
      if (at == chain.limit) return end;
    }
  }

  void follow_all(std::vector<Chain>& chains) const {
    std::array<Chain*, kLanes> lanes{};
    std::size_t taken = 0;
    const auto ready = [&](Chain*& lane) {
      if (lane) settle(*lane);
      while ((!lane || lane->over()) && taken < chains.size()) settle(*(lane = &chains[taken++]));
      return lane && !lane->over();
    };
    bool all = true;
    for (auto& lane : lanes) all = ready(lane) && all;
    while (all) {
      const std::size_t came = walk(*lanes[0], *lanes[1], *lanes[2], *lanes[3]);
      if (came < kLanes) all = ready(lanes[came]);
      else for (auto& lane : lanes) all = ready(lane) && all;
    }
    for (auto* lane : lanes)
      if (lane) follow(*lane);
  }

  void follow(Chain& chain) const {
    for (settle(chain); !chain.over(); settle(chain)) walk(chain);
  }

  // Steps a chain to its next place or its limit.
  void walk(Chain& chain) const {
    std::uint64_t f = chain.f;
    std::size_t at = chain.at;
    do f = next(f, data_ + at++);
    while (at < chain.limit && !test_(f));
    chain.f = f;
    chain.at = at;
  }

  // Steps four chains until one of them comes to a place, and returns its lane; kLanes: a chain came to its limit.
  [[gnu::noinline]] std::size_t walk(Chain& a, Chain& b, Chain& c, Chain& d) const {
    const std::size_t most = std::min({a.limit - a.at, b.limit - b.at, c.limit - c.at, d.limit - d.at});
    // The index counts up to zero, which saves a register.
    const unsigned char *const p = data_ + a.at + most, *const q = data_ + b.at + most, *const r = data_ + c.at + most,
                        *const s = data_ + d.at + most;
    std::uint64_t fa = a.f, fb = b.f, fc = c.f, fd = d.f;
    const Test test = test_;
    std::size_t came = kLanes;
    auto i = -static_cast<std::ptrdiff_t>(most);
    // A lane at a place is settled at once, and then all lanes are tested again: each is tested before it steps on.
    for (;; ++i) {
      if (test(fa)) [[unlikely]] { came = 0; break; }
      if (test(fb)) [[unlikely]] { came = 1; break; }
      if (test(fc)) [[unlikely]] { came = 2; break; }
      if (test(fd)) [[unlikely]] { came = 3; break; }
      if (i == 0) [[unlikely]] break;
      fa = next(fa, p + i);
      fb = next(fb, q + i);
      fc = next(fc, r + i);
      fd = next(fd, s + i);
    }
    const std::size_t done = most + static_cast<std::size_t>(i);
    a.f = fa, b.f = fb, c.f = fc, d.f = fd;
    a.at += done, b.at += done, c.at += done, d.at += done;
    return came;
  }

  // Follows the first chain into the next stretch until the chains meet, then takes over the cuts of the next chain.
  void join(Chain& whole, const Chain& next) const {
    for (auto place = next.ends.begin(); whole.start < next.until; follow(whole)) {
      place = std::lower_bound(place, next.ends.end(), whole.start);
      if (place != next.ends.end() && *place == whole.start) ++place;
      else if (whole.start != next.first) { whole.until = whole.start + 1; continue; }
      whole.ends.insert(whole.ends.end(), place, next.ends.end());
      whole.at = 0;
      begin(whole, whole.ends.back());
    }
  }

  const Tttd& scheme_;
  const RotatedRoller& roller_;
  const Test test_;
  const unsigned char* const data_;
  const std::size_t size_, min_, max_;
};

template <class Test>
std::vector<std::uint64_t> cut_by(const Tttd& scheme, const Test& test, std::string_view text) {
  if (scheme.turned.window() == 48) return StretchCutter<Test, 48>(scheme, test, text).cut();
  return StretchCutter<Test, 0>(scheme, test, text).cut();
}

std::uint64_t feature_of(const Tttd& scheme, std::string_view chunk) {
  return scheme.permutation(chunk_hash(chunk)) & scheme.mask;
}

}  // namespace

std::vector<std::uint64_t> cut(const Tttd& scheme, std::string_view text) {
  if (!scheme.main.last()) return cut_by(scheme, scheme.main, text);
  const Divisor& divisor = scheme.main.divisor();
  switch (divisor.shift()) {
    case 1: return cut_by(scheme, LastResidue<1>(divisor), text);  // mean = 100
    case 2: return cut_by(scheme, LastResidue<2>(divisor), text);  // mean = 1,000 and 5,000
    default: return cut_by(scheme, LastResidue<-1>(divisor), text);
  }
}

std::vector<PlacedFeature> place_with(const Tttd& scheme, std::string_view text) {
  std::vector<PlacedFeature> placed;
  std::uint64_t start = 0;
  for (const auto end : cut(scheme, text)) {
    const auto chunk = text.substr(start, end - start);
    placed.push_back({start, feature_of(scheme, chunk), static_cast<std::uint32_t>(chunk.size())});
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
    chunks[i] = {feature_of(scheme, chunk), static_cast<std::uint32_t>(chunk.size())};
    start = ends[i];
  }
  const auto less = [](const Chunk& x, const Chunk& y) {
    return x.feature != y.feature ? x.feature < y.feature : x.weight < y.weight;
  };
  const auto bits = static_cast<unsigned>(std::bit_width(scheme.mask));
  sort_by_feature(chunks.data(), chunks.size(), [](const Chunk& x) { return x.feature; }, less, bits);
  out.modulus = 1;
  out.features.resize(chunks.size());
  out.weights.resize(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    out.features[i] = chunks[i].feature;
    out.weights[i] = chunks[i].weight;
  }
}

namespace {

constexpr std::uint64_t kA = 0x9e3779b97f4a7c15ULL, kB = 0xd1b54a32d192ed03ULL, kC = 0x8cb92ba72f3d8dd7ULL;

std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load(const char* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return std::endian::native == std::endian::big ? __builtin_bswap64(value) : value;
}

// Loads the `size` < 8 bytes before `end` as the low bytes of a word. Eight bytes before `end` must be readable.
std::uint64_t load_before(const char* end, std::size_t size) {
  return size == 0 ? 0 : load(end - 8) >> (64 - 8 * size);
}

}  // namespace

std::uint64_t chunk_hash(std::string_view chunk) {
  std::uint64_t state = kC ^ (chunk.size() * kA);
  const char* data = chunk.data();
  std::size_t left = chunk.size();
  char padded[16] = {};
  if (left < 8) {  // nothing before the chunk may be read
    std::memcpy(padded, data, left);
    return state = fold(load(padded) ^ kA, kB ^ state), fold(state ^ kA, state + kB);
  }
  for (; left >= 16; left -= 16, data += 16) state = fold(load(data) ^ kA, load(data + 8) ^ kB ^ state);
  const std::uint64_t low = left >= 8 ? load(data) : load_before(data + left, left);
  const std::uint64_t high = left > 8 ? load_before(data + left, left - 8) : 0;
  state = fold(low ^ kA, high ^ kB ^ state);
  return fold(state ^ kA, state + kB);
}

}  // namespace nearkin
