// Postings of a part of a spill, feature by feature, in bounded memory.
//
// What fits is read whole and sorted. Where it does not, features that alone would fill the room are found first (Misra
// and Gries 1982: of a stream of n at most k have over n / (k + 1) of it, and k counters find them). These are not
// sorted with the others: their postings are read as often as is asked for. The rest is sorted in rounds, each of some
// features. A feature that all contents have thus takes no room here. Who wants its rows together (BoundedBins::link_part)
// has four bytes a content for them on each thread, which Whole::room counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/sort.hpp"
#include "join/spill.hpp"
#include "join/bounded_state.hpp"

namespace nearkin {

struct Spilled {
  std::uint64_t mixed, feature;
  std::uint32_t row, weight;
};

class FeatureRuns {
 public:
  static constexpr std::size_t kPostingBytes = 2 * sizeof(Spilled);  // what one takes while it is sorted

  // Records of `width` words: feature, row, and the weight if there is a fourth. At most `most` are sorted at a time,
  // or twice as many where features are not spread evenly.
  FeatureRuns(const Spill& spill, std::size_t part, std::size_t width, std::size_t most)
      : spill_(spill), part_(part), width_(width), most_(std::max<std::size_t>(1, most)), all_(spill.words(part) / width) {
    if (all_ > most_) find_heavy();
  }

  // Every run but those of heavy features: postings of one feature, in order of `less` of two rows.
  template <class Less, class Work>
  void for_each(Less&& less, Work&& work) const {
    std::uint64_t light = all_;
    for (const auto& one : heavy_) light -= one.count;
    const std::uint64_t rounds = (light + most_ - 1) / most_;
    std::vector<Spilled> some;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      some.clear();
      some.reserve(light / rounds + (rounds > 1 ? light / rounds / 4 : 0));
      each([&](const Spilled& one) {
        if (rounds > 1 && (one.mixed >> 48) * rounds >> 16 != round) return;
        if (!heavy_.empty() && is_heavy(one.feature)) return;
        some.push_back(one);
      });
      sort_by_feature(some.data(), some.size(), [](const Spilled& one) { return one.mixed; },
                      [&](const Spilled& x, const Spilled& y) {
                        return x.mixed != y.mixed ? x.mixed < y.mixed : less(x.row, y.row);
                      });
      for (std::size_t begin = 0, end = 0; begin < some.size(); begin = end) {
        while (end < some.size() && some[end].feature == some[begin].feature) ++end;
        work(std::span<const Spilled>(some).subspan(begin, end - begin));
      }
    }
  }

  struct Heavy {
    std::uint64_t feature, count;
  };

  const std::vector<Heavy>& heavy() const { return heavy_; }

  // All postings of a heavy feature, in no order.
  template <class Work>
  void for_each_of(std::uint64_t feature, Work&& work) const {
    each([&](const Spilled& one) {
      if (one.feature == feature) work(one);
    });
  }

 private:
  static constexpr std::size_t kMostHeavy = 64;

  template <class Work>
  void each(Work&& work) const {
    spill_.for_each_block(part_, width_, [&](std::span<const std::uint32_t> words) {
      for (std::size_t at = 0; at < words.size(); at += width_) {
        const std::uint64_t feature = feature_at(&words[at]);
        work(Spilled{mix(feature) << 8, feature, words[at + 2], width_ > 3 ? words[at + 3] : 1});
      }
    });
  }

  bool is_heavy(std::uint64_t feature) const {
    for (const auto& one : heavy_)
      if (one.feature == feature) return true;
    return false;
  }

  void find_heavy() {
    const std::size_t counters = std::min<std::size_t>(kMostHeavy, all_ / most_ + 1);
    each([&](const Spilled& one) {
      for (auto& seen : heavy_)
        if (seen.feature == one.feature) return void(++seen.count);
      if (heavy_.size() < counters) return heavy_.push_back({one.feature, 1});
      for (auto& seen : heavy_) --seen.count;
      std::erase_if(heavy_, [](const Heavy& seen) { return seen.count == 0; });
    });
    for (auto& seen : heavy_) seen.count = 0;
    each([&](const Spilled& one) {
      for (auto& seen : heavy_)
        if (seen.feature == one.feature) return void(++seen.count);
    });
    std::erase_if(heavy_, [&](const Heavy& seen) { return seen.count <= most_ / 2; });
  }

  const Spill& spill_;
  std::size_t part_, width_, most_;
  std::uint64_t all_;
  std::vector<Heavy> heavy_;
};

}  // namespace nearkin
