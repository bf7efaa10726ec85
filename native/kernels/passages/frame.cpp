#include "passages/frame.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace nearkin {
namespace {

constexpr std::uint64_t kEffort = 8;  // times both texts are read, gap within gap; beyond, gaps stay
constexpr int kRounds = 3;
constexpr std::size_t kTrials = 1000;
constexpr std::uint64_t kLong = 1 << 16, kLittle = 20;  // bytes; less than a twentieth of long texts is left alone

std::uint64_t length(const Passage& p) { return p.a_end - p.a_start; }

struct Gap {
  std::uint64_t a_start, a_end, b_start, b_end;

  bool is_empty() const { return a_end <= a_start || b_end <= b_start; }
  std::uint64_t shorter() const { return is_empty() ? 0 : std::min(a_end - a_start, b_end - b_start); }
  std::uint64_t both() const { return (a_end - a_start) + (b_end - b_start); }
};

std::vector<Gap> gaps_between(const std::vector<Passage>& chain, const Gap& around) {
  std::vector<Gap> gaps;
  std::uint64_t a = around.a_start, b = around.b_start;
  for (const Passage& p : chain) {
    const std::uint64_t cut = std::max(a > p.a_start ? a - p.a_start : 0, b > p.b_start ? b - p.b_start : 0);
    gaps.push_back({a, p.a_start + cut, b, p.b_start + cut});
    a = p.a_end, b = p.b_end;
  }
  gaps.push_back({a, around.a_end, b, around.b_end});
  return gaps;
}

// Sums up how much of a text stands in the other at all, up to any place.
class SharedLength {
 public:
  explicit SharedLength(const std::vector<Stretch>& runs) {
    for (const Stretch& run : runs) {  // no run begins or ends before the run before it does
      const std::uint64_t start = reached_.empty() ? run.start : std::max(run.start, reached_.back().end);
      total_.push_back(total_.empty() ? 0 : total_.back() + reached_.back().end - reached_.back().start);
      reached_.push_back({start, run.end});
    }
  }
  std::uint64_t between(std::uint64_t from, std::uint64_t to) const { return up_to(to) - up_to(from); }

 private:
  std::uint64_t up_to(std::uint64_t at) const {
    const auto next = std::partition_point(reached_.begin(), reached_.end(),
                                           [at](const Stretch& run) { return run.start < at; });
    if (next == reached_.begin()) return 0;
    const auto last = next - 1;
    return total_[static_cast<std::size_t>(last - reached_.begin())] + std::min(at, last->end) - last->start;
  }

  std::vector<Stretch> reached_;      // the runs without their overlaps
  std::vector<std::uint64_t> total_;  // before each of them
};

class Framer {
 public:
  Framer(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least, Reading reading,
         Widener& widened)
      : a_(a),
        b_(b),
        least_(least),
        cost_(3 * least),
        characters_{reading},
        widened_(widened),
        effort_(kEffort * (a.size() + b.size())),
        in_b_(whole.maximal(Side::a)),
        in_a_(whole.maximal(Side::b)) {}

  std::vector<Passage> run(const CommonRuns& whole) {
    std::vector<Passage> unique = whole.unique();
    frame_ = filled(in_one_order(a_, b_, whole, unique), {0, a_.size(), 0, b_.size()});
    std::stable_sort(unique.begin(), unique.end(),
                     [](const Passage& x, const Passage& y) { return length(x) > length(y); });
    unique.resize(std::min(unique.size(), kTrials));
    bool better = true;
    for (int round = 0; round < kRounds && std::exchange(better, false); ++round)
      for (const Passage& p : unique) better |= is_better_with(p);
    return std::move(frame_);
  }

