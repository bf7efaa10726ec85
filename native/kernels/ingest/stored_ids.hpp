// Ids that a store has given to contents and texts, by their digests, for as long as one scan writes to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/flat_map.hpp"
#include "base/sha256.hpp"

namespace nearkin {

// A digest is as good a number as any.
struct ByDigest {
  std::uint64_t operator()(const Digest& digest) const {
    std::uint64_t value;
    std::memcpy(&value, digest.data() + 8, sizeof value);
    return value;
  }
};

using ContentIds = FlatMap<Digest, std::int64_t, ByDigest>;  // by digests of canonical texts

// A text is what an extractor makes of some bytes.
class TextIds {
 public:
  struct Key {
    Digest bytes;
    std::uint32_t extractor;  // its number, below
    std::int64_t content;
    bool operator==(const Key&) const = default;
  };
  struct ByKey {
    std::uint64_t operator()(const Key& key) const {
      return ByDigest{}(key.bytes) + key.extractor + static_cast<std::uint64_t>(key.content);
    }
  };

  std::uint32_t extractor(std::string_view name) {
    return extractors_.emplace(name, static_cast<std::uint32_t>(extractors_.size())).first->second;
  }

  FlatMap<Key, std::int64_t, ByKey> ids;

 private:
  std::unordered_map<std::string, std::uint32_t> extractors_;
};

}  // namespace nearkin
