#include <algorithm>
#include <utility>

#include "candidates.hpp"

namespace nearkin {

void in_order(std::vector<Candidate>& all) {
  // Dealt by their first content, each of which has few: no comparison of far-off pairs.
  std::uint32_t last = 0;
  for (const Candidate& one : all) last = std::max(last, one.a);
  std::vector<std::size_t> next(std::size_t{last} + 2, 0);
  for (const Candidate& one : all) ++next[one.a + std::size_t{1}];
  for (std::size_t a = 1; a < next.size(); ++a) next[a] += next[a - 1];
  std::vector<Candidate> dealt(all.size());
  for (const Candidate& one : all) dealt[next[one.a]++] = one;
  std::size_t kept = 0;
  for (std::size_t a = 0, from = 0; a <= last && !all.empty(); from = next[a++]) {
    const auto begin = dealt.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = dealt.begin() + static_cast<std::ptrdiff_t>(next[a]);
    std::sort(begin, end, [](const Candidate& x, const Candidate& y) { return x.b < y.b; });
    for (auto one = begin; one != end; ++one)
      if (one == begin || one->b != (one - 1)->b) all[kept++] = *one;
  }
  all.resize(kept);
}

void keep_strongest(std::vector<Candidate>& all, std::uint32_t most) {
  struct Seat {
    std::uint32_t content, other, candidate;
    double resemblance;
  };
  std::vector<Seat> seats;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].strong) continue;
    seats.push_back({all[i].a, all[i].b, i, all[i].resemblance()});
    seats.push_back({all[i].b, all[i].a, i, all[i].resemblance()});
  }
  std::sort(seats.begin(), seats.end(), [](const Seat& x, const Seat& y) {
    if (x.content != y.content) return x.content < y.content;
    return x.resemblance != y.resemblance ? x.resemblance > y.resemblance : x.other < y.other;
  });
  std::vector<char> keep(all.size(), 0);
  std::uint32_t taken = 0;
  for (std::size_t i = 0; i < seats.size(); ++i) {
    taken = i > 0 && seats[i].content == seats[i - 1].content ? taken + 1 : 0;
    if (taken < most) keep[seats[i].candidate] = 1;
  }
  std::size_t to = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].strong || keep[i]) all[to++] = all[i];
  all.resize(to);
}

}  // namespace nearkin