 private:
  std::vector<Passage> in_one_order(std::string_view a, std::string_view b, const CommonRuns& runs,
                                    std::vector<Passage> passages) const {
    std::vector<Passage> chain = heaviest_chain(passages, cost_);
    const std::uint64_t most = SharedLength(runs.maximal(Side::a)).between(0, a.size());
    const std::uint64_t left_out = most - std::min(most, weight_of(chain, cost_));
    if (4 * left_out <= most || (left_out < a.size() / kLittle && a.size() > kLong)) return chain;
    const std::vector<Passage> met = read_side_by_side(a, b, least_, characters_.reading);
    passages.insert(passages.end(), met.begin(), met.end());
    return heaviest_chain(std::move(passages), cost_);
  }

  std::vector<Passage> filled(std::vector<Passage> chain, const Gap& around) {
    for (int round = 0; round < kRounds && !chain.empty(); ++round) {
      const std::vector<Gap> gaps = gaps_between(chain, around);
      for (std::deque<Gap> open(gaps.begin(), gaps.end()); !open.empty(); open.pop_front()) {
        const Gap gap = open.front();
        if (!is_worth_it(gap)) continue;
        effort_ -= gap.both();
        const std::string_view a = a_.substr(gap.a_start, gap.a_end - gap.a_start);
        const std::string_view b = b_.substr(gap.b_start, gap.b_end - gap.b_start);
        const CommonRuns runs(a, b, least_, characters_.reading);
        std::vector<Passage> inside = in_one_order(a, b, runs, runs.unique());
        for (Passage& p : inside)
          p = {p.a_start + gap.a_start, p.a_end + gap.a_start, p.b_start + gap.b_start, p.b_end + gap.b_start};
        chain.insert(chain.end(), inside.begin(), inside.end());
        if (inside.empty()) continue;
        for (const Gap& smaller : gaps_between(inside, gap)) open.push_back(smaller);
      }
      for (Passage& p : chain) p = widened_(p);
      const std::size_t before = chain.size();
      chain = heaviest_chain(std::move(chain), cost_);
      if (chain.size() == before) break;  // otherwise some weighed less than what crosses them, and left gaps
    }
    return chain;
  }

  // Unlike texts of 10 MB took six times as long while every gap was searched for the little that may be there.
  bool is_worth_it(const Gap& gap) const {
    if (gap.shorter() < least_ || gap.both() > effort_) return false;
    const std::uint64_t most = std::min(in_b_.between(gap.a_start, gap.a_end), in_a_.between(gap.b_start, gap.b_end));
    return most >= least_ && (gap.both() < kLong || most >= gap.shorter() / kLittle);
  }

  bool is_better_with(const Passage& p) {
    const auto first =
        std::partition_point(frame_.begin(), frame_.end(), [&](const Passage& q) { return rises(q, p); });
    const auto last = std::partition_point(first, frame_.end(), [&](const Passage& q) { return !rises(p, q); });
    const bool is_known = last - first == 1 && first->a_start == p.a_start && first->b_start == p.b_start;
    if (first == last || is_known) return false;
    const auto before = first == frame_.begin() ? first : first - 1, after = last == frame_.end() ? last : last + 1;
    const Gap around{before == first ? 0 : before->a_end, last == frame_.end() ? a_.size() : last->a_start,
                     before == first ? 0 : before->b_end, last == frame_.end() ? b_.size() : last->b_start};
    // A passage that was moved far crosses more than could ever stand beside it.
    const Gap left{around.a_start, p.a_start, around.b_start, p.b_start};
    const Gap right{p.a_end, around.a_end, p.b_end, around.b_end};
    const std::uint64_t most = length(p) + left.shorter() + right.shorter();
    std::uint64_t crossed = 0;
    for (auto passage = first; passage != last && crossed < most; ++passage) crossed += worth(length(*passage), cost_);
    if (crossed >= most || around.both() > effort_) return false;
    const std::vector<Passage> old(before, after);
    std::vector<Passage> tried(before, first);
    const std::vector<Passage> inside = filled({p}, around);
    tried.insert(tried.end(), inside.begin(), inside.end());
    tried.insert(tried.end(), last, after);
    tried = heaviest_chain(std::move(tried), cost_);
    if (weight_of(tried, cost_) <= weight_of(old, cost_)) return false;
    if (before != frame_.begin() && !rises(*(before - 1), tried.front())) return false;  // it has grown too far
    if (after != frame_.end() && !rises(tried.back(), *after)) return false;
    const auto at = frame_.erase(before, after);
    frame_.insert(at, tried.begin(), tried.end());
    return true;
  }

