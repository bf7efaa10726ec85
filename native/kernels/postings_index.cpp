#include "postings_index.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "parallel.hpp"

namespace nearkin {
namespace {

struct Entry {
  std::uint64_t feature;
  std::uint32_t rank;
  std::uint32_t place;  // in the concatenated lists, in order of rank
};

void rank_contents(const Postings& postings, const Bin* bin, PostingsIndex& index) {
  const auto contents = static_cast<std::uint32_t>(postings.moduli.size());
  std::uint64_t largest = 1;
  index.base = std::numeric_limits<std::uint64_t>::max();
  for (const auto modulus : postings.moduli) {
    index.base = std::min(index.base, modulus);
    largest = std::max(largest, modulus);
  }
  if (contents == 0) index.base = 1;
  if (bin != nullptr) index.base = bin->base;
  index.levels = bin != nullptr ? bin->levels : static_cast<std::uint32_t>(std::bit_width(largest / index.base));

  std::vector<std::uint8_t> level(contents);
  std::vector<std::uint64_t> size(contents);
  for (std::uint32_t i = 0; i < contents; ++i) {
    const auto from = postings.offsets[i], to = postings.offsets[i + 1];
    level[i] = static_cast<std::uint8_t>(std::bit_width(postings.moduli[i] / index.base) - 1);
    size[i] = bin != nullptr ? bin->sizes[std::size_t{i} * index.levels + level[i]]
              : postings.weights.empty()
                  ? to - from
                  : std::accumulate(postings.weights.begin() + static_cast<std::ptrdiff_t>(from),
                                    postings.weights.begin() + static_cast<std::ptrdiff_t>(to), std::uint64_t{0});
  }
  index.content.resize(contents);
  std::iota(index.content.begin(), index.content.end(), 0U);
  std::sort(index.content.begin(), index.content.end(), [&](std::uint32_t x, std::uint32_t y) {
    if (level[x] != level[y]) return level[x] < level[y];
    return size[x] != size[y] ? size[x] < size[y] : x < y;
  });
  index.level.resize(contents);
  index.size.resize(contents);
  index.offset.assign(contents + 1, 0);
  index.level_start.assign(index.levels + 1, 0);
  for (std::uint32_t rank = 0; rank < contents; ++rank) {
    const std::uint32_t i = index.content[rank];
    index.level[rank] = level[i];
    index.size[rank] = size[i];
    index.offset[rank + 1] = index.offset[rank] + postings.offsets[i + 1] - postings.offsets[i];
    ++index.level_start[level[i] + 1];
  }
  std::partial_sum(index.level_start.begin(), index.level_start.end(), index.level_start.begin());
}

// Where each posting stands by feature: its slot, and its run.
struct Runs {
  std::vector<std::uint32_t> slot_of;  // by place in the concatenated lists
  std::vector<std::uint32_t> run;      // by slot: where its feature's run begins
  std::vector<std::uint32_t> run_end;  // by slot that begins a run
};

// One list in the order of its features' rarity, and how much of it is left at each.
void order_list(PostingsIndex& index, std::uint32_t rank, const Runs& runs, const std::vector<std::uint32_t>& weights) {
  struct Item {
    std::uint64_t rarity;  // how many contents have it (common ones last), then the slot: one order for all lists
    Listed listed;
    std::uint32_t weight;
  };
  std::vector<Item> items;
  std::uint64_t left = 0;
  const auto from = index.offset[rank], to = index.offset[rank + 1];
  items.reserve(to - from);
  for (auto place = from; place < to; ++place) {
    const std::uint32_t slot = runs.slot_of[place], begin = runs.run[slot], end = runs.run_end[begin];
    const bool common = !index.common.empty() && index.common[slot];
    std::uint64_t often = (end - begin) | (common ? std::uint64_t{1} << 31 : 0);
    if (!index.often.empty()) often = index.often[slot];
    items.push_back({often << 32 | slot, {slot, begin, end}, weights.empty() ? 1 : weights[place]});
    left += items.back().weight;
  }
  std::sort(items.begin(), items.end(), [](const Item& x, const Item& y) { return x.rarity < y.rarity; });
  for (auto place = from; place < to; ++place) {
    const Item& item = items[place - from];
    index.order[place] = item.listed;
    if (!weights.empty()) index.weight[place] = item.weight;
    index.slots[item.listed.slot].left = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, ~std::uint32_t{0}));
    left -= item.weight;
  }
}

}  // namespace

