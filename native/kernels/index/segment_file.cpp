#include "index/segment_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace nearkin {
namespace {

// A system gives the file memory in pieces as large as what is written. Where it has to find large ones, or its host has
// to, 46 MB at once took 110 ms of CPU, and 256 KB at a time 15 ms.
constexpr std::size_t kOnce = std::size_t{1} << 18;

[[noreturn]] void fail(const std::string& path) { throw std::system_error(errno, std::generic_category(), path); }

}  // namespace

SegmentFile::SegmentFile(std::string path, std::size_t bytes) : path_(std::move(path)), part_(path_ + ".part") {
  // Features of private documents: nobody else may read them, whatever the umask says.
  file_ = ::open(part_.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file_ < 0) fail(part_);
  if (::fchmod(file_, S_IRUSR | S_IWUSR) != 0 || ::ftruncate(file_, static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    ::close(file_);
    ::unlink(part_.c_str());
    errno = error;
    fail(part_);
  }
}

SegmentFile::~SegmentFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(part_.c_str());
}

void SegmentFile::write(std::size_t at, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::pwrite(file_, from, std::min(bytes, kOnce), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(part_);
    from += written;
    at += static_cast<std::size_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void SegmentFile::finish() {
  if (::fsync(file_) != 0) fail(part_);
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail(path_);
  ::close(std::exchange(file_, -1));
  // The name is on the disk when the folder is.
  const auto slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) fail(folder);
  ::fsync(directory);
  ::close(directory);
}

}  // namespace nearkin