  std::string_view a_, b_;
  std::uint64_t least_;
  std::uint64_t cost_;  // of a passage: a reader prefers one moved block to changes in every line of it
  Characters characters_;
  Widener& widened_;
  std::uint64_t effort_;
  SharedLength in_b_, in_a_;  // of A and of B
  std::vector<Passage> frame_;
};

}  // namespace

std::vector<Passage> frame_of(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least,
                              Reading reading, Widener& widened) {
  return Framer(a, b, whole, least, reading, widened).run(whole);
}

namespace {

// Tells whether a window may begin here: with a word, or with any letter of scripts that may write without spaces.
bool begins(std::string_view text, std::uint64_t at, Characters characters) {
  if (characters.reading == Reading::bytes || at == 0) return true;
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte >= 0xC0 || (byte < 0x80 && byte != ' ' && text[at - 1] == ' ');
}

// The places of the windows of B, by their hashes.
class Windows {
 public:
  Windows(std::string_view text, std::size_t wide, Characters characters) : text_(text), wide_(wide) {
    for (std::uint64_t at = 0; at + wide <= text.size(); ++at)
      if (begins(text, at, characters))
        places_.push_back({hash_of(text.substr(at, wide)), static_cast<std::uint32_t>(at)});
    std::sort(places_.begin(), places_.end());
  }

  // Returns the first place of a window from `from` on.
  std::optional<std::uint64_t> next(std::string_view window, std::uint64_t from) const {
    const std::uint32_t hash = hash_of(window);
    auto place = std::lower_bound(places_.begin(), places_.end(), std::pair{hash, static_cast<std::uint32_t>(from)});
    for (int i = 0; i < kCollisions && place != places_.end() && place->first == hash; ++place, ++i)
      if (text_.substr(place->second, wide_) == window) return place->second;
    return {};
  }

 private:
  static constexpr int kCollisions = 8;  // other windows of the same hash that are tried

  static std::uint32_t hash_of(std::string_view window) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : window) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }

  std::string_view text_;
  std::size_t wide_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;
};

constexpr std::uint64_t kLook = 5;  // bytes for each character: they surely hold a run and a space at either end

