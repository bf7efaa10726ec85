// Segments: immutable indices of the contents of one scheme, from features to the contents that have them.
//
// A repository's signatures are searched where they lie, in files mapped into memory: nothing is loaded, and a look-up
// touches two cache lines, one of the directory and one of the keys. A segment can also be built in memory; its
// sections then lie where each was made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nearkin {

// A segment file: header, then sections, each on a cache line's border. Numbers are little-endian.
//
//   contents     i64  the store's id of each content, by rank
//   level starts u32  the first rank of each level, and one past the last
//   sizes        u32  level by level, then by rank: how much of its list counts there, at its own level and above
//   directory    u32  2^bits + 1: where the keys with each value of their highest bits begin
//   keys         u64  features, mixed, ascending
//   values       u32  by key: the rank of the only content that has it, or kMany + where its list begins
//   lists        u32  one after the other: count, ranks ascending, and in weighted segments as many weights
//
// Contents are ranked by (level, size at it, id): contents of one level and a range of sizes are a range of ranks, and
// stand together in every list. Features are mixed because not all schemes spread them over 64 bits: those of `min` are
// small numbers. A bucket of the directory then holds about eight keys, one cache line, whatever the scheme. Most
// features of a collection are in one content only; these have no list at all.

// Thrown for a file that is no segment, not the one that is wanted, or damaged.
struct SegmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace segment {

inline constexpr std::array<char, 8> kMagic = {'n', 'k', 's', 'e', 'g', '\r', '\n', '\0'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kMany = std::uint32_t{1} << 31;
inline constexpr std::uint32_t kMostLevels = 32;
inline constexpr std::size_t kLine = 64;

enum Section : std::size_t { kContents, kLevelStarts, kSizes, kDirectory, kKeys, kValues, kLists, kSections };

using Sections = std::array<std::span<const std::byte>, kSections>;
using Token = std::array<std::uint8_t, 16>;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t weighted = 0;
  Token token{};
  std::uint64_t base = 1;    // modulus of level 0
  std::uint32_t levels = 1;  // moduli are base · 2^level
  std::uint32_t bits = 0;    // of the directory
  std::uint64_t contents = 0, features = 0, words = 0, postings = 0;
  std::array<std::uint64_t, kSections> sums{};
  std::uint64_t own_sum = 0;  // of the header up to here
};

// Multiplication by an odd number is a permutation of the 64-bit numbers; this one (2^64 / golden ratio) moves
// neighbours far apart in the high bits (Knuth, The Art of Computer Programming 3, §6.4).
inline std::uint64_t mixed(std::uint64_t feature) { return feature * 0x9E3779B97F4A7C15U; }

// Sums up what is written, in the order of writing. The sum detects damage by chance, not by malice.
class Sum {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (; bytes >= 4; bytes -= 4, at += 4) {  // everything is written in words of four bytes
      std::uint32_t word;
      std::memcpy(&word, at, 4);
      value_ = (value_ ^ word) * 0x9FB21C651E98DF25U;
      value_ ^= value_ >> 32;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x6E6B736567U;
};

inline std::uint64_t sum_of(std::span<const std::byte> section) {
  Sum sum;
  sum.add(section.data(), section.size());
  return sum.value();
}

inline std::uint64_t own_sum(const Header& header) {
  Sum sum;
  sum.add(&header, offsetof(Header, own_sum));
  return sum.value();
}

// The places of the sections. The header's counts must be plausible: see `check`.
struct Layout {
  std::array<std::size_t, kSections> at{}, bytes{};
  std::size_t total = 0;

  explicit Layout(const Header& header) {
    bytes = {header.contents * 8,
             (std::uint64_t{header.levels} + 1) * 4,
             header.contents * header.levels * 4,
             ((std::uint64_t{1} << header.bits) + 1) * 4,
             header.features * 8,
             header.features * 4,
             header.words * 4};
    total = aligned(sizeof(Header));
    for (std::size_t section = 0; section < kSections; ++section) {
      at[section] = total;
      total = aligned(total + bytes[section]);
    }
  }

