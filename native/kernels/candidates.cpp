#include "candidates.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>

#include "binomial.hpp"
#include "parallel.hpp"

namespace nearkin {
namespace {

// Features by value: each run holds the postings of one feature.
struct Index {
  std::vector<std::uint32_t> slot;       // of each posting, in feature order
  std::vector<std::uint32_t> run;        // of each slot: where its run begins
  std::vector<std::uint32_t> run_end;    // of each slot that begins a run
  std::vector<std::uint32_t> content;    // of each slot
};

struct Entry {
  std::uint64_t feature;
  std::uint32_t posting;
};

Index build_index(const Postings& postings, unsigned threads) {
  const std::size_t count = postings.features.size();
  constexpr int kBits = 11;  // fingerprints are uniform in their high bits; 2,048 buckets of a few thousand each
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  const auto bucket = [](std::uint64_t feature) { return feature >> (64 - kBits); };
  std::vector<std::uint32_t> start(kBuckets + 1, 0);
  for (const auto feature : postings.features) ++start[bucket(feature) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Entry> entries(count);
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
  for (std::size_t posting = 0; posting < count; ++posting) {
    const auto feature = postings.features[posting];
    entries[next[bucket(feature)]++] = {feature, static_cast<std::uint32_t>(posting)};
  }
  std::vector<std::uint32_t> owner(count);
  for (std::uint32_t content = 0; content + 1 < postings.offsets.size(); ++content) {
    std::fill(owner.begin() + static_cast<std::ptrdiff_t>(postings.offsets[content]),
              owner.begin() + static_cast<std::ptrdiff_t>(postings.offsets[content + 1]), content);
  }
  Index index{std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count),
              std::vector<std::uint32_t>(count)};
  parallel_blocks(kBuckets, 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t b = from; b < to; ++b) {
      const auto first = entries.begin() + start[b], last = entries.begin() + start[b + 1];
      std::sort(first, last, [](const Entry& x, const Entry& y) {
        return x.feature != y.feature ? x.feature < y.feature : x.posting < y.posting;
      });
      std::uint32_t begin = start[b];
      for (std::uint32_t slot = start[b]; slot < start[b + 1]; ++slot) {
        if (entries[slot].feature != entries[begin].feature) begin = slot;
        index.slot[entries[slot].posting] = slot;
        index.run[slot] = begin;
        index.run_end[begin] = slot + 1;
        index.content[slot] = owner[entries[slot].posting];
      }
    }
  });
  return index;
}

// For which levels (bit l: modulus base · 2^l) a posting is in its content's prefix, by what is looked for.
struct Reach {
  std::uint32_t resemblance = 0, containment = 0, floor = 0;
};

class Join {
 public:
  Join(const Postings& postings, const Thresholds& thresholds, unsigned threads)
      : postings_(postings),
        thresholds_(thresholds),
        threads_(threads),
        contents_(static_cast<std::uint32_t>(postings.offsets.size() - 1)) {
    std::uint64_t smallest = ~std::uint64_t{0}, largest = 1, longest = 1;
    for (std::uint32_t i = 0; i < contents_; ++i) {
      smallest = std::min(smallest, postings.moduli[i]);
      largest = std::max(largest, postings.moduli[i]);
      longest = std::max(longest, postings.offsets[i + 1] - postings.offsets[i]);
    }
    if (contents_ == 0) smallest = 1;
    base_ = smallest;
    levels_ = static_cast<std::uint32_t>(std::bit_width(largest / smallest));
    resemblance_ = std::make_unique<Fewest>(thresholds.resemblance, thresholds.confidence, 2 * longest);
    containment_ = std::make_unique<Fewest>(thresholds.containment, thresholds.confidence, longest);
    floor_ = std::make_unique<Fewest>(thresholds.floor, thresholds.confidence, 2 * longest);
    size_.assign(static_cast<std::size_t>(contents_) * levels_, 0);
    level_.resize(contents_);
    for (std::uint32_t i = 0; i < contents_; ++i)
      level_[i] = static_cast<std::uint8_t>(std::bit_width(postings.moduli[i] / base_) - 1);
  }

