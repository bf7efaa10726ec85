// A segment in memory, as it is made: each section where it lies, keys and what they stand for appended in their order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "index/segment_format.hpp"
#include "base/uncleared.hpp"

namespace nearkin::segment {

struct Posting {
  std::uint64_t key;
  std::uint32_t rank, weight;
};

class MadeSegment {
 public:
  Header header;
  std::vector<std::int64_t> contents;
  std::vector<std::uint32_t> level_starts, sizes;

  // Before the first is appended: for so many postings at most. What is not used is never touched.
  void make_room(std::size_t postings) {
    keys_.resize(postings);
    values_.resize(postings);
    lists_.resize(weighted() ? 3 * postings : postings + postings / 2);
    written_ = {{keys_.data(), {}}, {values_.data(), {}}, {lists_.data(), {}}};
  }

  // The next postings, by (key, rank): all that these keys have.
  void append(std::span<Posting> postings) {
    Written now = written_;  // nearer than a member: sums grow with every word
    const std::uint32_t* const lists = lists_.data();
    for (std::size_t first = 0, last; first < postings.size(); first = last) {
      for (last = first + 1; last < postings.size() && postings[last].key == postings[first].key;) ++last;
      const auto list = united(postings.subspan(first, last - first));
      header.postings += list.size();
      now.keys.put(list[0].key);
      if (list.size() == 1 && !weighted()) {
        now.values.put(list[0].rank);
        continue;
      }
      now.values.put(kMany + static_cast<std::uint32_t>(now.lists.end - lists));
      now.lists.put(static_cast<std::uint32_t>(list.size()));
      for (const Posting& one : list) now.lists.put(one.rank);
      for (std::size_t i = 0; i < list.size() && weighted(); ++i) now.lists.put(list[i].weight);
    }
    written_ = now;
  }

  // After the last: the directory, and sums of everything.
  void finish() {
    header.features = static_cast<std::uint64_t>(written_.keys.end - keys_.data());
    header.words = static_cast<std::uint64_t>(written_.lists.end - lists_.data());
    keys_.resize(header.features);
    values_.resize(header.features);
    lists_.resize(header.words);
    header.bits = directory_bits(header.features);
    directory_.assign((std::size_t{1} << header.bits) + 1, 0);
    for (const auto key : keys_) ++directory_[header.bits == 0 ? 1 : (key >> (64 - header.bits)) + 1];
    std::partial_sum(directory_.begin(), directory_.end(), directory_.begin());
    const Sections all = sections();
    for (const auto section : {kContents, kLevelStarts, kSizes, kDirectory}) header.sums[section] = sum_of(all[section]);
    header.sums[kKeys] = written_.keys.sum.value();
    header.sums[kValues] = written_.values.sum.value();
    header.sums[kLists] = written_.lists.sum.value();
    header.own_sum = own_sum(header);
  }

  Sections sections() const {
    const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
    return {bytes(contents), bytes(level_starts), bytes(sizes), bytes(directory_), bytes(keys_), bytes(values_), bytes(lists_)};
  }

 private:
  // A section to its end, and its sum. Where three grow side by side, no sum waits for the multiplications of another.
  template <class T>
  struct Growing {
    T* end = nullptr;
    Sum sum;

    void put(T value) {
      *end++ = value;
      sum.add(&value, sizeof value);
    }
  };
  struct Written {
    Growing<std::uint64_t> keys;
    Growing<std::uint32_t> values, lists;
  };

  bool weighted() const { return header.weighted != 0; }

  // A chunk that a text has twice counts with both its lengths.
  static std::span<const Posting> united(std::span<Posting> list) {
    std::size_t to = 1;
    for (const Posting& one : list.subspan(1)) {
      if (list[to - 1].rank == one.rank) {
        const std::uint64_t sum = std::uint64_t{list[to - 1].weight} + one.weight;
        list[to - 1].weight = static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, ~std::uint32_t{0}));
      } else {
        list[to++] = one;
      }
    }
    return list.first(to);
  }

  std::vector<std::uint32_t> directory_;
  Uncleared<std::uint64_t> keys_;
  Uncleared<std::uint32_t> values_, lists_;
  Written written_;
};

}  // namespace nearkin::segment
