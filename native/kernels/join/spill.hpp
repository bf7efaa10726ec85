// What does not fit into memory, on the disk: 32-bit words in parts, written by many threads, read part by part.
//
// The file has no name. It is gone with its owner, also after a kill: nobody has to clean up.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/sort.hpp"
#include "join/bounded_state.hpp"

namespace nearkin {

using Words = std::vector<std::uint32_t>;

class Spill {
 public:
  Spill(const std::string& folder, std::size_t parts);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  // By any thread. Given back is where they are, for read_at.
  std::uint64_t append(std::size_t part, std::span<const std::uint32_t> words);

  std::size_t parts() const { return extents_.size(); }
  std::uint64_t words(std::size_t part) const;
  Words read(std::size_t part) const;
  Words read_at(std::uint64_t at, std::size_t words) const;

  // The same part, some whole records at a time: each was appended whole.
  template <class Work>
  void for_each_block(std::size_t part, std::size_t record, Work&& work) const {
    Words block;
    for (const auto& extent : extents_[part]) {
      for (std::uint64_t done = 0; done < extent.words; done += block.size()) {
        block.resize(std::min<std::uint64_t>(kBlock / record * record, extent.words - done));
        read_into(extent.at + 4 * done, block);
        work(std::span<const std::uint32_t>(block));
      }
    }
  }

  // As it was appended, piece by piece.
  template <class Work>
  void for_each_piece(std::size_t part, Work&& work) const {
    Words piece;
    for (const auto& extent : extents_[part]) {
      piece.resize(extent.words);
      read_into(extent.at, piece);
      work(std::span<const std::uint32_t>(piece));
    }
  }

  // The part has been read for the last time: its place on the disk is free.
  void drop(std::size_t part);

  std::uint64_t written() const { return end_; }  // bytes

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;  // words

  struct Extent {
    std::uint64_t at, words;
  };

  void read_into(std::uint64_t at, std::span<std::uint32_t> words) const;

  std::string folder_;
  int file_;
  std::atomic<std::uint64_t> end_ = 0;
  std::vector<std::vector<Extent>> extents_;
  mutable std::mutex guard_;
};

// Records dealt out to the parts of a spill by one thread, some at a time.
class Dealer {
 public:
  Dealer(Spill& spill, std::size_t held) : spill_(spill), held_(held), waiting_(spill.parts()) {}

  void put(std::size_t part, std::span<const std::uint32_t> words) {
    Words& waiting = waiting_[part];
    if (waiting.capacity() == 0) waiting.reserve(held_);
    if (waiting.size() + words.size() > held_) flush(part);
    waiting.insert(waiting.end(), words.begin(), words.end());
  }

  void flush() {
    for (std::size_t part = 0; part < waiting_.size(); ++part) flush(part);
  }

 private:
  void flush(std::size_t part) {
    if (!waiting_[part].empty()) spill_.append(part, waiting_[part]);
    waiting_[part].clear();
  }

  Spill& spill_;
  std::size_t held_;  // words that wait of each part
  std::vector<Words> waiting_;
};

// Postings of a part of a spill, feature by feature, in bounded memory.
//
// What fits is read whole and sorted. Where it does not, features that alone would fill the room are found first (Misra
// and Gries 1982: of a stream of n at most k have over n / (k + 1) of it, and k counters find them). These are not
// sorted with the others: their postings are read as often as is asked for. The rest is sorted in rounds, each of some
// features. A feature that all contents have thus takes no room here. Who wants its rows together
// (BoundedBins::link_part) has four bytes a content for them on each thread, which Whole::room counts.

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