  std::vector<Candidate> run() {
    index_ = build_index(postings_, threads_);
    reach_.assign(postings_.features.size(), {});
    parallel_blocks(contents_, 256, threads_, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) mark_prefixes(static_cast<std::uint32_t>(i));
    });
    std::vector<std::vector<Candidate>> found(threads_);
    std::vector<std::vector<std::uint32_t>> seen(threads_);
    parallel_blocks(contents_, 64, threads_, [&](unsigned thread, std::size_t from, std::size_t to) {
      if (seen[thread].empty()) seen[thread].assign(contents_, ~std::uint32_t{0});
      for (std::size_t i = from; i < to; ++i) probe(static_cast<std::uint32_t>(i), seen[thread], found[thread]);
    });
    return gather(found);
  }

 private:
  bool exact_at(std::uint32_t level) const { return !postings_.sampled || (base_ << level) == 1; }

  std::uint64_t weight(std::uint64_t posting) const {
    return postings_.weights.empty() ? 1 : postings_.weights[posting];
  }

  // Rarest first, within one content; ties by value, so that all lists agree on the order.
  void mark_prefixes(std::uint32_t content) {
    const auto begin = postings_.offsets[content], end = postings_.offsets[content + 1];
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    order.reserve(end - begin);
    for (auto posting = begin; posting < end; ++posting) {
      const std::uint32_t run = index_.run[index_.slot[posting]];
      const std::uint64_t frequency = index_.run_end[run] - run;
      order.emplace_back((frequency << 32) | run, static_cast<std::uint32_t>(posting));
    }
    std::sort(order.begin(), order.end());
    for (std::uint32_t level = level_[content]; level < levels_; ++level) {
      const std::uint64_t mask = (std::uint64_t{1} << level) - 1;
      const auto counts = [&](std::uint32_t posting) {
        return level == level_[content] || ((postings_.features[posting] / base_) & mask) == 0;
      };
      std::uint64_t total = 0;
      for (const auto& [key, posting] : order)
        if (counts(posting)) total += weight(posting);
      size_[static_cast<std::size_t>(content) * levels_ + level] = total;
      if (total == 0) continue;
      const auto need = [&](const Fewest& fewest) {
        return std::max<std::uint64_t>(1, exact_at(level) ? fewest.exact(total) : fewest.sampled(total));
      };
      // What is left behind a posting must not by itself make up the least overlap.
      const std::uint64_t for_resemblance = need(*resemblance_), for_containment = need(*containment_),
                          for_floor = need(*floor_);
      std::uint64_t left = total;
      for (const auto& [key, posting] : order) {
        if (!counts(posting)) continue;
        Reach& reach = reach_[index_.slot[posting]];
        const std::uint32_t bit = std::uint32_t{1} << level;
        if (left >= for_resemblance) reach.resemblance |= bit;
        if (left >= for_containment) reach.containment |= bit;
        if (left >= for_floor && (key >> 32) <= thresholds_.floor_reach) reach.floor |= bit;
        left -= weight(posting);
      }
    }
  }

  void probe(std::uint32_t i, std::vector<std::uint32_t>& seen, std::vector<Candidate>& found) const {
    for (auto posting = postings_.offsets[i]; posting < postings_.offsets[i + 1]; ++posting) {
      const std::uint32_t mine = index_.slot[posting];
      const Reach reach = reach_[mine];
      if ((reach.resemblance | reach.containment | reach.floor) == 0) continue;
      const std::uint32_t begin = index_.run[mine], end = index_.run_end[begin];
      for (std::uint32_t slot = begin; slot < end; ++slot) {
        const std::uint32_t j = index_.content[slot];
        if (j == i || seen[j] == i) continue;
        const std::uint32_t level = std::max(level_[i], level_[j]);
        const std::uint32_t bit = std::uint32_t{1} << level;
        const Reach& other = reach_[slot];
        const bool alike = j > i && ((reach.resemblance & other.resemblance) | (reach.floor & other.floor)) & bit;
        if (!alike && !(reach.containment & bit)) continue;
        seen[j] = i;
        if (possible(i, j, level)) score(i, j, level, found);
      }
    }
  }

  std::uint64_t size(std::uint32_t content, std::uint32_t level) const {
    return size_[static_cast<std::size_t>(content) * levels_ + level];
  }

  // Sizes alone: could i and j reach the floor, or i be a part of j?
  bool possible(std::uint32_t i, std::uint32_t j, std::uint32_t level) const {
    const std::uint64_t mine = size(i, level), other = size(j, level);
    if (other >= (exact_at(level) ? containment_->exact(mine) : containment_->sampled(mine))) return true;
    const auto& fewest = thresholds_.floor < thresholds_.resemblance ? *floor_ : *resemblance_;
    const std::uint64_t larger = std::max(mine, other), smaller = std::min(mine, other);
    return smaller >= (exact_at(level) ? fewest.exact(larger) : fewest.sampled(larger));
  }

  void score(std::uint32_t i, std::uint32_t j, std::uint32_t level, std::vector<Candidate>& found) const {
    const std::uint32_t a = std::min(i, j), b = std::max(i, j);
    Candidate candidate{a, b, shared_weight(postings_, a, b), size(a, level), size(b, level), false};
    const std::uint64_t total = candidate.size_a + candidate.size_b - candidate.shared;
    const auto reaches = [&](const Fewest& fewest, std::uint64_t of) {
      return candidate.shared >= std::max<std::uint64_t>(1, exact_at(level) ? fewest.exact(of) : fewest.sampled(of));
    };
    candidate.strong = reaches(*resemblance_, total) || reaches(*containment_, candidate.size_a) ||
                       reaches(*containment_, candidate.size_b);
    if (candidate.strong || candidate.resemblance() >= thresholds_.floor) found.push_back(candidate);
  }

  static std::vector<Candidate> gather(std::vector<std::vector<Candidate>>& found) {
    std::vector<Candidate> all;
    for (auto& part : found) {
      all.insert(all.end(), part.begin(), part.end());
      part = {};
    }
    std::sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
      return x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    // A pair may be met twice: as alike, and as part and container.
    const auto last = std::unique(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
      return x.a == y.a && x.b == y.b;
    });
    all.erase(last, all.end());
    return all;
  }

  const Postings& postings_;
  const Thresholds& thresholds_;
  unsigned threads_;
  std::uint32_t contents_;
  std::uint64_t base_ = 1;
  std::uint32_t levels_ = 1;
  std::unique_ptr<Fewest> resemblance_, containment_, floor_;
  std::vector<std::uint8_t> level_;
  std::vector<std::uint64_t> size_;
  Index index_;
  std::vector<Reach> reach_;
};

}  // namespace

