// What files of the same bytes were found to be, so that a copy is read and digested, and not taken apart once more: its
// text is that of the first.
//
// Threads read batches in any order, but the store's writer takes them in the order of their turns. So a file is a copy only
// of one of an earlier turn, or of one before it in its own: what it refers to is stored by then, whichever thread was
// faster.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/flat_map.hpp"
#include "base/sha256.hpp"
#include "text/sniff.hpp"
#include "ingest/stored_ids.hpp"

namespace nearkin {

// What follows from bytes and their kind, but for the text itself.
struct Taken {
  Digest content{};
  std::uint64_t characters = 0, length = 0, modulus = 1;
  std::string properties;
};

class Copies {
 public:
  // Whether it is a copy; then `taken` is what the first was found to be.
  bool find(const Digest& digest, Kind kind, std::uint64_t turn, Taken& taken) const;

  // Nothing where there are very many already: then copies are taken apart as all others are.
  void add(const Digest& digest, Kind kind, std::uint64_t turn, Taken taken);

 private:
  struct First {
    std::uint64_t turn;
    Taken taken;
  };
  struct Key {
    Digest digest;
    Kind kind;  // the same bytes may be a page or a text, by their name
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::uint64_t operator()(const Key& key) const { return ByDigest{}(key.digest) + static_cast<std::uint64_t>(key.kind); }
  };

  // Each has a lock of its own: to make room in one map for all held up every thread that reads.
  struct Part {
    mutable std::mutex lock;
    FlatMap<Key, First, Hash> first;
  };

  static constexpr std::size_t kParts = 32;
  static constexpr std::size_t kMost = 250'000;  // some 60 MB

  // Not by the bits that place it in the map.
  static std::size_t part_of(const Digest& digest) { return digest[0] % kParts; }

  std::array<Part, kParts> parts_;
};

}  // namespace nearkin
