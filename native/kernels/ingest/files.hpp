// Folders and files as the file system has them: listings, and whether files have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

// An entry of a folder. `watched` files are those that the options point out.
struct Entry {
  enum class Kind : std::uint8_t { file, watched, folder, unknown };

  std::size_t start;
  std::size_t length;  // of its name, in `names`
  Kind kind;
  int error = 0;  // why it is unknown
};

struct Folder {
  std::string names;
  std::vector<Entry> entries;
  std::size_t links = 0;    // that were skipped
  std::size_t special = 0;  // likewise pipes, sockets and devices

  std::string_view name(const Entry& entry) const { return std::string_view(names).substr(entry.start, entry.length); }
};

struct FolderOptions {
  bool hidden;                                   // also list names that begin with a dot
  std::span<const std::uint64_t> watched;        // inodes of files to point out
  std::span<const std::string> watched_endings;  // endings of names of files to point out
  bool look_up_all = false;                      // look up every type, as for file systems that do not list types
};

// Lists the files and folders in a folder, in byte order of their names. Links are not followed; links, devices and the
// like are counted and skipped. Throws std::system_error if the folder cannot be read.
Folder list_folder(const char* path, const FolderOptions& options);

// A file as it was at the last scan.
struct FileStamp {
  const char* path;
  std::uint64_t size;
  std::int64_t mtime_ns;
  std::int64_t ctime_ns;  // 0: unknown, and not compared
  std::uint64_t inode;
};

// Tells which files have the size, times and inode that they had, on threads.
std::vector<std::uint8_t> unchanged_files(std::span<const FileStamp> files, unsigned threads);

inline std::int64_t nanoseconds(const timespec& moment) { return moment.tv_sec * 1'000'000'000LL + moment.tv_nsec; }

}  // namespace nearkin
