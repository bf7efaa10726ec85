#include "ingest/ingest.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/containers.hpp"
#include "ingest/files.hpp"
#include "text/canon.hpp"
#include "text/encoding.hpp"
#include "text/html.hpp"
#include "text/json.hpp"
#include "text/sniff.hpp"

namespace nearkin {
namespace {

// Files opened one after the other. Those of one folder are opened from there: the way to it is looked up once, which
// for every file took a third of opening it.

class Opener {
 public:
  Opener() = default;
  ~Opener() { leave(); }
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;

  // As open(2) does. `next` is the path that is opened after this one; empty: none.
  int open(const std::string& path, std::string_view next, int flags) {
    const std::string_view folder = folder_of(path);
    if (folder_ < 0 || folder != path_) {
      leave();
      if (folder.size() < 2 || folder != folder_of(next)) return ::open(path.c_str(), flags);
      path_ = folder;
      folder_ = ::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (folder_ < 0) return ::open(path.c_str(), flags);  // which says why
    }
    return ::openat(folder_, path.c_str() + folder.size(), flags);
  }

 private:
  // With its slash.
  static std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

  void leave() {
    if (folder_ >= 0) ::close(folder_);
    folder_ = -1;
  }

  std::string path_;
  int folder_ = -1;
};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

enum class Reading : std::uint8_t {
  done,
  failed,     // the row says why
  postponed,  // a large file, of which nothing was read: it is read in a batch of its own
};

void stamp(const struct stat& info, Ingested& row) {
  row.size = static_cast<std::uint64_t>(info.st_size);
  row.mtime_ns = nanoseconds(info.st_mtim);
  row.ctime_ns = nanoseconds(info.st_ctim);
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

// Files or texts that are at hand at once: digests are made two at a time. More would not stay in the processor's
// cache.
constexpr std::size_t kTogether = 8;
constexpr std::size_t kHeld = std::size_t{1} << 18;  // bytes after which no more files are added to these

class Worker {
 public:
  Worker(const Recipe& recipe, Batch& batch, bool keeps_texts = true, Copies* copies = nullptr, std::uint64_t turn = 0)
      : recipe_(recipe), batch_(batch), keeps_texts_(keeps_texts), copies_(copies), turn_(turn) {}

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
      row.content_digest = row.digest;  // no other is made
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
    if (text) unnamed_.push_back({batch_.rows.size() - 1, batch_.canonical.size() - row.length});
    if (unnamed_.size() == kTogether) name_contents();
  }

  // A file of the same bytes as one that was taken before is only noted.
  void take_once(const Ingested& row, std::string& bytes) {
    const auto is_same = [&](const Unnamed& one) {
      const Ingested& before = batch_.rows[one.row];
      return before.kind == row.kind && before.digest == row.digest;
    };
    if (std::any_of(unnamed_.begin(), unnamed_.end(), is_same)) name_contents();
    if (Taken taken; copies_->find(row.digest, row.kind, turn_, taken)) {
      take_copy(row, taken);
    } else {
      take(row, bytes, &bytes);
    }
  }

  // The digests of contents that were taken, at the latest when all are.
  void name_contents() {
    if (!recipe_.raw) {
      std::array<std::string_view, kTogether> contents;
      for (std::size_t i = 0; i < unnamed_.size(); ++i)
        contents[i] = std::string_view(batch_.canonical).substr(unnamed_[i].start, batch_.rows[unnamed_[i].row].length);
      const std::vector<Digest> digests = sha256_all({contents.data(), unnamed_.size()});
      for (std::size_t i = 0; i < unnamed_.size(); ++i) batch_.rows[unnamed_[i].row].content_digest = digests[i];
    }
    for (const auto [number, start] : unnamed_)
      if (const Ingested& row = batch_.rows[number]; copies_ != nullptr && row.hint == FormatHint::none)
        copies_->add(row.digest, row.kind, turn_, taken(number));
    unnamed_.clear();
  }

 private:
  struct Unnamed {
    std::size_t row;
    std::size_t start;  // of its canonical text
  };

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

  // What a row was found to be.
  Taken taken(std::size_t number) const {
    const Ingested& row = batch_.rows[number];
    const std::uint64_t from = number == 0 ? 0 : batch_.property_ends[number - 1];
    return {row.content_digest, row.characters, row.length, row.modulus,
            batch_.properties.substr(from, batch_.property_ends[number] - from)};
  }

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
  Copies* copies_;
  std::uint64_t turn_;
  std::vector<Unnamed> unnamed_;
  std::string visible_, canonical_;
  Signature signature_;
};

// What the bytes of a file are. Its kind stays unread where a worker reads it because of its name, or nobody does.
void look_at(const std::string& path, std::string_view bytes, const Digest& digest, const FormatFilter* filter, Ingested& row) {
  row.size = bytes.size();
  if (is_store_header(bytes)) {
    row.hint = FormatHint::store;
    return;
  }
  row.digest = digest;
  if (filter != nullptr && filter->by_name(path)) {
    row.hint = FormatHint::by_name;
    return;
  }
  row.kind = sniff(bytes, is_named_html(path));
  if (filter != nullptr && filter->by_content(bytes, row.kind)) row.hint = FormatHint::by_content;
}

// Some files at a time, each read as a whole.
class Together {
 public:
  struct File {
    const std::string* path;
    Ingested row;
    Reading reading;
    std::string bytes;
    Digest digest;
  };

