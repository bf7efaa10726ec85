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
  void take(const FamilyLists& all, std::span<const std::uint32_t> rows, double most) {
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

  // Features of a member that several have, but not nearly all; and those that it has alone.
  void count_partly(std::size_t member, double nearly_all, std::uint64_t& several, std::uint64_t& own) const {
    const double all = nearly_all * static_cast<double>(ends_.size() - 1);
    for (std::size_t i = ends_[member]; i < ends_[member + 1]; ++i) {
      const std::uint32_t count = counts_[numbers_[i]];
      if (count == 1) ++own;
      else if (count < all) ++several;
    }
  }

  struct Compared {
    double alike;
    std::uint64_t united;  // features
  };

  Compared payloads(std::size_t a, std::size_t b) const {
    const std::uint64_t shared = shared_weight(payload(a), payload(b));
    const std::uint64_t united = payload_size(a) + payload_size(b) - shared;
    return {united == 0 ? 1.0 : static_cast<double>(shared) / static_cast<double>(united), united};
  }

  // The most alike first; of equals the first.
  void nearest(std::size_t asked, std::span<std::uint32_t> found) {
    marks_.assign(counts_.size(), 0);
    for (std::size_t i = ends_[asked]; i < ends_[asked + 1]; ++i) marks_[numbers_[i]] = 1;
    alike_.clear();
    for (std::size_t member = 0; member + 1 < ends_.size(); ++member) {
      if (member == asked) continue;
      std::uint64_t shared = 0;
      for (std::size_t i = ends_[member]; i < ends_[member + 1]; ++i) shared += marks_[numbers_[i]];
      const std::uint64_t united = size(asked) + size(member) - shared;
      const double alike = static_cast<double>(shared) / static_cast<double>(std::max<std::uint64_t>(united, 1));
      alike_.push_back({alike, static_cast<std::uint32_t>(member)});
    }
    std::partial_sort(alike_.begin(), alike_.begin() + static_cast<std::ptrdiff_t>(found.size()), alike_.end(),
                      [](const Alike& x, const Alike& y) {
                        return x.alike != y.alike ? x.alike > y.alike : x.member < y.member;
                      });
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = alike_[i].member;
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

  // Distinct features are numbered as they are met, and it is counted how often each occurs. The table grows with the
  // distinct ones: of very many letters of one form they are few.
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

  // Where it is, or would be.
  std::size_t slot_of(std::uint64_t feature) const {
    std::size_t slot = (feature * 0x9E3779B97F4A7C15u) >> (64 - bits_);
    while (slots_[slot] != 0 && distinct_[slots_[slot] - 1] != feature) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(std::size_t{1} << ++bits_, 0);
    for (std::size_t i = 0; i < distinct_.size(); ++i) slots_[slot_of(distinct_[i])] = static_cast<std::uint32_t>(i + 1);
  }

  std::vector<std::uint64_t> features_, payload_, distinct_;
  std::vector<std::size_t> ends_, payload_ends_;
  std::vector<std::uint32_t> numbers_, counts_, slots_;  // slots_: numbers and one more; 0: nothing
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

Payloads compare_payloads(const FamilyLists& families, double most, double nearly_all, unsigned beside, unsigned threads) {
  Payloads found;
  found.scores.resize(families.a.size());
  found.united.resize(families.a.size());
  found.nearest.resize(families.asked.size() * beside);
  found.best.resize(families.asked.size());
  found.medians.resize(families.ends.size());
  found.partly.resize(families.ends.size());
  std::vector<Family> scratch(std::max(threads, 1u));
  parallel_blocks(families.ends.size(), 1, threads, [&](unsigned thread, std::size_t from, std::size_t to) {
    const auto start = [](std::span<const std::uint64_t> ends, std::size_t at) { return at == 0 ? 0 : ends[at - 1]; };
    std::vector<std::size_t> sizes;
    for (std::size_t at = from; at < to; ++at) {
      Family& family = scratch[thread];
      const std::uint64_t first = start(families.ends, at);
      family.take(families, families.rows.subspan(first, families.ends[at] - first), most);
      for (std::uint64_t i = start(families.pair_ends, at); i < families.pair_ends[at]; ++i) {
        const auto [alike, united] = family.payloads(families.a[i], families.b[i]);
        found.scores[i] = alike;
        found.united[i] = united;
      }
      sizes.clear();
      std::uint64_t several = 0, own = 0;
      for (std::uint64_t i = start(families.asked_ends, at); i < families.asked_ends[at]; ++i) {
        const std::uint32_t asked = families.asked[i];
        const std::span<std::uint32_t> nearest(found.nearest.data() + i * beside, beside);
        family.nearest(asked, nearest);
        for (const auto other : nearest) found.best[i] = std::max(found.best[i], family.payloads(asked, other).alike);
        sizes.push_back(family.payload_size(asked));
        family.count_partly(asked, nearly_all, several, own);
      }
      found.medians[at] = median(sizes);
      found.partly[at] = several == 0 ? 0.0 : static_cast<double>(several) / static_cast<double>(several + own);
    }
  });
  return found;
}

}  // namespace nearkin
