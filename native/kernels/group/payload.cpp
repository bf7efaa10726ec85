#include "group/payload.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/parallel.hpp"
#include "join/intersect.hpp"

namespace nearkin {
namespace {

// One family at a time, in memory that is used again.
class Family {
 public:
  void load(const FamilyLists& all, std::span<const std::uint32_t> rows, double most) {
    std::uint64_t modulus = 1;
    for (const auto row : rows) modulus = std::max(modulus, all.moduli[row]);
    features_.clear();
    ends_.assign(1, 0);
    for (const auto row : rows) {
      for (std::uint64_t i = all.offsets[row]; i < all.offsets[row + 1]; ++i)
        if (modulus == 1 || all.features[i] % modulus == 0) features_.push_back(all.features[i]);
      ends_.push_back(features_.size());
    }
    number();
    const auto least = static_cast<std::uint32_t>(std::ceil(most * static_cast<double>(rows.size())));
    payload_.clear();
    payload_ends_.assign(1, 0);
    for (std::size_t member = 0; member < rows.size(); ++member) {
      for (std::size_t i = ends_[member]; i < ends_[member + 1]; ++i)
        if (counts_[numbers_[i]] < least) payload_.push_back(features_[i]);
      payload_ends_.push_back(payload_.size());
    }
  }

  std::size_t payload_size(std::size_t member) const { return payload_ends_[member + 1] - payload_ends_[member]; }

  // Counts the features of a member that several have, but not nearly all, and those that it has alone.
  void count_partly(std::size_t member, double nearly_all, std::uint64_t& several, std::uint64_t& own) const {
    const double all = nearly_all * static_cast<double>(ends_.size() - 1);
    for (std::size_t i = ends_[member]; i < ends_[member + 1]; ++i) {
      const std::uint32_t count = counts_[numbers_[i]];
      if (count == 1) ++own;
      else if (count < all) ++several;
    }
  }

  struct Comparison {
    double resemblance;
    std::uint64_t united;  // features
  };

  Comparison compare(std::size_t a, std::size_t b) const {
    const std::uint64_t shared = shared_weight(payload(a), payload(b));
    const std::uint64_t united = payload_size(a) + payload_size(b) - shared;
    return {united == 0 ? 1.0 : static_cast<double>(shared) / static_cast<double>(united), united};
  }

  // Finds the members most like one, the most alike first; of equal ones the first.
  void find_nearest(std::size_t queried, std::span<std::uint32_t> nearest) {
    marks_.assign(counts_.size(), 0);
    for (std::size_t i = ends_[queried]; i < ends_[queried + 1]; ++i) marks_[numbers_[i]] = 1;
    alike_.clear();
    for (std::size_t member = 0; member + 1 < ends_.size(); ++member) {
      if (member == queried) continue;
      std::uint64_t shared = 0;
      for (std::size_t i = ends_[member]; i < ends_[member + 1]; ++i) shared += marks_[numbers_[i]];
      const std::uint64_t united = size(queried) + size(member) - shared;
      const double alike = static_cast<double>(shared) / static_cast<double>(std::max<std::uint64_t>(united, 1));
      alike_.push_back({alike, static_cast<std::uint32_t>(member)});
    }
    std::partial_sort(alike_.begin(), alike_.begin() + static_cast<std::ptrdiff_t>(nearest.size()), alike_.end(),
                      [](const Alike& x, const Alike& y) {
                        return x.alike != y.alike ? x.alike > y.alike : x.member < y.member;
                      });
    for (std::size_t i = 0; i < nearest.size(); ++i) nearest[i] = alike_[i].member;
  }

 private:
  struct Alike {
    double alike;
    std::uint32_t member;
  };

  std::size_t size(std::size_t member) const { return ends_[member + 1] - ends_[member]; }

  List payload(std::size_t member) const {
    return {std::span(payload_).subspan(payload_ends_[member], payload_size(member)), {}};
  }

