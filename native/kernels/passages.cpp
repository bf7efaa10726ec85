#include "passages.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "suffix_array.hpp"

namespace nearkin {
namespace {

using Index = std::int32_t;
constexpr Index kNone = -1;
constexpr Index kAhead = 24;  // ranks; what they name is asked for in time
constexpr int kPlaces = 64;  // of one run that are looked at, to either side: a line repeated 10,000 times costs no more

struct Run {
  std::uint64_t start, end;
};

// Both texts with a mark between and one at the end, in as many bytes a symbol as their alphabet needs.
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

// How far each suffix agrees with the one before it in the array, by its place in the text (Kärkkäinen, Manzini and
// Puglisi 2009).
template <class Symbol>
std::vector<Index> agreements(const std::vector<Symbol>& text, const std::vector<Index>& array) {
  std::vector<Index> agree(text.size());
  agree[array[0]] = kNone;
  for (std::size_t i = 1; i < array.size(); ++i) agree[array[i]] = array[i - 1];
  Index length = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + kAhead < text.size()) __builtin_prefetch(&text[std::max(agree[i + kAhead], 0) + length]);
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

class Matcher {
 public:
  Matcher(std::string_view a, std::string_view b, std::uint64_t least, Reading reading)
      : a_(a), b_(b), least_(std::max<std::uint64_t>(least, 1)), reading_(reading), start_of_b_(a.size() + 1) {}

  std::vector<Passage> run() {
    sort();
    measure();
    std::vector<Passage> found;
    for (const Run& run : chosen(a_, 0, {})) {
      const std::uint64_t at = place(run, 0);
      found.push_back({run.start, run.end, at, at + (run.end - run.start)});
    }
    std::vector<Run> covered;
    for (const Passage& p : found) covered.push_back({p.b_start, p.b_end});
    std::sort(covered.begin(), covered.end(), [](const Run& x, const Run& y) { return x.start < y.start; });
    for (const Run& run : chosen(b_, start_of_b_, covered)) {
      const std::uint64_t at = place(run, start_of_b_);
      found.push_back({at, at + (run.end - run.start), run.start, run.end});
    }
    const auto order = [](const Passage& p) { return std::array{p.a_start, p.b_start, p.a_end}; };
    std::sort(found.begin(), found.end(), [&](const Passage& x, const Passage& y) { return order(x) < order(y); });
    return found;
  }

