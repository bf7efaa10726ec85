#include "index/segment.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nearkin {

using namespace segment;

void segment::check(const Header& header) {
  if (header.magic != kMagic) throw SegmentError("this is no segment");
  if (header.version != kVersion) throw SegmentError("the segment is of another version");
  if (header.own_sum != own_sum(header)) throw SegmentError("the segment's header is damaged");
  const bool plausible = header.levels >= 1 && header.levels <= kMostLevels && header.bits <= 28 && header.base >= 1 &&
                         header.contents < kMany && header.features < Segment::kNowhere && header.words < kMany &&
                         header.weighted <= 1;
  if (!plausible) throw SegmentError("the segment's header makes no sense");
}

Segment Segment::open(const std::string& path, const Token& token) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::system_error(errno, std::generic_category(), path);
  struct stat status{};
  const int failed = ::fstat(file, &status);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (failed != 0 || bytes < sizeof(Header)) {
    ::close(file);
    throw SegmentError("the segment is cut short");
  }
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  const int error = errno;
  ::close(file);
  if (mapped == MAP_FAILED) throw std::system_error(error, std::generic_category(), path);
  const std::shared_ptr<const std::byte> image(static_cast<const std::byte*>(mapped), [bytes](const std::byte* at) {
    ::munmap(const_cast<std::byte*>(at), bytes);
  });
  const auto& header = *reinterpret_cast<const Header*>(image.get());
  segment::check(header);
  if (header.token != token) throw SegmentError("this is another segment");
  const Layout layout(header);
  if (layout.total != bytes) throw SegmentError("the segment is cut short");
  Sections sections;
  for (std::size_t section = 0; section < kSections; ++section)
    sections[section] = {image.get() + layout.at[section], layout.bytes[section]};
  const Segment segment(image, header, sections);
  const auto starts = segment.level_starts();
  if (!std::is_sorted(starts.begin(), starts.end()) || starts.front() != 0 || starts.back() != header.contents)
    throw SegmentError("the segment is damaged");
  return segment;
}

void Segment::save(const std::string& path) const { save(path, header().token); }

void Segment::save(const std::string& path, const Token& token) const {
  Header header_copy = header();
  header_copy.token = token;
  header_copy.own_sum = own_sum(header_copy);
  const Layout layout(header_copy);
  SegmentFile file(path, layout.total);
  file.write(0, &header_copy, sizeof header_copy);
  for (std::size_t section = 0; section < kSections; ++section)
    file.write(layout.at[section], sections_[section].data(), sections_[section].size());
  file.finish();
}

bool Segment::intact() const {
  for (std::size_t section = 0; section < kSections; ++section)
    if (sum_of(sections_[section]) != header().sums[section]) return false;
  return true;
}

void Segment::populate() const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const auto section : sections_) {
#ifdef MADV_POPULATE_READ
    const std::size_t before = reinterpret_cast<std::uintptr_t>(section.data()) % page;
    auto* const first = const_cast<std::byte*>(section.data()) - before;
    if (::madvise(first, before + section.size(), MADV_POPULATE_READ) == 0) continue;
#endif
    // Older kernels do not know the request.
    std::byte all{};
    for (std::size_t at = 0; at < section.size(); at += page) all ^= section[at];
    [[maybe_unused]] const volatile std::byte used = all;
  }
}

std::uint32_t Segment::level_of(std::uint32_t rank) const {
  const auto starts = level_starts();
  std::uint32_t level = 0;
  while (level + 1 < header().levels && rank >= starts[level + 1]) ++level;
  return level;
}

PostingList Segment::list(const std::uint32_t& value) const {
  if (value < kMany) return {{&value, 1}, {}};
  const auto lists = section<std::uint32_t>(kLists);
  const std::uint64_t at = value - kMany;
  const std::uint64_t copies = header().weighted != 0 ? 2 : 1;
  if (at >= lists.size() || at + 1 + copies * lists[at] > lists.size()) throw SegmentError("the segment is damaged");
  const std::uint32_t count = lists[at];
  return {lists.subspan(at + 1, count), copies == 2 ? lists.subspan(at + 1 + count, count) : lists.subspan(0, 0)};
}

void Segment::find(std::span<const std::uint64_t> features, std::vector<std::uint32_t>& places) const {
  constexpr std::size_t kPrefetched = 32;
  const auto directory = section<std::uint32_t>(kDirectory);
  const auto all = keys();
  const std::uint32_t bits = header().bits;
  const auto bucket = [bits](std::uint64_t key) { return bits == 0 ? 0 : key >> (64 - bits); };
  places.resize(features.size());
  std::array<std::uint64_t, kPrefetched> key;
  std::array<std::uint32_t, kPrefetched> from, to;
  for (std::size_t start = 0; start < features.size(); start += kPrefetched) {
    const std::size_t count = std::min(kPrefetched, features.size() - start);
    for (std::size_t i = 0; i < count; ++i) {
      key[i] = mixed(features[start + i]);
      __builtin_prefetch(&directory[bucket(key[i])]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      from[i] = directory[bucket(key[i])];
      to[i] = directory[bucket(key[i]) + 1];
      if (to[i] < from[i] || to[i] > all.size()) throw SegmentError("the segment is damaged");
      __builtin_prefetch(all.data() + from[i]);
      __builtin_prefetch(all.data() + from[i] + 8);
    }
    for (std::size_t i = 0; i < count; ++i) {
      auto at = from[i];
      while (at < to[i] && all[at] < key[i]) ++at;
      places[start + i] = at < to[i] && all[at] == key[i] ? at : kNowhere;
    }
  }
}

namespace {

// The system provides memory for the file in pieces as large as each write. Where it, or its host, has to look for
// large pieces, 46 MB at once took 110 ms of CPU, and 256 KB at a time 15 ms.
constexpr std::size_t kWriteBytes = std::size_t{1} << 18;

[[noreturn]] void fail(const std::string& path) { throw std::system_error(errno, std::generic_category(), path); }

}  // namespace

SegmentFile::SegmentFile(std::string path, std::size_t bytes) : path_(std::move(path)), part_(path_ + ".part") {
  // The file holds features of private documents: nobody else may read it, whatever the umask says.
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
    const ssize_t written = ::pwrite(file_, from, std::min(bytes, kWriteBytes), static_cast<off_t>(at));
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
  // The name is on the disk once the folder is.
  const auto slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) fail(folder);
  ::fsync(directory);
  ::close(directory);
}

}  // namespace nearkin
