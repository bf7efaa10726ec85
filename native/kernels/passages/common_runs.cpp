#include "passages/common_runs.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

#include "passages/suffix_array.hpp"

namespace nearkin {
namespace {

using Index = std::int32_t;
constexpr Index kNone = -1;
constexpr Index kPrefetched = 24;  // ranks whose suffixes are prefetched
constexpr int kPlaces = 64;  // of a run that are considered to either side: a line repeated 10,000 times costs no more

// Joins both texts with a mark between and one at the end, with as many bytes a symbol as their alphabet needs.
template <class Symbol>
std::vector<Symbol> joined(std::string_view a, std::string_view b, const std::array<std::uint16_t, 256>& code) {
  std::vector<Symbol> text;
  text.reserve(a.size() + b.size() + 2);
  for (const char c : a) text.push_back(static_cast<Symbol>(code[static_cast<unsigned char>(c)]));
  text.push_back(1);
  for (const char c : b) text.push_back(static_cast<Symbol>(code[static_cast<unsigned char>(c)]));
  text.push_back(0);
  return text;
}

// Computes how far each suffix agrees with the one before it in the array, by its place in the text (Kärkkäinen,
// Manzini and Puglisi 2009).
template <class Symbol>
std::vector<Index> agreements(const std::vector<Symbol>& text, const std::vector<Index>& array) {
  std::vector<Index> agree(text.size());
  agree[array[0]] = kNone;
  for (std::size_t i = 1; i < array.size(); ++i) agree[array[i]] = array[i - 1];
  Index length = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + kPrefetched < text.size()) __builtin_prefetch(&text[std::max(agree[i + kPrefetched], 0) + length]);
    const Index before = agree[i];
    if (before == kNone) {
      agree[i] = length = 0;
      continue;
    }
    while (text[i + length] == text[before + length]) ++length;
    agree[i] = length;
    if (length > 0) --length;
  }
  return agree;
}

void shorten(std::array<Index, 2>& reach, Index most) {
  for (auto& length : reach) length = std::min(length, most);
}

}  // namespace

Stretch Characters::trimmed(std::string_view text, Stretch run) const {
  while (run.start < run.end && (inside(text, run.start) || separates(text, run.start))) ++run.start;
  while (run.end > run.start && inside(text, run.end)) --run.end;
  while (run.end > run.start && separates(text, run.end - 1)) --run.end;
  return run;
}

std::uint64_t Characters::count(std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t most) const {
  std::uint64_t characters = 0;
  while (from < to && characters < most) characters += !inside(text, from++);
  return characters;
}

CommonRuns::CommonRuns(std::string_view a, std::string_view b, std::uint64_t least, Reading reading)
    : a_(a), b_(b), least_(std::max<std::uint64_t>(least, 1)), characters_{reading}, start_of_b_(a.size() + 1) {
  sort();
  longest_.assign(array_.size(), 0);
  rank_.assign(array_.size(), kNone);
  sweep(1);
  sweep(kNone);
}

void CommonRuns::sort() {
  std::array<bool, 256> used{};
  for (const auto text : {a_, b_})
    for (const char c : text) used[static_cast<unsigned char>(c)] = true;
  std::array<std::uint16_t, 256> code{};
  std::uint16_t next = 2;
  for (std::size_t c = 0; c < used.size(); ++c)
    if (used[c]) code[c] = next++;
  if (next <= 256) {
    sort_as(joined<std::uint8_t>(a_, b_, code), next);
  } else {
    sort_as(joined<std::uint16_t>(a_, b_, code), next);
  }
}

template <class Symbol>
void CommonRuns::sort_as(const std::vector<Symbol>& text, Index alphabet) {
  array_ = suffix_array(std::span<const Symbol>(text), alphabet);
  agree_ = agreements(text, array_);
}