 private:
  void sort() {
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
  void sort_as(const std::vector<Symbol>& text, Index alphabet) {
    array_ = suffix_array(std::span<const Symbol>(text), alphabet);
    agree_ = agreements(text, array_);
  }

  bool in_b(Index at) const { return static_cast<std::size_t>(at) >= start_of_b_; }

  // For each suffix the longest start that it has in common with one of the other text, and the rank of that one.
  void measure() {
    longest_.assign(array_.size(), 0);
    rank_.assign(array_.size(), kNone);
    sweep(1);
    sweep(kNone);
  }

  void sweep(Index step) {
    const Index count = static_cast<Index>(array_.size());
    std::array<Index, 2> last{kNone, kNone}, reach{0, 0};  // of A and of B
    for (Index rank = step > 0 ? 0 : count - 1; rank >= 0 && rank < count; rank += step) {
      if (const Index later = rank + kAhead * step; later >= 0 && later < count) {
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

  static void shorten(std::array<Index, 2>& reach, Index most) {
    for (auto& one : reach) one = std::min(one, most);
  }

  bool inside_character(std::string_view text, std::uint64_t at) const {
    return reading_ == Reading::words && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  }
  bool separates(std::string_view text, std::uint64_t at) const { return reading_ == Reading::words && text[at] == ' '; }

  // Whether this many bytes hold `least` characters that nothing covers.
  bool enough(std::string_view text, std::uint64_t from, std::uint64_t to, const std::vector<Run>& covered, std::size_t next) const {
    std::uint64_t count = 0;
    while (from < to && count < least_) {
      while (next < covered.size() && covered[next].end <= from) ++next;
      if (next < covered.size() && covered[next].start <= from) {
        from = covered[next].end;
        continue;
      }
      count += !inside_character(text, from++);
    }
    return count >= least_;
  }

  // The longest runs of a text that lie in the other one, none inside another, and long enough.
  std::vector<Run> maximal(std::string_view text, std::size_t offset) const {
    std::vector<Run> runs;
    std::uint64_t reached = 0;
    for (std::uint64_t i = 0; i < text.size(); ++i) {
      if (static_cast<std::uint64_t>(longest_[offset + i]) < least_ || inside_character(text, i) || separates(text, i)) continue;
      std::uint64_t end = i + static_cast<std::uint64_t>(longest_[offset + i]);
      while (end > i && inside_character(text, end)) --end;
      while (end > i && separates(text, end - 1)) --end;
      if (end <= reached || !enough(text, i, end, {}, 0)) continue;
      reached = end;
      runs.push_back({i, end});
    }
    return runs;
  }

  std::vector<Run> chosen(std::string_view text, std::size_t offset, const std::vector<Run>& covered) const {
    const std::vector<Run> runs = maximal(text, offset);
    std::vector<Run> found;
    std::size_t next = 0;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < runs.size();) {
      if (runs[i].end <= at) {
        ++i;
        continue;
      }
      at = std::max(at, runs[i].start);
      while (next < covered.size() && covered[next].end <= at) ++next;
      if (next < covered.size() && covered[next].start <= at) {
        at = covered[next].end;
        continue;
      }
      while (i + 1 < runs.size() && runs[i + 1].start <= at) ++i;
      if (enough(text, at, runs[i].end, covered, next)) {
        found.push_back(runs[i]);
        at = runs[i].end;
      } else {
        ++at;
      }
    }
    return found;
  }

  // Where the other text has a run: nearest to where it would be had nothing changed since the run before.
  std::uint64_t place(const Run& run, std::size_t offset) {
    const Index length = static_cast<Index>(run.end - run.start);
    const Index first = rank_[offset + run.start];
    const auto shift = offset == 0 ? shift_ : -shift_;
    const auto wished = static_cast<std::int64_t>(run.start) + shift;
    const std::size_t other = offset == 0 ? start_of_b_ : 0;
    std::uint64_t best = static_cast<std::uint64_t>(array_[first]) - other;
    const auto consider = [&](Index rank) {
      const Index at = array_[rank];
      if (in_b(at) == (offset != 0)) return;
      const std::uint64_t here = static_cast<std::uint64_t>(at) - other;
      const auto away = [wished](std::uint64_t p) { return std::abs(static_cast<std::int64_t>(p) - wished); };
      if (away(here) < away(best) || (away(here) == away(best) && here < best)) best = here;
    };
    Index rank = first;
    for (int i = 0; i < kPlaces && agree_[array_[rank]] >= length; ++i) consider(--rank);
    rank = first;
    for (int i = 0; i < kPlaces && rank + 1 < static_cast<Index>(array_.size()) && agree_[array_[rank + 1]] >= length; ++i) consider(++rank);
    const auto moved = static_cast<std::int64_t>(best) - static_cast<std::int64_t>(run.start);
    shift_ = offset == 0 ? moved : -moved;
    return best;
  }

  std::string_view a_, b_;
  std::uint64_t least_;
  Reading reading_;
  std::size_t start_of_b_;
  std::int64_t shift_ = 0;
  std::vector<Index> array_, agree_, longest_, rank_;
};

}  // namespace

std::vector<Passage> common_passages(std::string_view a, std::string_view b, std::uint64_t least, Reading reading) {
  if (a.size() + b.size() > 0x7FFFFFFCu) throw std::length_error("two texts of together more than 2 GB");
  if (a.empty() || b.empty()) return {};
  return Matcher(a, b, least, reading).run();
}

}  // namespace nearkin
