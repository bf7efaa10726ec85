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

// Opens files one after the other. Files of one folder are opened relative to it: the path to the folder is resolved
// once; resolving it for every file took a third of opening it.
class Opener {
 public:
  Opener() = default;
  ~Opener() { leave(); }
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;

  // Opens as open(2) does. `next` is the path that is opened after this one, if any.
  int open(const std::string& path, std::string_view next, int flags) {
    const std::string_view folder = folder_of(path);
    if (folder_ < 0 || folder != path_) {
      leave();
      if (folder.size() < 2 || folder != folder_of(next)) return ::open(path.c_str(), flags);
      path_ = folder;
      folder_ = ::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (folder_ < 0) return ::open(path.c_str(), flags);  // this sets errno
    }
    return ::openat(folder_, path.c_str() + folder.size(), flags);
  }

 private:
  // Returns the folder with its slash.
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
  failed,     // the row has the error
  postponed,  // a large file, not read at all: it is read in a batch of its own
};

void stamp(const struct stat& info, BatchRow& row) {
  row.size = static_cast<std::uint64_t>(info.st_size);
  row.mtime_ns = nanoseconds(info.st_mtim);
  row.ctime_ns = nanoseconds(info.st_ctim);
  row.inode = info.st_ino;
  row.owner = info.st_uid;
}

Reading failed(int error, BatchRow& row) {
  row.error = error;
  return Reading::failed;
}

// Reads all of an open file, which had `size` bytes according to fstat.
Reading read_all(int file, std::uint64_t size, std::uint64_t max_size, BatchRow& row, std::string& out) {
  std::size_t have = 0;
  out.resize(static_cast<std::size_t>(size) + 1);  // one more, to see the end without a second read
  for (;;) {
    const ssize_t got = ::read(file, out.data() + have, out.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(errno, row);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have > max_size) return failed(EFBIG, row);
    if (have == size) break;  // the additional byte is not there
    if (have == out.size()) out.resize(out.size() * 2);  // the file grew meanwhile
  }
  out.resize(have);
  return Reading::done;
}

