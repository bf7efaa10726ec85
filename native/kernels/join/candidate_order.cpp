#include <algorithm>
#include <numeric>
#include <utility>

#include "base/containers.hpp"
#include "base/parallel.hpp"
#include "join/candidates.hpp"

namespace nearkin {

UninitVector<Candidate> in_order(std::vector<UninitVector<Candidate>> pieces, unsigned threads) {
  // Dealt by their first content, each of which has few: no comparison of far-off pairs. Every thread goes through all
  // and deals those of a range of contents.
  std::uint32_t last = 0;
  for (const auto& piece : pieces)
    for (const Candidate& one : piece) last = std::max(last, one.a);
  const std::size_t contents = std::size_t{last} + 1;
  const auto each = [&](auto&& work) {
    parallel_blocks(contents, (contents + threads - 1) / threads, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (const auto& piece : pieces)
        for (const Candidate& one : piece)
          if (one.a >= from && one.a < to) work(one);
    });
  };
  std::vector<std::size_t> next(contents + 1, 0);
  each([&](const Candidate& one) { ++next[one.a + std::size_t{1}]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  UninitVector<Candidate> all(next.back());
  each([&](const Candidate& one) { all[next[one.a]++] = one; });
  release(pieces);
  parallel_blocks(contents, 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (auto a = from; a < to; ++a)
      std::sort(all.begin() + static_cast<std::ptrdiff_t>(a == 0 ? 0 : next[a - 1]),
                all.begin() + static_cast<std::ptrdiff_t>(next[a]),
                [](const Candidate& x, const Candidate& y) { return x.b < y.b; });
  });
  const auto again = [](const Candidate& x, const Candidate& y) { return x.a == y.a && x.b == y.b; };
  all.erase(std::unique(all.begin(), all.end(), again), all.end());
  return all;
}

void keep_strongest(UninitVector<Candidate>& all, std::uint32_t most) {
  struct Seat {
    std::uint32_t content, other, candidate;
    double resemblance;
  };
  std::vector<std::uint32_t> weak;  // by content, how many
  for (const Candidate& one : all) {
    if (one.strong) continue;
    if (weak.size() <= one.b) weak.resize(one.b + std::size_t{1}, 0);  // a is less
    ++weak[one.a], ++weak[one.b];
  }
  std::vector<char> keep(all.size(), 0);
  std::vector<Seat> seats;  // only at tables with more guests than seats
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].strong) continue;
    const auto [a, b] = std::pair(all[i].a, all[i].b);
    keep[i] = weak[a] <= most || weak[b] <= most;
    if (weak[a] > most) seats.push_back({a, b, i, all[i].resemblance()});
    if (weak[b] > most) seats.push_back({b, a, i, all[i].resemblance()});
  }
  if (seats.empty()) return;
  std::sort(seats.begin(), seats.end(), [](const Seat& x, const Seat& y) {
    if (x.content != y.content) return x.content < y.content;
    return x.resemblance != y.resemblance ? x.resemblance > y.resemblance : x.other < y.other;
  });
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