  Together(std::span<const std::string> paths, std::uint64_t max_size) : paths_(paths), max_size_(max_size) {}

  // The next files after so many, of which there may be none. A large one is read alone, and only as the first.
  bool read(std::size_t done) {
    count_ = 0;
    std::array<std::string_view, kTogether> read;
    std::size_t held = 0;
    for (File& file : files_)  // what one large file needed is not held for all that follow
      if (file.bytes.capacity() > kHeld) release(file.bytes);
    for (std::size_t i = done; i < paths_.size() && count_ < kTogether && held < kHeld; ++i) {
      File& file = files_[count_];
      file.path = &paths_[i];
      file.row = {};
      const std::string_view next = i + 1 < paths_.size() ? std::string_view(paths_[i + 1]) : std::string_view{};
      file.reading = read_file(opener_, paths_[i], next, max_size_, i == 0, file.row, file.bytes);
      if (file.reading == Reading::postponed) break;
      held += file.bytes.size();
      read[count_++] = file.bytes;
    }
    const std::vector<Digest> digests = sha256_all({read.data(), count_});
    for (std::size_t i = 0; i < count_; ++i) files_[i].digest = digests[i];
    return count_ > 0;
  }

  std::span<File> files() { return {files_.data(), count_}; }

 private:
  std::span<const std::string> paths_;
  std::uint64_t max_size_;
  Opener opener_;
  std::array<File, kTogether> files_;
  std::size_t count_ = 0;
};

}  // namespace

Batch ingest_files(std::span<const std::string> paths, const Recipe& recipe, const FormatFilter* filter, Copies* copies,
                   std::uint64_t turn) {
  Batch batch;
  Recycled<&Batch::features>::lend(batch);
  Recycled<&Batch::canonical>::lend(batch);
  Recycled<&Batch::texts>::lend(batch);  // given back by those who take the texts
  Worker worker(recipe, batch, true, copies, turn);
  Together together(paths, recipe.max_size);
  while (batch.texts.size() <= kBatchBytes && together.read(batch.rows.size())) {
    for (Together::File& file : together.files()) {
      if (batch.texts.size() > kBatchBytes) break;
      Ingested& row = file.row;
      if (file.reading == Reading::done) look_at(*file.path, file.bytes, file.digest, filter, row);
      if (row.kind == Kind::unread) file.bytes.clear();
      const bool text = row.hint == FormatHint::none && (row.kind == Kind::text || row.kind == Kind::html);
      if (copies == nullptr || !text) {
        worker.take(row, file.bytes, &file.bytes);
      } else {
        worker.take_once(row, file.bytes);
      }
    }
  }
  worker.name_contents();
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
  worker.name_contents();
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
  worker.name_contents();
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
  worker.name_contents();
  Recycled<&Batch::features>::settle(batch);
  return batch;
}

bool Copies::find(const Digest& digest, Kind kind, std::uint64_t turn, Taken& taken) const {
  const Part& part = parts_[part_of(digest)];
  const std::lock_guard hold(part.lock);
  const First* const found = part.first.find({digest, kind});
  if (found == nullptr || found->turn > turn) return false;
  taken = found->taken;
  return true;
}

void Copies::add(const Digest& digest, Kind kind, std::uint64_t turn, Taken taken) {
  Part& part = parts_[part_of(digest)];
  const std::lock_guard hold(part.lock);
  if (First* const found = part.first.find({digest, kind}); found != nullptr) {
    found->turn = std::min(found->turn, turn);
  } else if (part.first.size() < kMost / kParts) {
    part.first.emplace({digest, kind}, {turn, std::move(taken)});
  }
}

}  // namespace nearkin
