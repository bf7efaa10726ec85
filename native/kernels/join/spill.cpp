#include "join/spill.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace nearkin {
namespace {

[[noreturn]] void fail(const std::string& folder) {
  throw std::system_error(errno, std::generic_category(), folder);
}

int unnamed_file(const std::string& folder) {
  int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) return file;
  // Not every file system has unnamed files: there it has a name for a moment.
  std::string name = folder + "/.nearkin-XXXXXX";
  file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) fail(folder);
  ::unlink(name.c_str());
  return file;
}

}  // namespace

Spill::Spill(const std::string& folder, std::size_t parts)
    : folder_(folder), file_(unnamed_file(folder)), extents_(parts) {}

Spill::~Spill() { ::close(file_); }

std::uint64_t Spill::append(std::size_t part, std::span<const std::uint32_t> words) {
  std::size_t bytes = words.size_bytes();
  const std::uint64_t start = end_.fetch_add(bytes);
  auto at = static_cast<off_t>(start);
  const auto* from = reinterpret_cast<const char*>(words.data());
  while (bytes > 0) {
    const ssize_t written = ::pwrite(file_, from, bytes, at);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) fail(folder_);
    from += written;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  const std::lock_guard lock(guard_);
  extents_[part].push_back({start, words.size()});
  return start;
}

std::uint64_t Spill::words(std::size_t part) const {
  std::uint64_t all = 0;
  for (const auto& extent : extents_[part]) all += extent.words;
  return all;
}

Words Spill::read(std::size_t part) const {
  Words all(words(part));
  std::span<std::uint32_t> rest = all;
  for (const auto& extent : extents_[part]) {
    read_into(extent.at, rest.first(extent.words));
    rest = rest.subspan(extent.words);
  }
  return all;
}

Words Spill::read_at(std::uint64_t at, std::size_t words) const {
  Words all(words);
  read_into(at, all);
  return all;
}

void Spill::read_into(std::uint64_t at, std::span<std::uint32_t> words) const {
  auto* to = reinterpret_cast<char*>(words.data());
  std::size_t bytes = words.size_bytes();
  while (bytes > 0) {
    const ssize_t got = ::pread(file_, to, bytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // all that is read was written
    if (got <= 0) fail(folder_);
    to += got;
    at += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

void Spill::drop(std::size_t part) {
  for (const auto& extent : extents_[part])  // where that is impossible, the space stays taken until the end
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(extent.at),
                static_cast<off_t>(4 * extent.words));
  extents_[part] = {};
}

}  // namespace nearkin
