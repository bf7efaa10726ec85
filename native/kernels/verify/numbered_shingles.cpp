#include "verify/numbered_shingles.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.hpp"

namespace nearkin {
namespace {

// Returns how many of the next bytes are equal.
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

// Sets the bits first, …, first + count - 1.
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

bool NumberedShingles::assign(std::span<const std::string_view> texts) {
  std::size_t windows = 0, longest = 0;
  for (const auto text : texts) {
    const std::size_t count = std::max(text.size(), roller_.window()) - roller_.window() + 1;
    windows += count;
    longest = std::max(longest, count);
  }
  if (longest > kMostNumbers) return false;
  const std::size_t most = std::min(kMostNumbers, kSparse * (windows / std::max<std::size_t>(1, texts.size()) + 1));
  next_ = 0;
  fingerprint_.clear(), before_.clear();  // otherwise resizing would copy the old items
  fingerprint_.resize(std::min(windows, most + longest));
  before_.resize(fingerprint_.size());
  stretches_.clear(), runs_.clear(), run_ends_.clear();
  make_room(longest);
  for (const auto text : texts) {
    number(text);
    run_ends_.push_back(runs_.size());
    if (next_ > most) return false;
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
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t windows = text.size() < width ? 1 : text.size() - width + 1;  // a short text is one shingle
  // All fingerprints of the first text will be needed: four lanes make them in a third of the time.
  const bool first = next_ == 0;
  if (first) roll(plain_roller_, text, [&](std::size_t position, std::uint64_t f) { fingerprint_[position] = f; });
  for (std::size_t at = 0; at < windows;) {
    std::uint64_t f = 0;
    const std::size_t begin = at;
    const auto rolled = [&](std::size_t position) {
      if (text.size() < width) return fingerprint(text);
      return f = position == begin ? roller_.first(data + begin)
                                   : roller_.step(f, data[position - 1], data[position + width - 1]);
    };
    const std::uint32_t known =
        first ? number_new(text, at, windows, [&](std::size_t position) { return fingerprint_[position]; })
              : number_new(text, at, windows, rolled);
    if (known != kNone) at += repeat(known, text, at, windows - at);
  }
}

// Gives the shingles from here on the next numbers, up to one that is known. Returns its number, or none at the end.
template <class Fingerprint>
std::uint32_t NumberedShingles::number_new(std::string_view text, std::size_t& at, std::size_t windows,
                                           Fingerprint&& fingerprint_at) {
  const std::size_t begin = at;
  const std::uint32_t first = next_;
  std::uint32_t next = next_, known = kNone;
  for (; at < windows; ++at) {
    const std::uint64_t f = fingerprint_at(at);
    if ((known = find(f)) != kNone) break;
    fingerprint_[next] = f;
    enter(next++);
    if (next > slots_.size()) next_ = next, make_room(2 * std::size_t{next});
  }
  next_ = next;
  if (next == first) return known;
  add(first, next - first);
  stretches_.push_back({text, begin, run_ends_.size(), first, runs_.size() - 1});
  return known;
}

// Takes over the numbers of a known shingle and of those after it, as long as the bytes are those of its first
// occurrence. Returns how many.
std::size_t NumberedShingles::repeat(std::uint32_t known, std::string_view text, std::size_t at, std::size_t most) {
  const Stretch& stretch = stretch_of(known);
  const std::size_t width = roller_.window();
  const std::string_view other = stretch.text;
  const std::size_t there = stretch.at + (known - stretch.first);
  std::size_t count = 1;
  if (other.size() >= width) {
    const bool same_text = stretch.owner == run_ends_.size();  // of which only what lies before is numbered
    const std::size_t numbered = (same_text ? at : other.size() - width + 1) - there;
    const std::size_t same = same_bytes(other.data() + there, text.data() + at, width - 1 + std::min(numbered, most));
    if (same >= width) count = same - width + 1;  // fewer: different bytes with the same fingerprint
  }
  std::size_t run = stretch.run, left = count;
  for (std::uint32_t from = known - runs_[run].first; left > 0; ++run, from = 0) {
    const auto [first, numbers] = runs_[run];
    const auto here = static_cast<std::uint32_t>(std::min<std::size_t>(left, numbers - from));
    add(first + from, here);
    left -= here;
  }
  return count;
}

const NumberedShingles::Stretch& NumberedShingles::stretch_of(std::uint32_t number) const {
  const auto before = [](std::uint32_t value, const Stretch& stretch) { return value < stretch.first; };
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), number, before);
  return after[-1];
}

void NumberedShingles::add(std::uint32_t first, std::uint32_t count) {
  const std::size_t begun = run_ends_.empty() ? 0 : run_ends_.back();
  if (runs_.size() > begun && runs_.back().first + runs_.back().count == first) runs_.back().count += count;
  else runs_.push_back({first, count});
}

NumberedShingles::Place NumberedShingles::place_of(std::uint64_t fingerprint) const {
  const std::uint64_t spread = fingerprint * kGolden;
  return {spread >> shift_, std::uint32_t{1} << (spread >> (shift_ - 5) & 31)};
}

// Returns the number of a fingerprint, if it has one.
std::uint32_t NumberedShingles::find(std::uint64_t fingerprint) const {
  const auto [at, tag] = place_of(fingerprint);
  if ((slots_[at].tags & tag) == 0) return kNone;
  std::uint32_t number = slots_[at].number;
  while (number != kNone && fingerprint_[number] != fingerprint) number = before_[number];
  return number;
}

void NumberedShingles::enter(std::uint32_t number) {
  const auto [at, tag] = place_of(fingerprint_[number]);
  before_[number] = slots_[at].number;
  slots_[at] = {number, slots_[at].tags | tag};
}

// Makes at least one slot for each number.
void NumberedShingles::make_room(std::size_t numbers) {
  const int bits = static_cast<int>(std::bit_width(numbers));
  slots_.assign(std::size_t{1} << bits, Slot{kNone, 0});
  shift_ = 64 - bits;
  for (std::uint32_t number = 0; number < next_; ++number) enter(number);
}

void NumberedShingles::fill_rows(std::size_t texts) {
  words_ = (std::size_t{next_} + 63) / 64;
  bits_.assign(texts * words_, 0);
  sizes_.assign(texts, 0);
  for (std::size_t text = 0, run = 0; text < texts; ++text) {
    std::uint64_t* const row = bits_.data() + text * words_;
    for (; run < run_ends_[text]; ++run) set_bits(row, runs_[run].first, runs_[run].count);
    sizes_[text] = in_both(row, row, words_);
  }
}

}  // namespace nearkin
