// What lies in a folder: its entries in byte order of their names, links not followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

struct Entry {
  enum class Kind : std::uint8_t { file, watched, folder, unknown };  // watched: a file that is pointed out

  std::size_t start;
  std::size_t length;  // of its name, in `names`
  Kind kind;
  int error = 0;  // why it is unknown
};

struct Folder {
  std::string names;
  std::vector<Entry> entries;
  std::size_t links = 0;    // passed over
  std::size_t special = 0;  // likewise: pipes, sockets and devices

  std::string_view name(const Entry& entry) const { return std::string_view(names).substr(entry.start, entry.length); }
};

struct FolderLook {
  bool hidden;                             // also names that begin with a dot
  std::span<const std::uint64_t> watched;  // inodes that files are pointed out by
  std::span<const std::string> hints;      // likewise, how their names end
  bool ask = false;  // about every entry, as where the file system does not tell with the names what they are
};

// Files and folders only: links, devices and the like are counted and passed over. Throws std::system_error where the
// folder cannot be looked into.
Folder look_into(const char* path, const FolderLook& how);

// Which files are as they were: size, times of change and inode, asked of the file system on threads.

struct FileStamp {
  const char* path;
  std::uint64_t size;
  std::int64_t mtime_ns;
  std::int64_t ctime_ns;  // 0: not known, and not compared
  std::uint64_t inode;
};

std::vector<std::uint8_t> unchanged(std::span<const FileStamp> files, unsigned threads);

// A moment as the store holds it.

inline std::int64_t nanoseconds(const timespec& moment) { return moment.tv_sec * 1'000'000'000LL + moment.tv_nsec; }

}  // namespace nearkin
