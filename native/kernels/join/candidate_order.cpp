#include <algorithm>
#include <numeric>
#include <utility>

#include "base/containers.hpp"
#include "base/parallel.hpp"
#include "join/candidates.hpp"

namespace nearkin {

UninitVector<Candidate> sorted_candidates(std::vector<UninitVector<Candidate>> pieces, unsigned threads) {
  // Candidates are distributed by their first content, each of which has few, so that no far-off pairs are compared.
  // Every thread goes through all and takes those of a range of contents.
  std::uint32_t last = 0;
  for (const auto& piece : pieces)
    for (const Candidate& candidate : piece) last = std::max(last, candidate.a);
  const std::size_t contents = std::size_t{last} + 1;
  const std::size_t range = (contents + threads - 1) / threads;
  const auto each = [&](auto&& work) {
    parallel_blocks(contents, range, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (const auto& piece : pieces)
        for (const Candidate& candidate : piece)
          if (candidate.a >= from && candidate.a < to) work(candidate);
    });
  };
  std::vector<std::size_t> next(contents + 1, 0);
  each([&](const Candidate& candidate) { ++next[candidate.a + std::size_t{1}]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  UninitVector<Candidate> all(next.back());
  each([&](const Candidate& candidate) { all[next[candidate.a]++] = candidate; });
  release(pieces);
  parallel_blocks(contents, 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (auto a = from; a < to; ++a)
      std::sort(all.begin() + static_cast<std::ptrdiff_t>(a == 0 ? 0 : next[a - 1]),
                all.begin() + static_cast<std::ptrdiff_t>(next[a]),
                [](const Candidate& x, const Candidate& y) { return x.b < y.b; });
  });
  const auto same = [](const Candidate& x, const Candidate& y) { return x.a == y.a && x.b == y.b; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

void keep_strongest(UninitVector<Candidate>& all, std::uint32_t most) {
  // A weak candidate of a content that has more of them than it may keep.
  struct Seat {
    std::uint32_t content, other, candidate;
    double resemblance;
  };
  std::vector<std::uint32_t> weak;  // by content, how many it has
  for (const Candidate& candidate : all) {
    if (candidate.strong) continue;
    if (weak.size() <= candidate.b) weak.resize(candidate.b + std::size_t{1}, 0);  // a is less
    ++weak[candidate.a], ++weak[candidate.b];
  }
  std::vector<char> keep(all.size(), 0);
  std::vector<Seat> seats;
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