  static std::size_t aligned(std::size_t size) { return (size + kLine - 1) / kLine * kLine; }
};

// Returns the bits of a directory with about eight keys a bucket.
inline std::uint32_t directory_bits(std::uint64_t features) {
  std::uint32_t bits = 0;
  while (bits < 28 && (features >> bits) > 8) ++bits;
  return bits;
}

// Throws unless the numbers of a header are consistent.
void check(const Header& header);

}  // namespace segment

// A signature, wherever it lies.
struct SourceList {
  std::span<const std::uint64_t> features;  // ascending
  std::span<const std::uint32_t> weights;   // as many as features where the segment is weighted
};

struct SegmentSource {
  std::span<const std::int64_t> contents;
  std::span<const SourceList> lists;       // by content
  bool weighted;                           // otherwise every feature weighs 1
  std::span<const std::uint64_t> moduli;   // base · 2^level each
  std::span<const std::uint64_t> ignored;  // features to leave out, ascending
};

// The contents that have a feature.
struct PostingList {
  std::span<const std::uint32_t> ranks;    // ascending
  std::span<const std::uint32_t> weights;  // empty: 1 each
};

class Segment {
 public:
  // Maps a file. Throws if it is no segment, has another token, or is cut short.
  static Segment open(const std::string& path, const segment::Token& token);

  // Builds a segment in memory.
  static Segment build(const SegmentSource& source, std::uint64_t base, std::uint32_t levels,
                       const segment::Token& token = {});

  // Writes a file that is complete or does not exist.
  void save(const std::string& path) const;
  void save(const std::string& path, const segment::Token& token) const;

  // Reads the whole segment and compares the sums.
  bool intact() const;

  // Maps every page at once. Otherwise the first queries pay for it, each for the thousands of pages it touches.
  void populate() const;

  const segment::Header& header() const { return *header_; }
  std::size_t bytes() const { return segment::Layout(header()).total; }  // of its file
  std::span<const std::int64_t> contents() const { return section<std::int64_t>(segment::kContents); }
  std::span<const std::uint32_t> level_starts() const { return section<std::uint32_t>(segment::kLevelStarts); }
  std::span<const std::uint64_t> keys() const { return section<std::uint64_t>(segment::kKeys); }
  std::span<const std::uint32_t> values() const { return section<std::uint32_t>(segment::kValues); }
  std::span<const std::uint32_t> sizes(std::uint32_t level) const {
    return section<std::uint32_t>(segment::kSizes).subspan(level * header().contents, header().contents);
  }
  std::uint32_t level_of(std::uint32_t rank) const;

  // Returns the list that a value stands for; `value` must outlive it.
  PostingList list(const std::uint32_t& value) const;

  // Finds the place of each feature among the keys; kNowhere if no content has it. Memory is prefetched well ahead: one
  // by one, each look-up would wait for it twice.
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  void find(std::span<const std::uint64_t> features, std::vector<std::uint32_t>& places) const;

 private:
  // The header and the sections lie in what `owner` owns.
  Segment(std::shared_ptr<const void> owner, const segment::Header& header, const segment::Sections& sections)
      : owner_(std::move(owner)), header_(&header), sections_(sections) {}

  template <class T>
  std::span<const T> section(segment::Section which) const {
    return {reinterpret_cast<const T*>(sections_[which].data()), sections_[which].size() / sizeof(T)};
  }

  std::shared_ptr<const void> owner_;
  const segment::Header* header_;
  segment::Sections sections_;
};

// Merges segments into one with all their contents, in one pass: the memory it takes does not grow with the postings.
void merge_segments(std::span<const Segment* const> segments, const segment::Token& token, const std::string& path);

// A segment's file while it is written: it has another name until it is complete and on the disk.
class SegmentFile {
 public:
  SegmentFile(std::string path, std::size_t bytes);
  ~SegmentFile();  // removes an unfinished file
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

  void write(std::size_t at, const void* data, std::size_t bytes);
  void finish();

 private:
  std::string path_, part_;
  int file_;
};

// Writes a section from its beginning to its end.
template <class T>
class SectionWriter {
 public:
  SectionWriter(SegmentFile& file, std::size_t at) : file_(file), at_(at) { buffer_.reserve(kBuffered); }

  void put(T value) {
    buffer_.push_back(value);
    if (buffer_.size() == kBuffered) flush();
  }

  std::uint64_t finish() {
    flush();
    return sum_.value();
  }

 private:
  static constexpr std::size_t kBuffered = (std::size_t{1} << 18) / sizeof(T);

  void flush() {
    const std::size_t bytes = buffer_.size() * sizeof(T);
    file_.write(at_, buffer_.data(), bytes);
    sum_.add(buffer_.data(), bytes);
    at_ += bytes;
    buffer_.clear();
  }

  SegmentFile& file_;
  std::size_t at_;
  std::vector<T> buffer_;
  segment::Sum sum_;
};

}  // namespace nearkin
