#include "ingest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "canon.hpp"
#include "html.hpp"
#include "json_text.hpp"
#include "lines.hpp"
#include "opener.hpp"
#include "recycled.hpp"
#include "store_file.hpp"
#include "utf8.hpp"

namespace nearkin {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

enum class Reading : std::uint8_t {
  done,
  failed,     // the row says why
  postponed,  // a large file, of which nothing was read: it is read in a batch of its own
};

void stamp(const struct stat& info, Ingested& row) {
  row.size = static_cast<std::uint64_t>(info.st_size);
  row.mtime_ns = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
  row.inode = info.st_ino;
  row.owner = info.st_uid;
}

Reading failed(int error, Ingested& row) {
  row.error = error;
  return Reading::failed;
}

// All of an open file, which had `size` bytes when it was asked.
Reading read_all(int file, std::uint64_t size, std::uint64_t max_size, Ingested& row, std::string& out) {
  std::size_t have = 0;
  out.resize(static_cast<std::size_t>(size) + 1);  // one more, to see the end without a second read
  for (;;) {
    const ssize_t got = ::read(file, out.data() + have, out.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(errno, row);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have > max_size) return failed(EFBIG, row);
    if (have == size) break;  // the byte more that was asked for is not there
    if (have == out.size()) out.resize(out.size() * 2);  // it grew while we read
  }
  out.resize(have);
  return Reading::done;
}

// `may_be_large`: the batch is empty, so that a large file is read at once. `out` is empty unless all of it was read.
Reading read_file(Opener& opener, const std::string& path, std::string_view next, std::uint64_t max_size,
                  bool may_be_large, Ingested& row, std::string& out) {
  // O_NONBLOCK: a path that turned into a FIFO since the walk must not hang the scan.
  const int file = opener.open(path, next, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const int error = file < 0 ? errno : 0;
  struct stat info {};
  // The folder tells of a file that may not be opened.
  if ((file < 0 ? ::lstat(path.c_str(), &info) : ::fstat(file, &info)) == 0) stamp(info, row);
  Reading reading = Reading::done;
  if (error != 0) {
    reading = failed(error, row);
  } else if (!S_ISREG(info.st_mode)) {
    reading = failed(EINVAL, row);
  } else if (row.size > max_size) {
    reading = failed(EFBIG, row);
  } else if (row.size > kBatchBytes && !may_be_large) {
    reading = Reading::postponed;
  } else {
    reading = read_all(file, row.size, max_size, row, out);
  }
  if (file >= 0) ::close(file);
  if (reading != Reading::done) out.clear();
  return reading;
}

class Worker {
 public:
  Worker(const Recipe& recipe, Batch& batch, bool keeps_texts = true)
      : recipe_(recipe), batch_(batch), keeps_texts_(keeps_texts) {}

  // What is large is moved to the batch, not copied; `owner`, if there is one, holds the bytes, and may lose them.
  // `as_is`: the text was taken from a document already, as by a worker that reads its format.
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

// What the bytes of a file are. Its kind stays unread where a worker reads it because of its name, or nobody does.
void look_at(const std::string& path, std::string_view bytes, const Suspects* suspects, Ingested& row) {
  row.size = bytes.size();
  if (is_store_header(bytes)) {
    row.suspect = Suspect::store;
    return;
  }
  row.digest = sha256(bytes);
  if (suspects != nullptr && suspects->by_name(path)) {
    row.suspect = Suspect::by_name;
    return;
  }
  row.kind = sniff(bytes, is_named_html(path));
  if (suspects != nullptr && suspects->by_content(bytes, row.kind)) row.suspect = Suspect::by_content;
}

}  // namespace

Batch ingest_files(std::span<const std::string> paths, const Recipe& recipe, const Suspects* suspects, Copies* copies,
                   std::uint64_t turn) {
  Batch batch;
  Recycled<&Batch::features>::lend(batch);
  Recycled<&Batch::canonical>::lend(batch);
  Recycled<&Batch::texts>::lend(batch);  // given back by those who take the texts
  Worker worker(recipe, batch);
  std::string bytes;
  Opener opener;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    const std::string_view next = i + 1 < paths.size() ? std::string_view(paths[i + 1]) : std::string_view{};
    if (batch.texts.size() > kBatchBytes) break;
    Ingested row;
    const Reading reading = read_file(opener, path, next, recipe.max_size, batch.rows.empty(), row, bytes);
    if (reading == Reading::postponed) break;
    if (reading == Reading::done) look_at(path, bytes, suspects, row);
    if (row.kind == Kind::unread) bytes.clear();
    const bool text = row.suspect == Suspect::no && (row.kind == Kind::text || row.kind == Kind::html);
    if (copies == nullptr || !text) {
      worker.take(row, bytes, &bytes);
    } else if (Taken taken; copies->find(row.digest, row.kind, turn, taken)) {
      worker.take_copy(row, taken);
    } else {
      worker.take(row, bytes, &bytes);
      copies->add(row.digest, row.kind, turn, worker.taken());
    }
  }
  Recycled<&Batch::features>::settle(batch);
  Recycled<&Batch::canonical>::settle(batch);
  return batch;
}

void drop_texts(Batch& batch) {
  Recycled<&Batch::texts>::give_back(batch);
  batch.text_ends.assign(batch.rows.size(), 0);
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
  Recycled<&Batch::features>::lend(batch);
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
  Recycled<&Batch::features>::settle(batch);
  return batch;
}

}  // namespace nearkin
