// From files to signatures in one pass without Python: read, digest, tell what it is, take the visible text, make it
// canonical, sign. What cannot be done here (another encoding) is handed back as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/containers.hpp"
#include "base/sha256.hpp"
#include "sign/signature.hpp"
#include "text/sniff.hpp"

namespace nearkin {

// Ids that a store has given to contents and texts, by their digests, for as long as one scan writes to it.

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

// What files of the same bytes were found to be, so that a copy is read and digested, and not taken apart once more:
// its text is that of the first.
//
// Threads read batches in any order, but the store's writer takes them in the order of their turns. So a file is a copy
// only of one of an earlier turn, or of one before it in its own: what it refers to is stored by then, whichever thread
// was faster.

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

struct Recipe {
  Scheme scheme;
  bool raw;                // bytes as they are: no decoding, no canonical text
  unsigned ignore;         // what the canonical text leaves out
  bool lines;              // it keeps line ends
  std::uint64_t max_size;  // larger files are not read
};

inline constexpr std::uint32_t kNoOwner = 0xFFFFFFFF;  // (uid_t)-1, which no user has

struct Ingested {
  int error = 0;  // errno of a failed read; EFBIG for a file over max_size
  Kind kind = Kind::unread;
  FormatHint hint = FormatHint::none;
  std::uint64_t size = 0;  // as all that follows: unknown where not even the folder tells of the file
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t inode = 0;
  std::uint32_t owner = kNoOwner;
  Digest digest{};          // of the bytes
  Digest content_digest{};  // of the canonical text, where there is one
  std::uint64_t characters = 0, length = 0;  // code points of the extracted, bytes of the canonical text
  std::uint64_t modulus = 1;
  bool copy = false;  // of the bytes of a file before it: its text and signature are not here once more

  bool has_digest() const { return digest != Digest{}; }
  bool has_content() const { return content_digest != Digest{}; }
};

// Row i's text is texts[text_ends[i-1], text_ends[i]), likewise its properties, features and weights.
struct Batch {
  std::vector<Ingested> rows;
  std::string texts;      // extracted
  std::string canonical;  // end to end, each as long as its row says
  std::vector<std::uint64_t> text_ends;
  std::string properties;  // what pages say of themselves (html.hpp)
  std::vector<std::uint64_t> property_ends;
  std::string json;  // the same as JSON, once `tell` (told.hpp) has run: before a batch is stored or listed
  std::vector<std::uint64_t> json_ends;
  std::vector<std::uint64_t> features;
  std::vector<std::uint32_t> weights;
  std::vector<std::uint64_t> feature_ends;
};

// Stops, with fewer rows than paths, once the texts together exceed this many bytes; a file that does so alone is read
// alone.
inline constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

// Of those whose name makes them `filter` the bytes are digested and nothing is taken: workers read them. Where there
// are `copies` nothing is taken twice; batches are stored in the order of their turns.
Batch ingest_files(std::span<const std::string> paths, const Recipe& recipe, const FormatFilter* filter = nullptr,
                   Copies* copies = nullptr, std::uint64_t turn = 0);

// Once they are compressed: each row's text is empty from then on.
void drop_texts(Batch& batch);

// The same for bytes that are in no file of their own: rows of tables. All of them, however long.
struct Held {
  std::string_view bytes;
  bool named_html;
};

Batch ingest_bytes(std::span<const Held> held, const Recipe& recipe);

// The same for texts that were decoded elsewhere (UTF-8). `digest` in the rows is that of the decoded text.
struct Decoded {
  std::string_view text;
  bool html;
};

Batch ingest_texts(std::span<const Decoded> texts, const Recipe& recipe);

// The same where only what they say counts: the texts as they came, their digests and how many characters they have are
// left out.
Batch ingest_contents(std::span<const std::string_view> texts, const Recipe& recipe);

// Memory of one column of a batch, used again by the next batch that the same thread reads: fresh memory costs as much
// as filling it.

template <auto Column>
class Recycled {
  using Values = std::remove_reference_t<decltype(std::declval<Batch&>().*Column)>;

 public:
  // An empty column gets the room that this thread has.
  static void lend(Batch& batch) { (batch.*Column).swap(room()); }

  // The column keeps no more room than it needs: batches are held until the last text is signed. The rest goes back.
  static void settle(Batch& batch) {
    Values& values = batch.*Column;
    if (values.size() * kEach > kKept) return;  // not worth a copy
    Values grown = std::exchange(values, {});
    values.assign(grown.begin(), grown.end());
    keep(std::move(grown));
  }

  // The column is no longer needed.
  static void give_back(Batch& batch) { keep(std::exchange(batch.*Column, {})); }

 private:
  static constexpr std::size_t kEach = sizeof(typename Values::value_type);
  static constexpr std::size_t kKept = std::size_t{1} << 23;  // bytes of room that a thread keeps at most

  static void keep(Values&& values) {
    if (values.capacity() * kEach > kKept) return release(values);
    values.clear();
    room() = std::move(values);
  }

  static Values& room() {
    static thread_local Values kept;
    return kept;
  }
};

}  // namespace nearkin
