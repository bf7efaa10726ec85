// From files to signatures in one pass without Python: read, digest, tell what it is, take the visible text, make it
// canonical, sign. What cannot be done here (another encoding) is handed back as bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/copies.hpp"
#include "base/sha256.hpp"
#include "sign/signature.hpp"
#include "text/sniff.hpp"
#include "text/suspect.hpp"

namespace nearkin {

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
  Suspect suspect = Suspect::no;
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

// Of those whose name makes them `suspects` the bytes are digested and nothing is taken: workers read them. Where there are
// `copies` nothing is taken twice; batches are stored in the order of their turns.
Batch ingest_files(std::span<const std::string> paths, const Recipe& recipe, const Suspects* suspects = nullptr,
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

}  // namespace nearkin
