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

// 0, or why it cannot be told.
int ask(DIR* folder, const dirent& one, unsigned char& type) {
  struct stat info {};
  if (::fstatat(::dirfd(folder), one.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  type = S_ISREG(info.st_mode)   ? DT_REG
         : S_ISDIR(info.st_mode) ? DT_DIR
         : S_ISLNK(info.st_mode) ? DT_LNK
                                 : DT_FIFO;
  return 0;
}

}  // namespace

Folder look_into(const char* path, const FolderLook& how) {
  const std::unique_ptr<DIR, Close> folder(::opendir(path));
  if (!folder) throw std::system_error(errno, std::generic_category(), path);
  Folder found;
  while (true) {
    errno = 0;
    const dirent* const one = ::readdir(folder.get());
    if (one == nullptr) break;
    const std::string_view name(one->d_name);
    if (name == "." || name == ".." || (!how.hidden && name.starts_with('.'))) continue;
    unsigned char type = one->d_type;
    const int error = type == DT_UNKNOWN || how.ask ? ask(folder.get(), *one, type) : 0;
    if (error == ENOENT) continue;
    if (error == 0 && type != DT_REG && type != DT_DIR) {
      ++(type == DT_LNK ? found.links : found.special);
      continue;
    }
    const bool watched = std::find(how.watched.begin(), how.watched.end(), one->d_ino) != how.watched.end() ||
                         std::any_of(how.hints.begin(), how.hints.end(), [&](auto& end) { return name.ends_with(end); });
    const auto kind = error != 0       ? Entry::Kind::unknown
                      : type == DT_DIR ? Entry::Kind::folder
                      : watched        ? Entry::Kind::watched
                                       : Entry::Kind::file;
    found.entries.push_back({found.names.size(), name.size(), kind, error});
    found.names += name;
  }
  if (errno != 0) throw std::system_error(errno, std::generic_category(), path);
  std::sort(found.entries.begin(), found.entries.end(),
            [&](const Entry& a, const Entry& b) { return found.name(a) < found.name(b); });
  return found;
}

std::vector<std::uint8_t> unchanged(std::span<const FileStamp> files, unsigned threads) {
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