  // Numbers the distinct features in the order of their first occurrence, and counts how often each occurs. The table
  // grows with the distinct ones: very many letters of one form have few.
  void number() {
    distinct_.clear();
    counts_.clear();
    numbers_.clear();
    bits_ = 10;
    slots_.assign(std::size_t{1} << bits_, 0);
    for (const auto feature : features_) {
      const std::size_t slot = slot_of(feature);
      if (slots_[slot] == 0) {
        distinct_.push_back(feature);
        counts_.push_back(0);
        slots_[slot] = static_cast<std::uint32_t>(distinct_.size());
      }
      numbers_.push_back(slots_[slot] - 1);
      ++counts_[numbers_.back()];
      if (2 * distinct_.size() > slots_.size()) grow();
    }
  }

  // Returns the slot that holds the feature or would hold it.
  std::size_t slot_of(std::uint64_t feature) const {
    std::size_t slot = (feature * 0x9E3779B97F4A7C15u) >> (64 - bits_);
    while (slots_[slot] != 0 && distinct_[slots_[slot] - 1] != feature) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(std::size_t{1} << ++bits_, 0);
    for (std::size_t i = 0; i < distinct_.size(); ++i)
      slots_[slot_of(distinct_[i])] = static_cast<std::uint32_t>(i + 1);
  }

  std::vector<std::uint64_t> features_, payload_, distinct_;
  std::vector<std::size_t> ends_, payload_ends_;
  std::vector<std::uint32_t> numbers_, counts_, slots_;  // slots_: number plus one; 0: free
  unsigned bits_ = 0;
  std::vector<std::uint8_t> marks_;
  std::vector<Alike> alike_;
};

double median(std::vector<std::size_t>& sizes) {
  if (sizes.empty()) return 0.0;
  std::sort(sizes.begin(), sizes.end());
  const std::size_t half = sizes.size() / 2;
  const auto upper = static_cast<double>(sizes[half]);
  return sizes.size() % 2 == 1 ? upper : (static_cast<double>(sizes[half - 1]) + upper) / 2;
}

}  // namespace

Payloads compare_payloads(const FamilyLists& families, double most, double nearly_all, unsigned beside,
                          unsigned threads) {
  Payloads result;
  result.scores.resize(families.a.size());
  result.united.resize(families.a.size());
  result.nearest.resize(families.queried.size() * beside);
  result.best.resize(families.queried.size());
  result.medians.resize(families.ends.size());
  result.partly.resize(families.ends.size());
  std::vector<Family> scratch(std::max(threads, 1u));
  parallel_blocks(families.ends.size(), 1, threads, [&](unsigned thread, std::size_t from, std::size_t to) {
    const auto start = [](std::span<const std::uint64_t> ends, std::size_t at) { return at == 0 ? 0 : ends[at - 1]; };
    std::vector<std::size_t> sizes;
    for (std::size_t at = from; at < to; ++at) {
      Family& family = scratch[thread];
      const std::uint64_t first = start(families.ends, at);
      family.load(families, families.rows.subspan(first, families.ends[at] - first), most);
      for (std::uint64_t i = start(families.pair_ends, at); i < families.pair_ends[at]; ++i) {
        const auto [resemblance, united] = family.compare(families.a[i], families.b[i]);
        result.scores[i] = resemblance;
        result.united[i] = united;
      }
      sizes.clear();
      std::uint64_t several = 0, own = 0;
      for (std::uint64_t i = start(families.queried_ends, at); i < families.queried_ends[at]; ++i) {
        const std::uint32_t queried = families.queried[i];
        const std::span<std::uint32_t> nearest(result.nearest.data() + i * beside, beside);
        family.find_nearest(queried, nearest);
        for (const auto member : nearest)
          result.best[i] = std::max(result.best[i], family.compare(queried, member).resemblance);
        sizes.push_back(family.payload_size(queried));
        family.count_partly(queried, nearly_all, several, own);
      }
      result.medians[at] = median(sizes);
      result.partly[at] = several == 0 ? 0.0 : static_cast<double>(several) / static_cast<double>(several + own);
    }
  });
  return result;
}

}  // namespace nearkin