std::uint64_t same(std::string_view a, std::string_view b) {
  return static_cast<std::uint64_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

std::vector<Passage> read_side_by_side(std::string_view a, std::string_view b, std::uint64_t least, Reading reading) {
  const Characters characters{reading};
  std::vector<Passage> passages;
  if (std::min(a.size(), b.size()) < least) return passages;
  const Windows windows(b, least, characters);
  std::uint64_t at_a = 0, at_b = 0;
  while (at_a + least <= a.size() && at_b + least <= b.size()) {
    std::optional<std::pair<std::uint64_t, std::uint64_t>> best;
    std::uint64_t skipped = a.size() + b.size();
    for (std::uint64_t i = at_a; i + least <= a.size() && i - at_a < skipped; ++i) {
      if (!begins(a, i, characters) && i != at_a) continue;
      const auto there = windows.next(a.substr(i, least), at_b);
      if (!there || (i - at_a) + (*there - at_b) >= skipped) continue;
      const std::uint64_t length = same(a.substr(i, kLook * least), b.substr(*there, kLook * least));
      const Stretch run = characters.trimmed(a, {i, i + length});
      if (characters.count(a, run.start, run.end, least) < least) continue;
      best = {i, *there};
      skipped = (i - at_a) + (*there - at_b);
    }
    if (!best) break;
    const auto [start_a, start_b] = *best;
    const Stretch run = characters.trimmed(a, {start_a, start_a + same(a.substr(start_a), b.substr(start_b))});
    passages.push_back({run.start, run.end, start_b + (run.start - start_a), start_b + (run.end - start_a)});
    at_a = passages.back().a_end, at_b = passages.back().b_end;
  }
  return passages;
}

namespace {

constexpr std::size_t kNear = 16;  // passages before one that may overlap it

// The best chains by where they end in B: returns the best of all that end up to a place (a Fenwick tree of maxima).
class BestChains {
 public:
  explicit BestChains(std::size_t places) : tree_(places + 1, {0, 0}) {}
  void put(std::size_t place, std::uint64_t weight, std::size_t number) {
    for (++place; place < tree_.size(); place += place & (~place + 1))
      if (weight > tree_[place].first) tree_[place] = {weight, number};
  }
  std::pair<std::uint64_t, std::size_t> up_to(std::size_t count) const {
    std::pair<std::uint64_t, std::size_t> best{0, 0};
    for (; count > 0; count -= count & (~count + 1))
      if (tree_[count].first > best.first) best = tree_[count];
    return best;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::size_t>> tree_;
};

}  // namespace

std::vector<Passage> heaviest_chain(std::vector<Passage> sorted, std::uint64_t each_costs) {
  std::sort(sorted.begin(), sorted.end(), [](const Passage& x, const Passage& y) {
    return std::pair{x.a_start, x.b_start} < std::pair{y.a_start, y.b_start};
  });
  const std::size_t count = sorted.size();
  std::vector<std::uint64_t> places;
  for (const Passage& p : sorted) places.push_back(p.b_end);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const auto up_to = [&](std::uint64_t b) {
    return static_cast<std::size_t>(std::upper_bound(places.begin(), places.end(), b) - places.begin());
  };
  std::vector<std::size_t> by_end(count), before(count, count);
  for (std::size_t i = 0; i < count; ++i) by_end[i] = i;
  std::sort(by_end.begin(), by_end.end(), [&](std::size_t x, std::size_t y) {
    return std::pair{sorted[x].a_end, x} < std::pair{sorted[y].a_end, y};
  });
  std::vector<std::uint64_t> weight(count);
  BestChains best(places.size());
  std::size_t ended = 0, last = count;
  for (std::size_t i = 0; i < count; ++i) {
    const Passage& p = sorted[i];
    for (; ended < count && sorted[by_end[ended]].a_end <= p.a_start; ++ended) {
      const std::size_t earlier = by_end[ended];
      best.put(up_to(sorted[earlier].b_end) - 1, weight[earlier], earlier);
    }
    weight[i] = worth(length(p), each_costs);
    if (const auto [most, number] = best.up_to(up_to(p.b_start)); most > 0) {
      weight[i] += most;
      before[i] = number;
    }
    for (std::size_t j = i; j > 0 && i - j < kNear; --j) {
      const Passage& earlier = sorted[j - 1];
      const std::uint64_t shared = overlap(earlier, p);
      if (shared == 0 || shared >= length(p) || !rises(earlier, p)) continue;
      if (const std::uint64_t both = weight[j - 1] + worth(length(p) - shared, each_costs); both > weight[i]) {
        weight[i] = both;
        before[i] = j - 1;
      }
    }
    if (last == count || weight[i] > weight[last]) last = i;
  }
  std::vector<Passage> chain;
  for (std::size_t at = last; at < count; at = before[at]) chain.push_back(sorted[at]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::uint64_t weight_of(const std::vector<Passage>& chain, std::uint64_t each_costs) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::uint64_t cut = i == 0 ? 0 : overlap(chain[i - 1], chain[i]);
    if (cut < length(chain[i])) total += worth(length(chain[i]) - cut, each_costs);
  }
  return total;
}

}  // namespace nearkin
