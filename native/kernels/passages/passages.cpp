#include "passages/passages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/parallel.hpp"
#include "passages/common_runs.hpp"
#include "passages/frame.hpp"
#include "sign/rabin.hpp"

namespace nearkin {
namespace {

constexpr char kAfterA = '\xFE', kAfterB = '\xFF';  // in no UTF-8; among raw bytes a run across one is cut there

// Stretches of a text that nothing covers, one after the other.
struct Rest {
  std::string text;
  std::vector<std::pair<std::uint64_t, Stretch>> pieces;  // where each begins in it, and where it was

  // Where a run of the rest was, as far as it lies in one piece.
  Stretch origin(const Stretch& run) const {
    const auto next = std::upper_bound(pieces.begin(), pieces.end(), run.start, [](std::uint64_t at, const auto& piece) { return at < piece.first; });
    const auto& [start, piece] = *std::prev(next);
    const std::uint64_t from = piece.start + (run.start - start);
    return {std::min(from, piece.end), std::min(from + (run.end - run.start), piece.end)};
  }
};

Stretch run_of(const Passage& p, Side side) { return side == Side::a ? Stretch{p.a_start, p.a_end} : Stretch{p.b_start, p.b_end}; }

// One text of the two, and how much of it is listed.
struct Half {
  std::string_view text;
  Covered covered;
  std::vector<Passage> elsewhere;  // its longest runs that lie in the other text, in its order

  bool enough(std::uint64_t from, std::uint64_t to, std::uint64_t least, Characters characters) const {
    std::uint64_t count = 0;
    while ((from = covered.past(from)) < to && count < least) {
      const std::uint64_t stop = covered.next(from, to);
      count += characters.count(text, from, stop, least - count);
      from = stop;
    }
    return count >= least;
  }

  // Only what lies in the other text: of unlike ones that is next to nothing.
  Rest rest(Side side, std::uint64_t least, char mark) const {
    Rest found;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < elsewhere.size(); ++i) {
      at = std::max(at, run_of(elsewhere[i], side).start);
      std::uint64_t end = run_of(elsewhere[i], side).end;
      while (i + 1 < elsewhere.size() && run_of(elsewhere[i + 1], side).start <= end) end = run_of(elsewhere[++i], side).end;
      while ((at = covered.past(at)) < end) {
        const std::uint64_t stop = covered.next(at, end);
        if (stop - at >= least) {
          found.pieces.push_back({found.text.size(), {at, stop}});
          found.text.append(text.substr(at, stop - at));
          found.text.push_back(mark);
        }
        at = stop;
      }
    }
    return found;
  }
};

class Listing {
 public:
  Listing(std::string_view a, std::string_view b, std::uint64_t least, Reading reading)
      : a_{a, {}, {}}, b_{b, {}, {}}, least_(std::max<std::uint64_t>(least, 1)), characters_{reading}, widened_(a, b, reading) {}

  std::vector<ListedPassage> run() {
    list_frame();
    list_moved();
    list_more(Side::a);
    list_more(Side::b);
    const auto order = [](const Passage& p) { return std::array{p.a_start, p.b_start, p.a_end}; };
    std::sort(found_.begin(), found_.end(), [&](const Passage& x, const Passage& y) { return order(x) < order(y); });
    return std::move(found_);
  }

 private:
  void list(const Passage& p, PassageKind kind) {
    found_.push_back({p, kind});
    a_.covered.add(p.a_start, p.a_end);
    b_.covered.add(p.b_start, p.b_end);
  }

  void list_frame() {
    const CommonRuns whole(a_.text, b_.text, least_, characters_.reading);
    const std::vector<Passage> frame = frame_of(a_.text, b_.text, whole, least_, characters_.reading, widened_);
    for (const Passage& p : frame) list(p, PassageKind::in_order);
    note_elsewhere(whole, Side::a, frame);
    note_elsewhere(whole, Side::b, frame);
  }

