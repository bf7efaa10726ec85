#include "ingest/unchanged.hpp"

#include <sys/stat.h>

#include "ingest/nanoseconds.hpp"
#include "base/parallel.hpp"

namespace nearkin {

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