// `may_be_large`: the batch is empty, so a large file is read at once. `out` is empty unless the whole file was read.
Reading read_file(Opener& opener, const std::string& path, std::string_view next, std::uint64_t max_size,
                  bool may_be_large, BatchRow& row, std::string& out) {
  // O_NONBLOCK: a path that turned into a FIFO since the walk must not hang the scan.
  const int file = opener.open(path, next, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const int error = file < 0 ? errno : 0;
  struct stat info {};
  // lstat describes a file that may not be opened.
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

// Files or texts that are digested together, two at a time. More would not stay in the processor's cache.
constexpr std::size_t kGroup = 8;
constexpr std::size_t kGroupBytes = std::size_t{1} << 18;  // no more files are added to a group beyond this

// Extracts and signs documents, and appends them to a batch.
class BatchBuilder {
 public:
  BatchBuilder(const Recipe& recipe, Batch& batch, bool keeps_texts = true, Copies* copies = nullptr,
               std::uint64_t turn = 0)
      : recipe_(recipe), batch_(batch), keeps_texts_(keeps_texts), copies_(copies), turn_(turn) {}

  // Adds a document. Large bytes are moved to the batch, not copied: `owner`, if there is one, holds them and may lose
  // them. `as_is`: the text was already extracted, as by a worker that reads its format.
  void add(BatchRow row, std::string_view bytes, std::string* owner = nullptr, bool as_is = false) {
    const bool text = row.kind == Kind::text || row.kind == Kind::html;
    signature_.features.clear();
    signature_.weights.clear();
    signature_.modulus = 1;
    if (recipe_.raw) {
      if (keeps_texts_) batch_.texts.append(bytes);
      batch_.canonical.append(bytes);
      row.content_digest = row.digest;  // there is no other
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
    if (text) undigested_.push_back({batch_.rows.size() - 1, batch_.canonical.size() - row.length});
    if (undigested_.size() == kGroup) digest_contents();
  }

  // Adds a document, but only notes it if its bytes are those of one that was added before.
  void add_once(const BatchRow& row, std::string& bytes) {
    const auto is_same = [&](const Undigested& content) {
      const BatchRow& before = batch_.rows[content.row];
      return before.kind == row.kind && before.digest == row.digest;
    };
    if (std::any_of(undigested_.begin(), undigested_.end(), is_same)) digest_contents();
    if (Extraction extraction; copies_->find(row.digest, row.kind, turn_, extraction)) {
      add_copy(row, extraction);
    } else {
      add(row, bytes, &bytes);
    }
  }

  // Digests the contents that were added. It must be called after the last.
  void digest_contents() {
    if (!recipe_.raw) {
      std::array<std::string_view, kGroup> contents;
      for (std::size_t i = 0; i < undigested_.size(); ++i) {
        const auto [row, start] = undigested_[i];
        contents[i] = std::string_view(batch_.canonical).substr(start, batch_.rows[row].length);
      }
      const std::vector<Digest> digests = sha256_all({contents.data(), undigested_.size()});
      for (std::size_t i = 0; i < undigested_.size(); ++i) batch_.rows[undigested_[i].row].content_digest = digests[i];
    }
    for (const auto [number, start] : undigested_)
      if (const BatchRow& row = batch_.rows[number]; copies_ != nullptr && row.hint == FormatHint::none)
        copies_->add(row.digest, row.kind, turn_, extraction_of(number));
    undigested_.clear();
  }

 private:
  struct Undigested {
    std::size_t row;
    std::size_t start;  // of its canonical text
  };

  void add_copy(BatchRow row, const Extraction& extraction) {
    row.content_digest = extraction.content;
    row.characters = extraction.characters;
    row.length = extraction.length;
    row.modulus = extraction.modulus;
    row.copy = true;
    batch_.properties += extraction.properties;
    signature_.features.clear();
    signature_.weights.clear();
    push(row);
  }

  Extraction extraction_of(std::size_t number) const {
    const BatchRow& row = batch_.rows[number];
    const std::uint64_t from = number == 0 ? 0 : batch_.property_ends[number - 1];
    return {row.content_digest, row.characters, row.length, row.modulus,
            batch_.properties.substr(from, batch_.property_ends[number] - from)};
  }

  void push(const BatchRow& row) {
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
  std::vector<Undigested> undigested_;
  std::string visible_, canonical_;
  Signature signature_;
};

// Classifies the bytes of a file. Its kind stays `unread` if a worker reads it because of its name, or nobody does.
void classify(const std::string& path, std::string_view bytes, const Digest& digest, const FormatFilter* filter,
              BatchRow& row) {
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

// Reads files in groups, each file as a whole, and digests them.
class FileGroup {
 public:
  struct File {
    const std::string* path;
    BatchRow row;
    Reading reading;
    std::string bytes;
    Digest digest;
  };

  FileGroup(std::span<const std::string> paths, std::uint64_t max_size) : paths_(paths), max_size_(max_size) {}

  // Reads the next files after the first `done`, if there are any. A large one is read alone, and only as the first.
  bool read(std::size_t done) {
    count_ = 0;
    std::array<std::string_view, kGroup> read;
    std::size_t total = 0;
    for (File& file : files_)  // the memory of a large file is not kept for all that follow
      if (file.bytes.capacity() > kGroupBytes) release(file.bytes);
    for (std::size_t i = done; i < paths_.size() && count_ < kGroup && total < kGroupBytes; ++i) {
      File& file = files_[count_];
      file.path = &paths_[i];
      file.row = {};
      const std::string_view next = i + 1 < paths_.size() ? std::string_view(paths_[i + 1]) : std::string_view{};
      file.reading = read_file(opener_, paths_[i], next, max_size_, i == 0, file.row, file.bytes);
      if (file.reading == Reading::postponed) break;
      total += file.bytes.size();
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
  std::array<File, kGroup> files_;
  std::size_t count_ = 0;
};

}  // namespace

Batch ingest_files(std::span<const std::string> paths, const Recipe& recipe, const FormatFilter* filter, Copies* copies,
                   std::uint64_t turn) {
  Batch batch;
  RecycledColumn<&Batch::features>::lend(batch);
  RecycledColumn<&Batch::canonical>::lend(batch);
  RecycledColumn<&Batch::texts>::lend(batch);  // reclaimed when the texts are taken
  BatchBuilder builder(recipe, batch, true, copies, turn);
  FileGroup group(paths, recipe.max_size);
  while (batch.texts.size() <= kBatchBytes && group.read(batch.rows.size())) {
    for (FileGroup::File& file : group.files()) {
      if (batch.texts.size() > kBatchBytes) break;
      BatchRow& row = file.row;
      if (file.reading == Reading::done) classify(*file.path, file.bytes, file.digest, filter, row);
      if (row.kind == Kind::unread) file.bytes.clear();
      const bool text = row.hint == FormatHint::none && (row.kind == Kind::text || row.kind == Kind::html);
      if (copies == nullptr || !text) {
        builder.add(row, file.bytes, &file.bytes);
      } else {
        builder.add_once(row, file.bytes);
      }
    }
  }
  builder.digest_contents();
  RecycledColumn<&Batch::features>::shrink(batch);
  RecycledColumn<&Batch::canonical>::shrink(batch);
  return batch;
}

void drop_texts(Batch& batch) {
  RecycledColumn<&Batch::texts>::reclaim(batch);
  batch.text_ends.assign(batch.rows.size(), 0);
}

Batch ingest_bytes(std::span<const LooseBytes> documents, const Recipe& recipe) {
  Batch batch;
  BatchBuilder builder(recipe, batch);
  for (const auto& [bytes, named_html] : documents) {
    BatchRow row;
    row.size = bytes.size();
    row.digest = sha256(bytes);
    row.kind = sniff(bytes, named_html);
    builder.add(row, bytes);
  }
  builder.digest_contents();
  return batch;
}

Batch ingest_texts(std::span<const DecodedText> texts, const Recipe& recipe) {
  Batch batch;
  BatchBuilder builder(recipe, batch);
  for (const auto& [text, html] : texts) {
    BatchRow row;
    row.size = text.size();
    row.digest = sha256(text);
    row.kind = text.empty() ? Kind::empty : html ? Kind::html : Kind::text;
    builder.add(row, text, nullptr, true);
  }
  builder.digest_contents();
  return batch;
}

Batch ingest_contents(std::span<const std::string_view> texts, const Recipe& recipe) {
  Batch batch;
  RecycledColumn<&Batch::features>::lend(batch);
  BatchBuilder builder(recipe, batch, false);
  std::size_t size = 0;
  for (const auto text : texts) size += text.size();
  batch.canonical.reserve(size);  // canonical texts are hardly ever longer, and not much shorter
  batch.rows.reserve(texts.size());
  for (const auto text : texts) {
    BatchRow row;
    row.size = text.size();
    if (recipe.raw) row.digest = sha256(text);
    row.kind = text.empty() ? Kind::empty : Kind::text;
    builder.add(row, text, nullptr, true);
  }
  builder.digest_contents();
  RecycledColumn<&Batch::features>::shrink(batch);
  return batch;
}

bool Copies::find(const Digest& digest, Kind kind, std::uint64_t turn, Extraction& extraction) const {
  const Part& part = parts_[part_of(digest)];
  const std::lock_guard hold(part.lock);
  const First* const first = part.first.find({digest, kind});
  if (first == nullptr || first->turn > turn) return false;
  extraction = first->extraction;
  return true;
}

void Copies::add(const Digest& digest, Kind kind, std::uint64_t turn, Extraction extraction) {
  Part& part = parts_[part_of(digest)];
  const std::lock_guard hold(part.lock);
  if (First* const first = part.first.find({digest, kind}); first != nullptr) {
    first->turn = std::min(first->turn, turn);
  } else if (part.first.size() < kMost / kParts) {
    part.first.emplace({digest, kind}, {turn, std::move(extraction)});
  }
}

}  // namespace nearkin
