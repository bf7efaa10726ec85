#include "numbered_shingles.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "mix.hpp"

namespace nearkin {
namespace {

constexpr int kFirstBits = 12;  // of the table

// How many of the next bytes are the same.
std::size_t same_bytes(const char* x, const char* y, std::size_t most) {
  std::size_t at = 0;
  for (; at + 8 <= most; at += 8) {
    std::uint64_t first, second;
    std::memcpy(&first, x + at, 8);
    std::memcpy(&second, y + at, 8);
    if (first == second) continue;
    if constexpr (std::endian::native == std::endian::little)
      return at + static_cast<std::size_t>(std::countr_zero(first ^ second)) / 8;
    break;
  }
  while (at < most && x[at] == y[at]) ++at;
  return at;
}

std::uint64_t in_both_portable(const std::uint64_t* x, const std::uint64_t* y, std::size_t words) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < words; ++i) count += static_cast<std::uint64_t>(std::popcount(x[i] & y[i]));
  return count;
}

#if defined(__x86_64__)

__attribute__((target("popcnt"))) std::uint64_t in_both(const std::uint64_t* x, const std::uint64_t* y,
                                                        std::size_t words) {
  static const bool has = __builtin_cpu_supports("popcnt");
  if (!has) return in_both_portable(x, y, words);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < words; ++i)
    count += static_cast<std::uint64_t>(__builtin_popcountll(x[i] & y[i]));
  return count;
}

#else

std::uint64_t in_both(const std::uint64_t* x, const std::uint64_t* y, std::size_t words) {
  return in_both_portable(x, y, words);
}

#endif

// Bits first, …, first + count - 1.
void set_bits(std::uint64_t* row, std::uint32_t first, std::uint32_t count) {
  const std::uint32_t last = first + count - 1;
  const std::uint64_t from = ~std::uint64_t{0} << first % 64, to = ~std::uint64_t{0} >> (63 - last % 64);
  std::uint64_t *at = row + first / 64, *const end = row + last / 64;
  if (at == end) {
    *at |= from & to;
    return;
  }
  *at |= from;
  while (++at != end) *at = ~std::uint64_t{0};
  *end |= to;
}

}  // namespace

bool NumberedShingles::take(std::span<const std::string_view> texts) {
  std::size_t windows = 0;
  for (const auto text : texts) windows += std::max(text.size(), roller_.window()) - roller_.window() + 1;
  const std::size_t most = std::min(kMostNumbers, kSparse * (windows / std::max<std::size_t>(1, texts.size()) + 1));
  slots_.assign(std::size_t{1} << kFirstBits, kNone);
  shift_ = 64 - kFirstBits;
  fingerprint_.clear(), stretch_of_.clear(), stretches_.clear(), runs_.clear(), run_ends_.clear();
  for (const auto text : texts) {
    if (text.size() > kMostNumbers) return false;
    number(text);
    run_ends_.push_back(runs_.size());
    if (fingerprint_.size() > most) return false;
  }
  fill_rows(texts.size());
  return true;
}

std::uint64_t NumberedShingles::shared(std::size_t text, std::size_t other) const {
  return in_both(bits_.data() + text * words_, bits_.data() + other * words_, words_);
}

void NumberedShingles::number(std::string_view text) {
  if (text.empty()) return;
  const std::size_t width = roller_.window();
  if (text.size() < width) {  // compared whole
    const std::uint64_t f = fingerprint(text);
    std::uint32_t* const slot = find(f);
    const std::uint32_t known = *slot;
    return add(known != kNone ? known : give(f, nullptr, slot), 1);
  }
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t windows = text.size() - width + 1;
  for (std::size_t at = 0; at < windows;) {
    std::uint64_t f = roller_.first(data + at);
    for (;;) {
      std::uint32_t* const slot = find(f);
      if (const std::uint32_t known = *slot; known != kNone) {
        const std::uint32_t count = in_a_row(known, text.data() + at, windows - at);
        add(known, count);
        at += count;
        break;
      }
      add(give(f, text.data() + at, slot), 1);
      if (++at == windows) return;
      f = roller_.step(f, data[at - 1], data[at + width - 1]);
    }
  }
}

void NumberedShingles::add(std::uint32_t first, std::uint32_t count) {
  const std::size_t begun = run_ends_.empty() ? 0 : run_ends_.back();
  if (runs_.size() > begun && runs_.back().first + runs_.back().count == first) runs_.back().count += count;
  else runs_.push_back({first, count});
}

// Where a fingerprint's number is, or where it belongs.
std::uint32_t* NumberedShingles::find(std::uint64_t fingerprint) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = fingerprint * kGolden >> shift_;
  while (slots_[at] != kNone && fingerprint_[slots_[at]] != fingerprint) at = (at + 1) & mask;
  return &slots_[at];
}

std::uint32_t NumberedShingles::give(std::uint64_t fingerprint, const char* at, std::uint32_t* slot) {
  const auto number = static_cast<std::uint32_t>(fingerprint_.size());
  *slot = number;
  const bool begins = stretches_.empty() || at == nullptr || stretches_.back().end != number ||
                      stretches_.back().at == nullptr || stretches_.back().at + (number - stretches_.back().first) != at;
  if (begins) stretches_.push_back({at, number, number});
  ++stretches_.back().end;
  fingerprint_.push_back(fingerprint);
  stretch_of_.push_back(static_cast<std::uint32_t>(stretches_.size() - 1));
  if (2 * fingerprint_.size() > slots_.size()) make_room();
  return number;
}

// How many numbers from this one on are those of the shingles from here on, this one included.
std::uint32_t NumberedShingles::in_a_row(std::uint32_t number, const char* at, std::size_t most) const {
  const Stretch& stretch = stretches_[stretch_of_[number]];
  const std::size_t width = roller_.window();
  if (stretch.at == nullptr) return 1;
  const char* const there = stretch.at + (number - stretch.first);
  const std::size_t further = std::min<std::size_t>(stretch.end - number, most) - 1;
  const std::size_t same = same_bytes(there, at, width + further);
  return same < width ? 1 : static_cast<std::uint32_t>(same - width + 1);  // fewer: unlike bytes of one fingerprint
}

void NumberedShingles::make_room() {
  slots_.assign(2 * slots_.size(), kNone);
  --shift_;
  for (std::uint32_t number = 0; number < fingerprint_.size(); ++number) *find(fingerprint_[number]) = number;
}

void NumberedShingles::fill_rows(std::size_t texts) {
  words_ = (fingerprint_.size() + 63) / 64;
  bits_.assign(texts * words_, 0);
  sizes_.assign(texts, 0);
  for (std::size_t text = 0, run = 0; text < texts; ++text) {
    std::uint64_t* const row = bits_.data() + text * words_;
    for (; run < run_ends_[text]; ++run) set_bits(row, runs_[run].first, runs_[run].count);
    sizes_[text] = in_both(row, row, words_);
  }
}

}  // namespace nearkin
