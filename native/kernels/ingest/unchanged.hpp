// Which files are as they were: size, times of change and inode, asked of the file system on threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

struct FileStamp {
  const char* path;
  std::uint64_t size;
  std::int64_t mtime_ns;
  std::int64_t ctime_ns;  // 0: not known, and not compared
  std::uint64_t inode;
};

std::vector<std::uint8_t> unchanged(std::span<const FileStamp> files, unsigned threads);

}  // namespace nearkin
