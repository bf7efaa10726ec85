// Spill files, for what does not fit into memory: 32-bit words in parts, written by many threads, read part by part.
//
// The file has no name. It vanishes with its owner, even after a kill, so nobody has to clean up.
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

  // Appends words to a part, from any thread. Returns their offset for read_at.
  std::uint64_t append(std::size_t part, std::span<const std::uint32_t> words);

  std::size_t parts() const { return extents_.size(); }
  std::uint64_t words(std::size_t part) const;
  Words read(std::size_t part) const;
  Words read_at(std::uint64_t at, std::size_t words) const;

  // Reads a part some whole records at a time. Each record was appended whole.
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

  // Reads a part piece by piece, as it was appended.
  template <class Work>
  void for_each_piece(std::size_t part, Work&& work) const {
    Words piece;
    for (const auto& extent : extents_[part]) {
      piece.resize(extent.words);
      read_into(extent.at, piece);
      work(std::span<const std::uint32_t>(piece));
    }
  }

  // Frees the disk space of a part that has been read for the last time.
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

// Writes the records of one thread to the parts of a spill, some at a time.
class PartWriter {
 public:
  PartWriter(Spill& spill, std::size_t buffered) : spill_(spill), buffered_(buffered), waiting_(spill.parts()) {}

  void put(std::size_t part, std::span<const std::uint32_t> words) {
    Words& waiting = waiting_[part];
    if (waiting.capacity() == 0) waiting.reserve(buffered_);
    if (waiting.size() + words.size() > buffered_) flush(part);
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
  std::size_t buffered_;  // words of each part that wait
  std::vector<Words> waiting_;
};

// A posting read from a spill. `mixed` spreads the feature's bits for sorting.
struct SpilledPosting {
  std::uint64_t mixed, feature;
  std::uint32_t row, weight;
};

// The postings of a part of a spill, feature by feature, in bounded memory.
//
// A part that fits is read whole and sorted. In a larger one the heavy features, each of which would fill the memory
// alone, are found first (Misra and Gries 1982: of a stream of n at most k have over n / (k + 1) of it, and k counters
// find them). They are not sorted with the others; their postings are read again whenever they are visited. The rest is
// sorted in rounds, each of some features. A feature that all contents have thus takes no memory here. A caller that
// wants its rows together (BoundedBins::link_part) has four bytes a content for them on each thread, which
// BoundedState::room counts.
class FeatureRuns {
 public:
  static constexpr std::size_t kPostingBytes = 2 * sizeof(SpilledPosting);  // while it is sorted

  // Records have `width` words: feature, row, and the weight if there is a fourth. At most `most` are sorted at a time,
  // or twice as many where features are not spread evenly.
  FeatureRuns(const Spill& spill, std::size_t part, std::size_t width, std::size_t most)
      : spill_(spill),
        part_(part),
        width_(width),
        most_(std::max<std::size_t>(1, most)),
        all_(spill.words(part) / width) {
    if (all_ > most_) find_heavy();
  }

  // Calls work(run) for every run except those of heavy features. A run is the postings of one feature, ordered by
  // `less` of two rows.
  template <class Less, class Work>
  void for_each(Less&& less, Work&& work) const {
    std::uint64_t light = all_;
    for (const auto& heavy : heavy_) light -= heavy.count;
    const std::uint64_t rounds = (light + most_ - 1) / most_;
    std::vector<SpilledPosting> postings;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      postings.clear();
      postings.reserve(light / rounds + (rounds > 1 ? light / rounds / 4 : 0));
      each([&](const SpilledPosting& posting) {
        if (rounds > 1 && (posting.mixed >> 48) * rounds >> 16 != round) return;
        if (!heavy_.empty() && is_heavy(posting.feature)) return;
        postings.push_back(posting);
      });
      sort_by_feature(postings.data(), postings.size(), [](const SpilledPosting& posting) { return posting.mixed; },
                      [&](const SpilledPosting& x, const SpilledPosting& y) {
                        return x.mixed != y.mixed ? x.mixed < y.mixed : less(x.row, y.row);
                      });
      for (std::size_t begin = 0, end = 0; begin < postings.size(); begin = end) {
        while (end < postings.size() && postings[end].feature == postings[begin].feature) ++end;
        work(std::span<const SpilledPosting>(postings).subspan(begin, end - begin));
      }
    }
  }

  struct Heavy {
    std::uint64_t feature, count;
  };

  const std::vector<Heavy>& heavy() const { return heavy_; }

  // Calls work(posting) for all postings of a heavy feature, in no order.
  template <class Work>
  void for_each_of(std::uint64_t feature, Work&& work) const {
    each([&](const SpilledPosting& posting) {
      if (posting.feature == feature) work(posting);
    });
  }

 private:
  static constexpr std::size_t kMostHeavy = 64;

  template <class Work>
  void each(Work&& work) const {
    spill_.for_each_block(part_, width_, [&](std::span<const std::uint32_t> words) {
      for (std::size_t at = 0; at < words.size(); at += width_) {
        const std::uint64_t feature = feature_at(&words[at]);
        work(SpilledPosting{mix(feature) << 8, feature, words[at + 2], width_ > 3 ? words[at + 3] : 1});
      }
    });
  }

  bool is_heavy(std::uint64_t feature) const {
    for (const auto& heavy : heavy_)
      if (heavy.feature == feature) return true;
    return false;
  }

  void find_heavy() {
    const std::size_t counters = std::min<std::size_t>(kMostHeavy, all_ / most_ + 1);
    each([&](const SpilledPosting& posting) {
      for (auto& heavy : heavy_)
        if (heavy.feature == posting.feature) return void(++heavy.count);
      if (heavy_.size() < counters) return heavy_.push_back({posting.feature, 1});
      for (auto& heavy : heavy_) --heavy.count;
      std::erase_if(heavy_, [](const Heavy& heavy) { return heavy.count == 0; });
    });
    for (auto& heavy : heavy_) heavy.count = 0;
    each([&](const SpilledPosting& posting) {
      for (auto& heavy : heavy_)
        if (heavy.feature == posting.feature) return void(++heavy.count);
    });
    std::erase_if(heavy_, [&](const Heavy& heavy) { return heavy.count <= most_ / 2; });
  }

  const Spill& spill_;
  std::size_t part_, width_, most_;
  std::uint64_t all_;
  std::vector<Heavy> heavy_;
};

}  // namespace nearkin