  // Runs that the frame does not cover, nearest to the diagonal of the frame before.
  void note_elsewhere(const CommonRuns& whole, Side side, const std::vector<Passage>& frame) {
    Half& half = side == Side::a ? a_ : b_;
    std::size_t next = 0;
    std::int64_t shift = 0;
    for (const Stretch& run : whole.maximal(side)) {
      if (!half.enough(run.start, run.end, least_, characters_)) continue;
      for (; next < frame.size() && (side == Side::a ? frame[next].a_start : frame[next].b_start) <= run.start; ++next) {
        shift = static_cast<std::int64_t>(frame[next].b_start) - static_cast<std::int64_t>(frame[next].a_start);
        if (side == Side::b) shift = -shift;
      }
      half.elsewhere.push_back(whole.placed(run, side, shift));
    }
  }

  void list_moved() {
    if (a_.elsewhere.empty() || b_.elsewhere.empty()) return;
    const Rest a = a_.rest(Side::a, least_, kAfterA), b = b_.rest(Side::b, least_, kAfterB);
    if (a.text.empty() || b.text.empty()) return;
    const CommonRuns runs(a.text, b.text, least_, characters_.reading);
    std::vector<Passage> moved = runs.unique();
    for (const Stretch& run : runs.maximal(Side::a)) moved.push_back(runs.placed(run, Side::a, 0));
    const auto order = [](const Passage& p) { return std::array{~(p.a_end - p.a_start), p.a_start, p.b_start}; };
    std::sort(moved.begin(), moved.end(), [&](const Passage& x, const Passage& y) { return order(x) < order(y); });
    for (const Passage& p : moved) {
      const Stretch there = b.origin({p.b_start, p.b_end}), here = a.origin({p.a_start, p.a_end});
      const std::uint64_t shared = std::min(here.end - here.start, there.end - there.start);
      if (!a_.enough(here.start, here.start + shared, least_, characters_)) continue;
      if (!b_.enough(there.start, there.start + shared, least_, characters_)) continue;
      list(widened_({here.start, here.start + shared, there.start, there.start + shared}), PassageKind::moved);
    }
  }

  void list_more(Side side) {
    Half& half = side == Side::a ? a_ : b_;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < half.elsewhere.size();) {
      if (run_of(half.elsewhere[i], side).end <= at) {
        ++i;
        continue;
      }
      at = half.covered.past(std::max(at, run_of(half.elsewhere[i], side).start));
      if (run_of(half.elsewhere[i], side).end <= at) continue;
      while (i + 1 < half.elsewhere.size() && run_of(half.elsewhere[i + 1], side).start <= at) ++i;
      const Stretch run = run_of(half.elsewhere[i], side);
      if (half.enough(at, run.end, least_, characters_)) list(half.elsewhere[i], PassageKind::repeated);
      else if (++i == half.elsewhere.size()) return;
    }
  }

  Half a_, b_;
  std::uint64_t least_;
  Characters characters_;
  Widening widened_;
  std::vector<ListedPassage> found_;
};

}  // namespace

std::vector<ListedPassage> common_passages(std::string_view a, std::string_view b, std::uint64_t least, Reading reading) {
  if (a.size() + b.size() > 0x7FFFFFFCu) throw std::length_error("two texts of together more than 2 GB");
  if (a.empty() || b.empty()) return {};
  return Listing(a, b, least, reading).run();
}

std::vector<std::uint8_t> holding(std::string_view text, std::span<const std::string_view> others, std::size_t window,
                                  unsigned threads) {
  std::vector<std::uint8_t> found(others.size());
  if (text.size() < window) return found;
  const Roller roller(window);
  std::vector<std::uint64_t> windows;
  windows.reserve(text.size());
  roll(roller, text, [&](std::size_t, std::uint64_t f) { windows.push_back(f); });
  std::sort(windows.begin(), windows.end());
  // One bit in 16 is set, so that 15 of 16 strange windows are dismissed by one look.
  const int bits = std::bit_width(windows.size()) + 4;
  std::vector<bool> seen(std::size_t{1} << bits);
  for (const auto f : windows) seen[f >> (64 - bits)] = true;
  parallel_blocks(others.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (others[i].size() < window) continue;
      bool here = false;
      roll(roller, others[i], [&](std::size_t, std::uint64_t f) {
        if (!here && seen[f >> (64 - bits)]) here = std::binary_search(windows.begin(), windows.end(), f);
      });
      found[i] = here;
    }
  });
  return found;
}

}  // namespace nearkin
