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

}  // namespace nearkin
