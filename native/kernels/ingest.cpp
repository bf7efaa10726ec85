#include "ingest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "canon.hpp"
#include "html.hpp"
#include "json_text.hpp"
#include "let_go.hpp"
#include "lines.hpp"
#include "opener.hpp"
#include "utf8.hpp"

namespace nearkin {
namespace {

constexpr std::size_t kKept = std::size_t{1} << 23;  // bytes that a thread has room for between two batches
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Values of a batch grow where those of the batch before grew on this thread, and what is kept has no more room than it
// needs: batches are held until the last text is signed, and fresh memory costs as much as filling it.
template <class Values>
class Grown {
 public:
  explicit Grown(Values& values) : values_(values) { values.swap(room()); }

  // When the last row is in it.
  void settle() {
    constexpr std::size_t each = sizeof(typename Values::value_type);
    if (values_.size() * each > kKept) return;  // not worth a copy
    Values& grown = room();
    grown.swap(values_);
    values_.assign(grown.begin(), grown.end());
    grown.clear();
    if (grown.capacity() * each > kKept) let_go(grown);
  }

 private:
  static Values& room() {
    static thread_local Values grown;
    return grown;
  }

  Values& values_;
};

// Where the texts of the next batch grow.
std::string& room_for_texts() {
  static thread_local std::string room;
  return room;
}

// Returns an errno, 0 when all went well; EAGAIN, with nothing read, for a large file that shall not be read here.
int read_file(Opener& opener, const std::string& path, std::string_view next, std::uint64_t max_size, bool large,
              Ingested& row, std::string& out) {
  // O_NONBLOCK: a path that turned into a FIFO since the walk must not hang the scan.
  const int file = opener.open(path, next, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return errno;
  struct stat info{};
  int error = ::fstat(file, &info) == 0 ? 0 : errno;
  row.size = static_cast<std::uint64_t>(info.st_size);
  row.mtime_ns = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
  row.inode = info.st_ino;
  row.owner = info.st_uid;
  if (error == 0 && !S_ISREG(info.st_mode)) error = EINVAL;
  if (error == 0 && row.size > max_size) error = EFBIG;
  if (error == 0 && row.size > kBatchBytes && !large) error = EAGAIN;
  std::size_t have = 0;
  if (error == 0) {
    out.resize(static_cast<std::size_t>(info.st_size) + 1);  // one more, to see the end without a second read
    for (;;) {
      const ssize_t got = ::read(file, out.data() + have, out.size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error = errno;
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
      if (have > max_size) {
        error = EFBIG;
        break;
      }
      if (have == row.size) break;  // the byte more that was asked for is not there
      if (have == out.size()) out.resize(out.size() * 2);  // it grew while we read
    }
  }
  ::close(file);
  out.resize(error == 0 ? have : 0);
  return error;
}

class Worker {
 public:
  Worker(const Recipe& recipe, Batch& batch, bool keeps_texts = true)
      : recipe_(recipe), batch_(batch), keeps_texts_(keeps_texts) {}

  // What is large is moved to the batch, not copied; `owner`, if there is one, holds the bytes, and may lose them.
  // `as_is`: someone has taken this text from a document already.
  void take(Ingested row, std::string_view bytes, std::string* owner = nullptr, bool as_is = false) {
    const bool text = row.kind == Kind::text || row.kind == Kind::html;
    signature_.features.clear();
    signature_.weights.clear();
    signature_.modulus = 1;
    if (recipe_.raw) {
      if (keeps_texts_) batch_.texts.append(bytes);
      batch_.canonical.append(bytes);
      row.content_digest = row.digest;
      row.characters = row.length = bytes.size();
      sign(recipe_.scheme, bytes, signature_);
    } else if (row.kind == Kind::other) {
      hand_over(bytes, owner, batch_.texts);
    } else if (text) {
      if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
      std::string_view extracted = bytes;
      if (row.kind == Kind::html) {
        visible_text(bytes, visible_, keeps_texts_ ? &batch_.properties : nullptr);
        extracted = visible_;
      } else if (!as_is && unescaped_json(bytes, visible_)) {
        extracted = visible_;
      }
      if (recipe_.lines) {
        canonical_lines(extracted, recipe_.ignore, canonical_);
      } else {
        canonical(extracted, recipe_.ignore, canonical_);
      }
      row.content_digest = sha256(canonical_);
      if (keeps_texts_) row.characters = count_code_points(extracted);
      row.length = canonical_.size();
      sign(recipe_.scheme, canonical_, signature_);
      if (keeps_texts_) hand_over(extracted, extracted.data() == visible_.data() ? &visible_ : owner, batch_.texts);
      hand_over(canonical_, &canonical_, batch_.canonical);
    } else if (row.kind == Kind::empty) {
      row.content_digest = sha256({});
    }
    row.modulus = signature_.modulus;
    push(row);
  }

  // All that is known of a copy, without its text.
  void take_copy(Ingested row, const Taken& taken) {
    row.content_digest = taken.content;
    row.characters = taken.characters;
    row.length = taken.length;
    row.modulus = taken.modulus;
    row.copy = true;
    batch_.properties += taken.properties;
    signature_.features.clear();
    signature_.weights.clear();
    push(row);
  }

  // What the last row was found to be.
  Taken taken() const {
    const Ingested& row = batch_.rows.back();
    const std::size_t rows = batch_.rows.size();
    const std::uint64_t from = rows < 2 ? 0 : batch_.property_ends[rows - 2];
    return {row.content_digest, row.characters, row.length, row.modulus, batch_.properties.substr(from)};
  }

 private:
  void push(const Ingested& row) {
    batch_.features.insert(batch_.features.end(), signature_.features.begin(), signature_.features.end());
    batch_.weights.insert(batch_.weights.end(), signature_.weights.begin(), signature_.weights.end());
    batch_.rows.push_back(row);
    batch_.text_ends.push_back(batch_.texts.size());
    batch_.property_ends.push_back(batch_.properties.size());
    batch_.feature_ends.push_back(batch_.features.size());
  }

  static void hand_over(std::string_view text, std::string* owner, std::string& to) {
    if (text.size() > kBatchBytes && to.empty() && owner != nullptr && owner->data() == text.data()) {
      to = std::move(*owner);
    } else {
      to.append(text);
    }
  }

  const Recipe& recipe_;
  Batch& batch_;
  bool keeps_texts_;
  std::string visible_, canonical_;
  Signature signature_;
};

}  // namespace

void give_back(std::string&& texts) {
  if (texts.capacity() > kKept) return;
  texts.clear();
  room_for_texts() = std::move(texts);
}

Batch ingest_files(std::span<const std::string> paths, const Recipe& recipe, const Suspects* suspects, Copies* copies,
                   std::uint64_t turn) {
  Batch batch;
  Grown features(batch.features);
  Grown canonical(batch.canonical);
  batch.texts.swap(room_for_texts());
  Worker worker(recipe, batch);
  std::string bytes;
  Opener opener;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    const std::string_view next = i + 1 < paths.size() ? std::string_view(paths[i + 1]) : std::string_view{};
    if (batch.texts.size() > kBatchBytes) break;
    Ingested row;
    row.error = read_file(opener, path, next, recipe.max_size, batch.rows.empty(), row, bytes);
    if (row.error == EAGAIN && !batch.rows.empty()) break;  // a batch of its own: it is not held beside others
    if (row.error == 0) {
      row.size = bytes.size();
      row.digest = sha256(bytes);
      if (suspects != nullptr && suspects->by_name(path)) row.suspect = Suspect::by_name;
    }
    if (row.error == 0 && row.suspect == Suspect::no) {
      row.kind = sniff(bytes, is_named_html(path));
      if (suspects != nullptr && suspects->by_content(bytes, row.kind)) row.suspect = Suspect::by_content;
    } else {
      row.kind = Kind::binary;  // nothing to take
      bytes.clear();
    }
    const bool text = row.error == 0 && row.suspect == Suspect::no && (row.kind == Kind::text || row.kind == Kind::html);
    if (copies == nullptr || !text) {
      worker.take(row, bytes, &bytes);
    } else if (Taken taken; copies->find(row.digest, row.kind, turn, taken)) {
      worker.take_copy(row, taken);
    } else {
      worker.take(row, bytes, &bytes);
      copies->add(row.digest, row.kind, turn, worker.taken());
    }
  }
  features.settle();
  canonical.settle();
  return batch;
}

Batch ingest_bytes(std::span<const Held> held, const Recipe& recipe) {
  Batch batch;
  Worker worker(recipe, batch);
  for (const auto& one : held) {
    Ingested row;
    row.size = one.bytes.size();
    row.digest = sha256(one.bytes);
    row.kind = sniff(one.bytes, one.named_html);
    worker.take(row, one.bytes);
  }
  return batch;
}

Batch ingest_texts(std::span<const Decoded> texts, const Recipe& recipe) {
  Batch batch;
  Worker worker(recipe, batch);
  for (const auto& decoded : texts) {
    Ingested row;
    row.size = decoded.text.size();
    row.digest = sha256(decoded.text);
    row.kind = decoded.text.empty() ? Kind::empty : decoded.html ? Kind::html : Kind::text;
    worker.take(row, decoded.text, nullptr, true);
  }
  return batch;
}

Batch ingest_contents(std::span<const std::string_view> texts, const Recipe& recipe) {
  Batch batch;
  Grown features(batch.features);
  Worker worker(recipe, batch, false);
  std::size_t size = 0;
  for (const auto text : texts) size += text.size();
  batch.canonical.reserve(size);  // mostly no more than that, and hardly less
  batch.rows.reserve(texts.size());
  for (const auto text : texts) {
    Ingested row;
    row.size = text.size();
    if (recipe.raw) row.digest = sha256(text);
    row.kind = text.empty() ? Kind::empty : Kind::text;
    worker.take(row, text, nullptr, true);
  }
  features.settle();
  return batch;
}

}  // namespace nearkin