std::uint64_t shared_weight(const Postings& postings, std::uint32_t a, std::uint32_t b) {
  if (postings.offsets[a + 1] - postings.offsets[a] > postings.offsets[b + 1] - postings.offsets[b]) std::swap(a, b);
  const std::uint64_t* features = postings.features.data();
  std::uint64_t i = postings.offsets[a], j = postings.offsets[b];
  const std::uint64_t i_end = postings.offsets[a + 1], j_end = postings.offsets[b + 1];
  std::uint64_t shared = 0;
  if (postings.weights.empty() && (j_end - j) > 16 * (i_end - i)) {
    // A short list against a long one: look each feature up instead of walking the long list.
    for (; i < i_end; ++i) {
      j = static_cast<std::uint64_t>(std::lower_bound(features + j, features + j_end, features[i]) - features);
      if (j == j_end) break;
      shared += features[j] == features[i];
    }
    return shared;
  }
  while (i < i_end && j < j_end) {
    const std::uint64_t x = features[i], y = features[j];
    if (x == y) shared += postings.weights.empty() ? 1 : std::min(postings.weights[i], postings.weights[j]);
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

std::vector<Candidate> find_candidates(const Postings& postings, const Thresholds& thresholds, unsigned threads) {
  return Join(postings, thresholds, std::max(1U, threads)).run();
}

}  // namespace nearkin