PostingsIndex build_index(const Postings& postings, const Bin* bin, unsigned threads) {
  if (postings.features.size() >= std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("more than 4 billion features in one join");
  PostingsIndex index;
  rank_contents(postings, bin, index);
  const std::size_t count = postings.features.size();
  const auto contents = static_cast<std::uint32_t>(index.content.size());

  // Deal the features into buckets of some sixty: by the high bits of those in use, in which samples are uniform.
  // Neighbours in a list then stay neighbours in the index.
  const int bits = std::clamp(static_cast<int>(std::bit_width(count >> 6)), 1, 18);
  const Estimator estimator = postings.evidence.estimator;
  std::uint64_t used = 1;
  for (const auto feature : postings.features) used |= place_of(feature, estimator);
  const int unused = std::countl_zero(used);
  const auto bucket = [=](std::uint64_t feature) { return place_of(feature, estimator) << unused >> (64 - bits); };
  std::vector<std::uint32_t> start((std::size_t{1} << bits) + 1, 0);
  for (const auto feature : postings.features) ++start[bucket(feature) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Entry> entries(count);
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1), weights(postings.weights.empty() ? 0 : count);
  const bool of_bin = bin != nullptr && !bin->often.empty();
  std::vector<std::uint32_t> often(of_bin ? count : 0);  // by place
  for (std::uint32_t rank = 0; rank < contents; ++rank) {
    const std::uint64_t from = postings.offsets[index.content[rank]];
    for (auto place = index.offset[rank]; place < index.offset[rank + 1]; ++place) {
      const auto posting = from + place - index.offset[rank];
      const auto feature = postings.features[posting];
      entries[next[bucket(feature)]++] = {feature, rank, static_cast<std::uint32_t>(place)};
      if (!weights.empty()) weights[place] = postings.weights[posting];
      if (of_bin) often[place] = bin->often[posting];
    }
  }

  Runs runs{std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count)};
  index.feature.resize(count);
  index.slots.resize(count);
  index.common.resize(postings.partial() ? count : 0);
  index.often.resize(often.size());
  parallel_blocks(start.size() - 1, 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t b = from; b < to; ++b) {
      std::sort(entries.begin() + start[b], entries.begin() + start[b + 1], [=](const Entry& x, const Entry& y) {
        const std::uint64_t place_x = place_of(x.feature, estimator), place_y = place_of(y.feature, estimator);
        return place_x != place_y ? place_x < place_y : x.place < y.place;
      });
      std::uint32_t begin = start[b];
      for (std::uint32_t slot = start[b]; slot < start[b + 1]; ++slot) {
        const Entry& entry = entries[slot];
        if (entry.feature != entries[begin].feature) begin = slot;
        index.feature[slot] = entry.feature;
        index.slots[slot].rank = entry.rank;
        runs.run[slot] = begin;
        runs.run_end[begin] = slot + 1;
        runs.slot_of[entry.place] = slot;
        if (of_bin) index.often[slot] = often[entry.place];
        if (!index.common.empty())
          index.common[slot] = std::binary_search(postings.common.begin(), postings.common.end(), entry.feature);
      }
    }
  });
  entries = {};
  index.order.resize(count);
  index.weight.resize(weights.size());
  parallel_blocks(contents, 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t rank = from; rank < to; ++rank)
      order_list(index, static_cast<std::uint32_t>(rank), runs, weights);
  });
  return index;
}

}  // namespace nearkin
