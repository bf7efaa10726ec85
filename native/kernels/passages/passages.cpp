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

constexpr char kAfterA = '\xFE', kAfterB = '\xFF';  // in no UTF-8; in raw bytes a run across one is cut there

// The stretches of a text that no passage covers, joined.
struct Rest {
  std::string text;
  std::vector<std::pair<std::uint64_t, Stretch>> pieces;  // where each begins in `text`, and where it was

  // Returns where a run of the rest was, as far as it lies in one piece.
  Stretch origin(const Stretch& run) const {
    const auto next = std::upper_bound(pieces.begin(), pieces.end(), run.start,
                                       [](std::uint64_t at, const auto& piece) { return at < piece.first; });
    const auto& [start, piece] = *std::prev(next);
    const std::uint64_t from = piece.start + (run.start - start);
    return {std::min(from, piece.end), std::min(from + (run.end - run.start), piece.end)};
  }
};

Stretch run_of(const Passage& p, Side side) {
  return side == Side::a ? Stretch{p.a_start, p.a_end} : Stretch{p.b_start, p.b_end};
}

// One of the two texts, and how much of it is listed.
struct ListedText {
  std::string_view text;
  Coverage covered;
  std::vector<Passage> runs;  // its longest runs that lie in the other text, in its order

  // Tells whether at least `least` characters of a stretch are not covered.
  bool enough(std::uint64_t from, std::uint64_t to, std::uint64_t least, Characters characters) const {
    std::uint64_t count = 0;
    while ((from = covered.past(from)) < to && count < least) {
      const std::uint64_t stop = covered.next(from, to);
      count += characters.count(text, from, stop, least - count);
      from = stop;
    }
    return count >= least;
  }

  // Collects only what lies in the other text: of unlike texts that is next to nothing.
  Rest rest(Side side, std::uint64_t least, char mark) const {
    Rest rest;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      at = std::max(at, run_of(runs[i], side).start);
      std::uint64_t end = run_of(runs[i], side).end;
      while (i + 1 < runs.size() && run_of(runs[i + 1], side).start <= end) end = run_of(runs[++i], side).end;
      while ((at = covered.past(at)) < end) {
        const std::uint64_t stop = covered.next(at, end);
        if (stop - at >= least) {
          rest.pieces.push_back({rest.text.size(), {at, stop}});
          rest.text.append(text.substr(at, stop - at));
          rest.text.push_back(mark);
        }
        at = stop;
      }
    }
    return rest;
  }
};

class Listing {
 public:
  Listing(std::string_view a, std::string_view b, std::uint64_t least, Reading reading)
      : a_{a, {}, {}},
        b_{b, {}, {}},
        least_(std::max<std::uint64_t>(least, 1)),
        characters_{reading},
        widened_(a, b, reading) {}

  std::vector<ListedPassage> run() {
    list_frame();
    list_moved();
    list_repeated(Side::a);
    list_repeated(Side::b);
    const auto order = [](const Passage& p) { return std::array{p.a_start, p.b_start, p.a_end}; };
    std::sort(passages_.begin(), passages_.end(),
              [&](const Passage& x, const Passage& y) { return order(x) < order(y); });
    return std::move(passages_);
  }

 private:
  void list(const Passage& p, PassageKind kind) {
    passages_.push_back({p, kind});
    a_.covered.add(p.a_start, p.a_end);
    b_.covered.add(p.b_start, p.b_end);
  }

  void list_frame() {
    const CommonRuns whole(a_.text, b_.text, least_, characters_.reading);
    const std::vector<Passage> frame = frame_of(a_.text, b_.text, whole, least_, characters_.reading, widened_);
    for (const Passage& p : frame) list(p, PassageKind::in_order);
    note_runs(whole, Side::a, frame);
    note_runs(whole, Side::b, frame);
  }

  // Notes the runs that the frame does not cover, placed nearest to the diagonal of the passage of the frame before.
  void note_runs(const CommonRuns& whole, Side side, const std::vector<Passage>& frame) {
    ListedText& text = side == Side::a ? a_ : b_;
    std::size_t next = 0;
    std::int64_t shift = 0;
    for (const Stretch& run : whole.maximal(side)) {
      if (!text.enough(run.start, run.end, least_, characters_)) continue;
      for (; next < frame.size() && run_of(frame[next], side).start <= run.start; ++next) {
        shift = static_cast<std::int64_t>(frame[next].b_start) - static_cast<std::int64_t>(frame[next].a_start);
        if (side == Side::b) shift = -shift;
      }
      text.runs.push_back(whole.placed(run, side, shift));
    }
  }

  void list_moved() {
    if (a_.runs.empty() || b_.runs.empty()) return;
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

  void list_repeated(Side side) {
    ListedText& text = side == Side::a ? a_ : b_;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < text.runs.size();) {
      if (run_of(text.runs[i], side).end <= at) {
        ++i;
        continue;
      }
      at = text.covered.past(std::max(at, run_of(text.runs[i], side).start));
      if (run_of(text.runs[i], side).end <= at) continue;
      while (i + 1 < text.runs.size() && run_of(text.runs[i + 1], side).start <= at) ++i;
      const Stretch run = run_of(text.runs[i], side);
      if (text.enough(at, run.end, least_, characters_)) list(text.runs[i], PassageKind::repeated);
      else if (++i == text.runs.size()) return;
    }
  }

  ListedText a_, b_;
  std::uint64_t least_;
  Characters characters_;
  Widener widened_;
  std::vector<ListedPassage> passages_;
};

}  // namespace

std::vector<ListedPassage> common_passages(std::string_view a, std::string_view b, std::uint64_t least,
                                           Reading reading) {
  if (a.size() + b.size() > 0x7FFFFFFCu) throw std::length_error("two texts of together more than 2 GB");
  if (a.empty() || b.empty()) return {};
  return Listing(a, b, least, reading).run();
}

std::vector<std::uint8_t> share_windows(std::string_view text, std::span<const std::string_view> others,
                                        std::size_t window, unsigned threads) {
  std::vector<std::uint8_t> shares(others.size());
  if (text.size() < window) return shares;
  const Roller roller(window);
  std::vector<std::uint64_t> windows;
  windows.reserve(text.size());
  roll(roller, text, [&](std::size_t, std::uint64_t f) { windows.push_back(f); });
  std::sort(windows.begin(), windows.end());
  // One bit in 16 is set, so that 15 of 16 windows that are not shared are dismissed by one look.
  const int bits = std::bit_width(windows.size()) + 4;
  std::vector<bool> seen(std::size_t{1} << bits);
  for (const auto f : windows) seen[f >> (64 - bits)] = true;
  parallel_blocks(others.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (others[i].size() < window) continue;
      bool shared = false;
      roll(roller, others[i], [&](std::size_t, std::uint64_t f) {
        if (!shared && seen[f >> (64 - bits)]) shared = std::binary_search(windows.begin(), windows.end(), f);
      });
      shares[i] = shared;
    }
  });
  return shares;
}

}  // namespace nearkin
