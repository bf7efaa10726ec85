// Ingest: from files to signatures in one pass without Python. Files are read, digested and classified; their visible
// text is extracted, made canonical and signed. Text in another encoding is handed to Python as bytes.
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

// Hashes a digest by some of its bytes, which are as random as any number.
struct ByDigest {
  std::uint64_t operator()(const Digest& digest) const {
    std::uint64_t value;
    std::memcpy(&value, digest.data() + 8, sizeof value);
    return value;
  }
};

// The ids that a store has given to contents, by the digests of their canonical texts, while one scan writes to it.
using ContentIds = FlatMap<Digest, std::int64_t, ByDigest>;

// The ids that a store has given to texts. A text is what an extractor makes of some bytes.
class TextIds {
 public:
  struct Key {
    Digest bytes;
    std::uint32_t extractor;  // its number from `extractor`
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

// What an extraction found out about bytes of some kind, without the text itself.
struct Extraction {
  Digest content{};
  std::uint64_t characters = 0, length = 0, modulus = 1;
  std::string properties;
};

// What files of the same bytes contain, so that a copy is read and digested but not extracted again: its text is that
// of the first.
//
// Threads read batches in any order, but the store's writer takes them in the order of their turns. So a file counts as
// a copy only of a file of an earlier turn, or of one before it in its own turn: that one is stored by then, whichever
// thread was faster.
class Copies {
 public:
  // Tells whether a file is a copy; then `extraction` is that of the first.
  bool find(const Digest& digest, Kind kind, std::uint64_t turn, Extraction& extraction) const;

  // Adds nothing when there are very many already: then copies are extracted as all others are.
  void add(const Digest& digest, Kind kind, std::uint64_t turn, Extraction extraction);

 private:
  struct First {
    std::uint64_t turn;
    Extraction extraction;
  };
  struct Key {
    Digest digest;
    Kind kind;  // the same bytes may be a page or a text, by their name
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::uint64_t operator()(const Key& key) const {
      return ByDigest{}(key.digest) + static_cast<std::uint64_t>(key.kind);
    }
  };

  // Each part has its own lock: when one map for all grew, every reading thread waited.
  struct Part {
    mutable std::mutex lock;
    FlatMap<Key, First, Hash> first;
  };

  static constexpr std::size_t kParts = 32;
  static constexpr std::size_t kMost = 250'000;  // some 60 MB

  // Uses other bits than those that place the digest in the map.
  static std::size_t part_of(const Digest& digest) { return digest[0] % kParts; }

  std::array<Part, kParts> parts_;
};

struct Recipe {
  Scheme scheme;
  bool raw;                // bytes as they are: no decoding, no canonical text
  unsigned ignore;         // what the canonical text leaves out
  bool lines;              // the canonical text keeps line ends
  std::uint64_t max_size;  // larger files are not read
};

inline constexpr std::uint32_t kNoOwner = 0xFFFFFFFF;  // (uid_t)-1, which no user has

struct BatchRow {
  int error = 0;  // errno of a failed read; EFBIG for a file over max_size
  Kind kind = Kind::unread;
  FormatHint hint = FormatHint::none;
  std::uint64_t size = 0;  // this and the following are unknown where not even the folder knows the file
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t inode = 0;
  std::uint32_t owner = kNoOwner;
  Digest digest{};          // of the bytes
  Digest content_digest{};  // of the canonical text, where there is one
  std::uint64_t characters = 0, length = 0;  // code points of the extracted, bytes of the canonical text
  std::uint64_t modulus = 1;
  bool copy = false;  // of the bytes of an earlier file: its text and signature are not repeated here

  bool has_digest() const { return digest != Digest{}; }
  bool has_content() const { return content_digest != Digest{}; }
};

// The text of row i is texts[text_ends[i-1], text_ends[i]); likewise its properties, features and weights.
struct Batch {
  std::vector<BatchRow> rows;
  std::string texts;      // extracted
  std::string canonical;  // end to end, each as long as its row says
  std::vector<std::uint64_t> text_ends;
  std::string properties;  // of the pages (html.hpp)
  std::vector<std::uint64_t> property_ends;
  std::string json;  // the same as JSON, once fill_property_json has run: before a batch is stored or listed
  std::vector<std::uint64_t> json_ends;
  std::vector<std::uint64_t> features;
  std::vector<std::uint32_t> weights;
  std::vector<std::uint64_t> feature_ends;
};

// Reading stops, with fewer rows than paths, once the texts together exceed this many bytes. A file that exceeds it
// alone is read alone.
inline constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

// Files whose name passes `filter` are digested but not extracted: workers read them. With `copies` nothing is
// extracted twice; batches are stored in the order of their turns.
Batch ingest_files(std::span<const std::string> paths, const Recipe& recipe, const FormatFilter* filter = nullptr,
                   Copies* copies = nullptr, std::uint64_t turn = 0);

// Drops the texts once they are compressed: each row's text is empty from then on.
void drop_texts(Batch& batch);

// Bytes that are in no file of their own: rows of tables.
struct LooseBytes {
  std::string_view bytes;
  bool named_html;
};

// Ingests all of them, however long.
Batch ingest_bytes(std::span<const LooseBytes> documents, const Recipe& recipe);

// A text that was decoded to UTF-8 elsewhere.
struct DecodedText {
  std::string_view text;
  bool html;
};

// In the rows `digest` is that of the decoded text.
Batch ingest_texts(std::span<const DecodedText> texts, const Recipe& recipe);

// Ingests texts of which only the contents matter: it leaves out the texts as they came, their digests and their
// numbers of characters.
Batch ingest_contents(std::span<const std::string_view> texts, const Recipe& recipe);

// Recycles the memory of one column of a batch for the next batch that the same thread reads: fresh memory costs as
// much as filling it.
template <auto Column>
class RecycledColumn {
  using Values = std::remove_reference_t<decltype(std::declval<Batch&>().*Column)>;

 public:
  // Gives an empty column the memory that this thread keeps.
  static void lend(Batch& batch) { (batch.*Column).swap(kept()); }

  // Shrinks the column to what it needs, since batches are held until the last text is signed, and keeps the memory.
  static void shrink(Batch& batch) {
    Values& values = batch.*Column;
    if (values.size() * kEach > kKept) return;  // not worth a copy
    Values grown = std::exchange(values, {});
    values.assign(grown.begin(), grown.end());
    keep(std::move(grown));
  }

  // Takes the memory of a column that is no longer needed.
  static void reclaim(Batch& batch) { keep(std::exchange(batch.*Column, {})); }

 private:
  static constexpr std::size_t kEach = sizeof(typename Values::value_type);
  static constexpr std::size_t kKept = std::size_t{1} << 23;  // bytes that a thread keeps at most

  static void keep(Values&& values) {
    if (values.capacity() * kEach > kKept) return release(values);
    values.clear();
    kept() = std::move(values);
  }

  static Values& kept() {
    static thread_local Values values;
    return values;
  }
};

}  // namespace nearkin