void CommonRuns::sweep(Index step) {
  const Index count = static_cast<Index>(array_.size());
  std::array<Index, 2> last{kNone, kNone}, reach{0, 0};  // of A and of B
  for (Index rank = step > 0 ? 0 : count - 1; rank >= 0 && rank < count; rank += step) {
    if (const Index later = rank + kPrefetched * step; later >= 0 && later < count) {
      __builtin_prefetch(&agree_[array_[later]]);
      __builtin_prefetch(&longest_[array_[later]]);
    }
    const Index at = array_[rank];
    if (step > 0) shorten(reach, agree_[at]);
    const bool mine = in_b(at);
    if (last[!mine] != kNone && reach[!mine] > longest_[at]) {
      longest_[at] = reach[!mine];
      rank_[at] = last[!mine];
    }
    last[mine] = rank;
    reach[mine] = count;
    if (step < 0) shorten(reach, agree_[at]);
  }
}

std::vector<Passage> CommonRuns::unique() const {
  std::vector<Passage> passages;
  const std::size_t count = array_.size();
  for (std::size_t rank = 1; rank < count; ++rank) {
    if (rank + kPrefetched < count) __builtin_prefetch(&agree_[array_[rank + kPrefetched]]);
    const Index at = array_[rank], before = array_[rank - 1], length = agree_[at];
    if (static_cast<std::uint64_t>(length) < least_ || in_b(at) == in_b(before) || agree_[before] >= length) continue;
    if (rank + 1 < count && agree_[array_[rank + 1]] >= length) continue;
    const std::uint64_t a = static_cast<std::uint64_t>(std::min(at, before));
    const std::uint64_t b = static_cast<std::uint64_t>(std::max(at, before)) - start_of_b_;
    if (a > 0 && b > 0 && a_[a - 1] == b_[b - 1]) continue;
    const Stretch run = characters_.trimmed(a_, {a, a + static_cast<std::uint64_t>(length)});
    if (characters_.count(a_, run.start, run.end, least_) < least_) continue;
    passages.push_back({run.start, run.end, b + (run.start - a), b + (run.end - a)});
  }
  std::sort(passages.begin(), passages.end(), [](const Passage& x, const Passage& y) { return x.a_start < y.a_start; });
  return passages;
}

std::vector<Stretch> CommonRuns::maximal(Side side) const {
  const std::string_view text = side == Side::a ? a_ : b_;
  const std::size_t offset = side == Side::a ? 0 : start_of_b_;
  std::vector<Stretch> runs;
  std::uint64_t reached = 0;
  for (std::uint64_t i = 0; i < text.size(); ++i) {
    const auto length = static_cast<std::uint64_t>(longest_[offset + i]);
    if (length < least_ || characters_.inside(text, i) || characters_.separates(text, i)) continue;
    const Stretch run = characters_.trimmed(text, {i, i + length});
    if (run.end <= reached || characters_.count(text, run.start, run.end, least_) < least_) continue;
    reached = run.end;
    runs.push_back(run);
  }
  return runs;
}

Passage CommonRuns::placed(const Stretch& run, Side side, std::int64_t shift) const {
  const std::size_t offset = side == Side::a ? 0 : start_of_b_, other_offset = side == Side::a ? start_of_b_ : 0;
  const Index length = static_cast<Index>(run.end - run.start);
  const Index first = rank_[offset + run.start];
  const auto wanted = static_cast<std::int64_t>(run.start) + shift;
  std::uint64_t best = static_cast<std::uint64_t>(array_[first]) - other_offset;
  const auto consider = [&](Index rank) {
    const Index at = array_[rank];
    if (in_b(at) == (side == Side::b)) return;
    const std::uint64_t here = static_cast<std::uint64_t>(at) - other_offset;
    const auto away = [wanted](std::uint64_t p) { return std::abs(static_cast<std::int64_t>(p) - wanted); };
    if (away(here) < away(best) || (away(here) == away(best) && here < best)) best = here;
  };
  Index rank = first;
  for (int i = 0; i < kPlaces && agree_[array_[rank]] >= length; ++i) consider(--rank);
  rank = first;
  const auto last = static_cast<Index>(array_.size()) - 1;
  for (int i = 0; i < kPlaces && rank < last && agree_[array_[rank + 1]] >= length; ++i) consider(++rank);
  const Stretch there{best, best + (run.end - run.start)};
  return side == Side::a ? Passage{run.start, run.end, there.start, there.end}
                         : Passage{there.start, there.end, run.start, run.end};
}

}  // namespace nearkin
