#include "passages/frame.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "passages/following.hpp"
#include "passages/passage_chain.hpp"

namespace nearkin {
namespace {

constexpr std::uint64_t kEffort = 8;  // times both texts are looked at, gap within gap; beyond, what is left is left
constexpr int kRounds = 3;
constexpr std::size_t kTrials = 1000;
constexpr std::uint64_t kLong = 1 << 16, kLittle = 20;  // bytes; a share of more than so many is looked for in order

std::uint64_t length(const Passage& p) { return p.a_end - p.a_start; }

struct Gap {
  std::uint64_t a_start, a_end, b_start, b_end;

  bool is_empty() const { return a_end <= a_start || b_end <= b_start; }
  std::uint64_t shorter() const { return is_empty() ? 0 : std::min(a_end - a_start, b_end - b_start); }
  std::uint64_t both() const { return (a_end - a_start) + (b_end - b_start); }
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

// How much of a text stands in the other at all, up to any place.
class Possible {
 public:
  explicit Possible(const std::vector<Stretch>& runs) {
    for (const Stretch& run : runs) {  // none begins or ends before the one before it does
      const std::uint64_t start = reached_.empty() ? run.start : std::max(run.start, reached_.back().end);
      total_.push_back(total_.empty() ? 0 : total_.back() + reached_.back().end - reached_.back().start);
      reached_.push_back({start, run.end});
    }
  }
  std::uint64_t between(std::uint64_t from, std::uint64_t to) const { return up_to(to) - up_to(from); }

 private:
  std::uint64_t up_to(std::uint64_t at) const {
    const auto next = std::partition_point(reached_.begin(), reached_.end(), [at](const Stretch& run) { return run.start < at; });
    if (next == reached_.begin()) return 0;
    const auto last = next - 1;
    return total_[static_cast<std::size_t>(last - reached_.begin())] + std::min(at, last->end) - last->start;
  }

  std::vector<Stretch> reached_;  // cut apart
  std::vector<std::uint64_t> total_;  // before each
};

class Framer {
 public:
  Framer(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least, Reading reading, Widening& widened)
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
    std::stable_sort(unique.begin(), unique.end(), [](const Passage& x, const Passage& y) { return length(x) > length(y); });
    unique.resize(std::min(unique.size(), kTrials));
    bool better = true;
    for (int round = 0; round < kRounds && std::exchange(better, false); ++round)
      for (const Passage& p : unique) better |= is_better_with(p);
    return std::move(frame_);
  }

 private:
  std::vector<Passage> in_one_order(std::string_view a, std::string_view b, const CommonRuns& runs, std::vector<Passage> passages) const {
    std::vector<Passage> chain = heaviest_chain(passages, cost_);
    const std::uint64_t most = Possible(runs.maximal(Side::a)).between(0, a.size());
    const std::uint64_t left_out = most - std::min(most, weight_of(chain, cost_));
    if (4 * left_out <= most || (left_out < a.size() / kLittle && a.size() > kLong)) return chain;
    const std::vector<Passage> beside = followed(a, b, least_, characters_.reading);
    passages.insert(passages.end(), beside.begin(), beside.end());
    return heaviest_chain(std::move(passages), cost_);
  }

  std::vector<Passage> filled(std::vector<Passage> chain, const Gap& around) {
    for (int round = 0; round < kRounds && !chain.empty(); ++round) {
      const std::vector<Gap> gaps = gaps_between(chain, around);
      for (std::deque<Gap> open(gaps.begin(), gaps.end()); !open.empty(); open.pop_front()) {
        const Gap gap = open.front();
        if (!is_worth_it(gap)) continue;
        effort_ -= gap.both();
        const std::string_view a = a_.substr(gap.a_start, gap.a_end - gap.a_start), b = b_.substr(gap.b_start, gap.b_end - gap.b_start);
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
      if (chain.size() == before) break;  // otherwise some were no better than what crosses them, and left gaps
    }
    return chain;
  }

  // Unlike texts of 10 MB took six times as long where every gap was searched for the little that may be there.
  bool is_worth_it(const Gap& gap) const {
    if (gap.shorter() < least_ || gap.both() > effort_) return false;
    const std::uint64_t most = std::min(in_b_.between(gap.a_start, gap.a_end), in_a_.between(gap.b_start, gap.b_end));
    return most >= least_ && (gap.both() < kLong || most >= gap.shorter() / kLittle);
  }

  bool is_better_with(const Passage& p) {
    const auto first = std::partition_point(frame_.begin(), frame_.end(), [&](const Passage& one) { return rises(one, p); });
    const auto last = std::partition_point(first, frame_.end(), [&](const Passage& one) { return !rises(p, one); });
    if (first == last || (last - first == 1 && first->a_start == p.a_start && first->b_start == p.b_start)) return false;
    const auto before = first == frame_.begin() ? first : first - 1, after = last == frame_.end() ? last : last + 1;
    const Gap around{before == first ? 0 : before->a_end, last == frame_.end() ? a_.size() : last->a_start,
                     before == first ? 0 : before->b_end, last == frame_.end() ? b_.size() : last->b_start};
    // What was moved far crosses more than could ever stand beside it.
    const Gap left{around.a_start, p.a_start, around.b_start, p.b_start}, right{p.a_end, around.a_end, p.b_end, around.b_end};
    const std::uint64_t most = length(p) + left.shorter() + right.shorter();
    std::uint64_t crossed = 0;
    for (auto one = first; one != last && crossed < most; ++one) crossed += worth(length(*one), cost_);
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
  std::uint64_t cost_;  // of a passage: a reader would rather see one block moved than every line of it changed
  Characters characters_;
  Widening& widened_;
  std::uint64_t effort_;
  Possible in_b_, in_a_;  // of A and of B
  std::vector<Passage> frame_;
};

}  // namespace

std::vector<Passage> frame_of(std::string_view a, std::string_view b, const CommonRuns& whole, std::uint64_t least, Reading reading,
                              Widening& widened) {
  return Framer(a, b, whole, least, reading, widened).run(whole);
}

}  // namespace nearkin
