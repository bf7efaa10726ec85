#include "unchanged.hpp"

#include <sys/stat.h>

#include "parallel.hpp"

namespace nearkin {

std::vector<std::uint8_t> unchanged(std::span<const FileStamp> files, unsigned threads) {
  std::vector<std::uint8_t> same(files.size());
  parallel_blocks(files.size(), 256, threads, [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      struct stat info {};
      if (::lstat(files[i].path, &info) != 0) continue;  // the scan reads it next, and records why it cannot
      const std::int64_t mtime = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
      same[i] = mtime == files[i].mtime_ns && info.st_ino == files[i].inode &&
                static_cast<std::uint64_t>(info.st_size) == files[i].size;
    }
  });
  return same;
}

}  // namespace nearkin
