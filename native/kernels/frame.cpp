#include "frame.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace nearkin {
namespace {

constexpr std::size_t kNear = 16;  // passages before one that may overlap it
constexpr std::uint64_t kEffort = 8;  // times both texts are looked at, gap within gap; beyond, what is left is left
constexpr int kRounds = 3;

// Best chains by where they end in B: the best of all that end up to a place.
class Best {
 public:
  explicit Best(std::size_t places) : tree_(places + 1, {0, 0}) {}
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

std::uint64_t length(const Passage& p) { return p.a_end - p.a_start; }

std::uint64_t overlap(const Passage& before, const Passage& after) {
  const std::uint64_t a = before.a_end > after.a_start ? before.a_end - after.a_start : 0;
  const std::uint64_t b = before.b_end > after.b_start ? before.b_end - after.b_start : 0;
  return std::max(a, b);
}

bool rises(const Passage& x, const Passage& y) {
  return x.a_start < y.a_start && x.b_start < y.b_start && x.a_end < y.a_end && x.b_end < y.b_end;
}

bool earlier(const Passage& x, const Passage& y) {
  return std::pair{x.a_start, x.b_start} < std::pair{y.a_start, y.b_start};
}

struct Gap {
  std::uint64_t a_start, a_end, b_start, b_end;
};

std::vector<Gap> gaps_between(const std::vector<Passage>& chain, const Gap& around) {
  std::vector<Gap> found;
  std::uint64_t a = around.a_start, b = around.b_start;
  for (const Passage& p : chain) {
    const std::uint64_t cut = std::max(a > p.a_start ? a - p.a_start : 0, b > p.b_start ? b - p.b_start : 0);
    found.push_back({a, p.a_start + cut, b, p.b_start + cut});
    a = p.a_end, b = p.b_end;
  }
  found.push_back({a, around.a_end, b, around.b_end});
  return found;
}

std::vector<Passage> chained(std::vector<Passage> passages, std::uint64_t each_costs) {
  std::sort(passages.begin(), passages.end(), earlier);
  std::vector<Passage> found;
  for (const std::size_t number : heaviest_chain(passages, each_costs)) found.push_back(passages[number]);
  return found;
}

// Nearest to the diagonal of the run before.
std::vector<Passage> followed(const CommonRuns& runs) {
  std::vector<Passage> found;
  std::int64_t shift = 0;
  for (const Run& run : runs.maximal(Side::a)) {
    found.push_back(runs.placed(run, Side::a, shift));
    shift = static_cast<std::int64_t>(found.back().b_start) - static_cast<std::int64_t>(found.back().a_start);
  }
  return found;
}

std::vector<Passage> in_one_order(const CommonRuns& runs, std::uint64_t least) {
  std::vector<Passage> chain = chained(runs.unique(), least / 2);
  return chain.empty() ? chained(followed(runs), least / 2) : chain;
}

}  // namespace

std::vector<std::size_t> heaviest_chain(const std::vector<Passage>& sorted, std::uint64_t each_costs) {
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
  Best best(places.size());
  std::size_t ended = 0, last = count;
  for (std::size_t i = 0; i < count; ++i) {
    const Passage& p = sorted[i];
    for (; ended < count && sorted[by_end[ended]].a_end <= p.a_start; ++ended) {
      const std::size_t one = by_end[ended];
      best.put(up_to(sorted[one].b_end) - 1, weight[one], one);
    }
    const auto worth = [each_costs](std::uint64_t long_) { return long_ > each_costs ? long_ - each_costs : 1; };
    weight[i] = worth(length(p));
    if (const auto [most, number] = best.up_to(up_to(p.b_start)); most > 0) {
      weight[i] += most;
      before[i] = number;
    }
    for (std::size_t j = i; j > 0 && i - j < kNear; --j) {
      const Passage& other = sorted[j - 1];
      const std::uint64_t shared = overlap(other, p);
      if (shared == 0 || shared >= length(p) || !rises(other, p)) continue;
      if (const std::uint64_t both = weight[j - 1] + worth(length(p) - shared); both > weight[i]) {
        weight[i] = both;
        before[i] = j - 1;
      }
    }
    if (last == count || weight[i] > weight[last]) last = i;
  }
  std::vector<std::size_t> chain;
  for (std::size_t at = last; at < count; at = before[at]) chain.push_back(at);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

Widening::Widening(std::string_view a, std::string_view b, Reading reading)
    : a_(a), b_(b), characters_{reading}, left_(kEffort * (a.size() + b.size())) {}

Passage Widening::operator()(const Passage& passage) {
  std::uint64_t before = 0, after = 0;
  while (left_ > 0 && before < std::min(passage.a_start, passage.b_start) &&
         a_[passage.a_start - before - 1] == b_[passage.b_start - before - 1])
    ++before, --left_;
  while (left_ > 0 && passage.a_end + after < a_.size() && passage.b_end + after < b_.size() &&
         a_[passage.a_end + after] == b_[passage.b_end + after])
    ++after, --left_;
  const Run run = characters_.trimmed(a_, {passage.a_start - before, passage.a_end + after});
  const std::uint64_t b_start = passage.b_start - (passage.a_start - run.start) ;
  return {run.start, run.end, b_start, b_start + (run.end - run.start)};
}

std::vector<Passage> frame_of(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least, Reading reading,
                              Widening& widened) {
  const Gap everything{0, a.size(), 0, b.size()};
  std::vector<Passage> found = in_one_order(whole, least);
  std::uint64_t effort = kEffort * (a.size() + b.size());
  for (int round = 0; round < kRounds && !found.empty(); ++round) {
    std::deque<Gap> open;
    for (const Gap& gap : gaps_between(found, everything)) open.push_back(gap);
    for (; !open.empty(); open.pop_front()) {
      const Gap gap = open.front();
      const std::uint64_t long_a = gap.a_end - gap.a_start, long_b = gap.b_end - gap.b_start;
      if (gap.a_end <= gap.a_start || gap.b_end <= gap.b_start || std::min(long_a, long_b) < least || long_a + long_b > effort) continue;
      effort -= long_a + long_b;
      const CommonRuns runs(a.substr(gap.a_start, long_a), b.substr(gap.b_start, long_b), least, reading);
      std::vector<Passage> inside = in_one_order(runs, least);
      for (Passage& p : inside)
        p = {p.a_start + gap.a_start, p.a_end + gap.a_start, p.b_start + gap.b_start, p.b_end + gap.b_start};
      found.insert(found.end(), inside.begin(), inside.end());
      if (inside.empty()) continue;
      for (const Gap& smaller : gaps_between(inside, gap)) open.push_back(smaller);
    }
    for (Passage& p : found) p = widened(p);
    const std::size_t before = found.size();
    found = chained(std::move(found), least / 2);
    if (found.size() == before) break;
  }
  return found;
}

}  // namespace nearkin
