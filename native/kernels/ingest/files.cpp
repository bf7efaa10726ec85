#include "ingest/files.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>

#include "base/parallel.hpp"

namespace nearkin {
namespace {

struct Close {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Looks up the type of an entry. Returns 0, or an error number.
int look_up_type(DIR* folder, const dirent& entry, unsigned char& type) {
  struct stat info {};
  if (::fstatat(::dirfd(folder), entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  type = S_ISREG(info.st_mode)   ? DT_REG
         : S_ISDIR(info.st_mode) ? DT_DIR
         : S_ISLNK(info.st_mode) ? DT_LNK
                                 : DT_FIFO;
  return 0;
}

}  // namespace

Folder list_folder(const char* path, const FolderOptions& options) {
  const std::unique_ptr<DIR, Close> folder(::opendir(path));
  if (!folder) throw std::system_error(errno, std::generic_category(), path);
  Folder result;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name == "." || name == ".." || (!options.hidden && name.starts_with('.'))) continue;
    unsigned char type = entry->d_type;
    const int error = type == DT_UNKNOWN || options.look_up_all ? look_up_type(folder.get(), *entry, type) : 0;
    if (error == ENOENT) continue;
    if (error == 0 && type != DT_REG && type != DT_DIR) {
      ++(type == DT_LNK ? result.links : result.special);
      continue;
    }
    const bool watched =
        std::find(options.watched.begin(), options.watched.end(), entry->d_ino) != options.watched.end() ||
        std::any_of(options.watched_endings.begin(), options.watched_endings.end(),
                    [&](const std::string& ending) { return name.ends_with(ending); });
    const auto kind = error != 0       ? Entry::Kind::unknown
                      : type == DT_DIR ? Entry::Kind::folder
                      : watched        ? Entry::Kind::watched
                                       : Entry::Kind::file;
    result.entries.push_back({result.names.size(), name.size(), kind, error});
    result.names += name;
  }
  if (errno != 0) throw std::system_error(errno, std::generic_category(), path);
  std::sort(result.entries.begin(), result.entries.end(),
            [&](const Entry& a, const Entry& b) { return result.name(a) < result.name(b); });
  return result;
}

std::vector<std::uint8_t> unchanged_files(std::span<const FileStamp> files, unsigned threads) {
  std::vector<std::uint8_t> same(files.size());
  parallel_blocks(files.size(), 256, threads, [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      struct stat info {};
      if (::lstat(files[i].path, &info) != 0) continue;  // the scan reads it next, and records why it cannot
      same[i] = nanoseconds(info.st_mtim) == files[i].mtime_ns && info.st_ino == files[i].inode &&
                (files[i].ctime_ns == 0 || nanoseconds(info.st_ctim) == files[i].ctime_ns) &&
                static_cast<std::uint64_t>(info.st_size) == files[i].size;
    }
  });
  return same;
}

}  // namespace nearkin
