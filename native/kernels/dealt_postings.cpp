#include "dealt_postings.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "parallel.hpp"
#include "postings_index.hpp"
#include "radix.hpp"

namespace nearkin {
namespace {

// A part of some eight thousand postings and the room to sort it are 256 KB: half of what a core has near it.
constexpr int kPartBits = 13;
constexpr int kMostParts = 12;  // bits; more streams than pages that a core remembers

std::uint64_t bits_in_use(const Postings& postings, Estimator estimator, unsigned threads) {
  std::atomic<std::uint64_t> used{1};
  parallel_blocks(postings.features.size(), 1 << 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    std::uint64_t here = 0;
    for (auto i = from; i < to; ++i) here |= place_of(postings.features[i], estimator);
    used.fetch_or(here, std::memory_order_relaxed);
  });
  return used;
}

}  // namespace

DealtPostings::DealtPostings(const Postings& postings, std::span<const std::uint32_t> content, unsigned threads)
    : estimator_(postings.evidence.estimator) {
  const std::size_t count = postings.features.size();
  bits_ = std::clamp(static_cast<int>(std::bit_width(count >> kPartBits)), 1, kMostParts);
  unused_ = std::countl_zero(bits_in_use(postings, estimator_, threads));
  const auto part_of = [&](std::uint64_t feature) {
    return static_cast<std::size_t>(place_of(feature, estimator_) << unused_ >> (64 - bits_));
  };
  // Each share of the contents knows how many of its postings go where, so all can be dealt at once.
  const std::size_t parts = std::size_t{1} << bits_, shares = threads;
  const auto share = [&](std::size_t number) { return content.size() * number / shares; };
  std::vector<std::vector<std::size_t>> next(shares, std::vector<std::size_t>(parts, 0));
  parallel_blocks(shares, 1, threads, [&](unsigned, std::size_t from, std::size_t) {
    for (auto rank = share(from); rank < share(from + 1); ++rank)
      for (const auto feature : postings.list(content[rank]).features) ++next[from][part_of(feature)];
  });
  start_.assign(parts + 1, 0);
  std::size_t at = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    for (auto& places : next) at += std::exchange(places[part], at);
    start_[part + 1] = at;
  }
  entries_.resize(count);
  parallel_blocks(shares, 1, threads, [&](unsigned, std::size_t from, std::size_t) {
    auto& places = next[from];
    for (auto rank = share(from); rank < share(from + 1); ++rank) {
      const auto first = postings.offsets[content[rank]], last = postings.offsets[content[rank] + 1];
      for (auto i = first; i < last; ++i) {
        const std::uint64_t feature = postings.features[i];
        entries_[places[part_of(feature)]++] = {feature, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(i)};
      }
    }
  });
}

void DealtPostings::sort(std::size_t part) {
  const int dealt = std::min(unused_ + bits_, 63);  // all in a part have the same bits up to here
  const auto key = [=, this](const Dealt& one) { return place_of(one.feature, estimator_) << dealt; };
  const auto less = [=, this](const Dealt& x, const Dealt& y) {
    const std::uint64_t place_x = place_of(x.feature, estimator_), place_y = place_of(y.feature, estimator_);
    if (place_x != place_y) return place_x < place_y;
    return x.rank != y.rank ? x.rank < y.rank : x.at < y.at;
  };
  sort_by_feature(entries_.data() + start_[part], start_[part + 1] - start_[part], key, less);
}

}  // namespace nearkin
