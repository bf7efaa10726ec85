// A segment file: header, then sections, each on a cache line's border. Numbers are little-endian.
//
//   contents     i64  the store's id of each content, by rank
//   level starts u32  the first rank of each level, and one past the last
//   sizes        u32  level by level, then by rank: what counts of its list there, at its own level and every higher one
//   directory    u32  2^bits + 1: where the keys with each value of their highest bits begin
//   keys         u64  features, mixed, ascending
//   values       u32  by key: the rank of the only content that has it, or kMany + where its list begins
//   lists        u32  one after the other: count, ranks ascending, and in weighted segments as many weights
//
// Contents are ranked by (level, size at it, id): contents of one level and a range of sizes are a range of ranks, and
// stand together in every list. Features are mixed because not all schemes have them spread over 64 bits: those of
// `min` are small numbers. Then a bucket of the directory holds about eight keys, one cache line, whatever the scheme.
// Most features of a collection are in one content only; these have no list at all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>

namespace nearkin {

// A file that is not a segment, not the one asked for, or damaged.
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

// A sum of what is written, in the order it is written. It tells damage from chance, not from malice.
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

// Where the sections are. The header's counts must be plausible: see `check`.
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

// About eight keys a bucket.
inline std::uint32_t directory_bits(std::uint64_t features) {
  std::uint32_t bits = 0;
  while (bits < 28 && (features >> bits) > 8) ++bits;
  return bits;
}

// Throws unless the numbers of a header go together.
void check(const Header& header);

}  // namespace segment
}  // namespace nearkin
