// Segments: immutable indices of the contents of one scheme, from features to the contents that have them.
//
// A repository's signatures are searched where they lie, in files mapped into memory: nothing is loaded, and a look-up
// touches two cache lines, the directory's and the keys'. The format is in segment_format.hpp. A segment can also be made
// in memory; its sections then lie where each was made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "index/segment_format.hpp"

namespace nearkin {

// A signature, wherever it lies.
struct SourceList {
  std::span<const std::uint64_t> features;  // ascending
  std::span<const std::uint32_t> weights;   // as many where the segment is weighted
};

struct SegmentSource {
  std::span<const std::int64_t> contents;
  std::span<const SourceList> lists;       // by content
  bool weighted;                           // else every feature weighs 1
  std::span<const std::uint64_t> moduli;   // base · 2^level each
  std::span<const std::uint64_t> ignored;  // features left out, ascending
};

// The contents that have a feature.
struct PostingList {
  std::span<const std::uint32_t> ranks;    // ascending
  std::span<const std::uint32_t> weights;  // empty: 1 each
};

class Segment {
 public:
  // Maps a file. Refuses one that is no segment, has another token, or is cut short.
  static Segment open(const std::string& path, const segment::Token& token);

  // In memory.
  static Segment of(const SegmentSource& source, std::uint64_t base, std::uint32_t levels,
                    const segment::Token& token = {});

  // Into a file that is complete or not there at all.
  void save(const std::string& path) const;
  void save(const std::string& path, const segment::Token& token) const;

  // Reads all of it and compares sums.
  bool intact() const;

  // Maps every page at once. Otherwise the first questions pay for it, each for the thousands of pages it looks at.
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

  // The list a value stands for; `value` must outlive it.
  PostingList list(const std::uint32_t& value) const;

  // Where each of these features is among the keys; kNowhere where no content has it. Memory is asked for well ahead:
  // one by one, each would wait for it twice.
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  void find(std::span<const std::uint64_t> features, std::vector<std::uint32_t>& places) const;

 private:
  // Both lie in what is kept.
  Segment(std::shared_ptr<const void> kept, const segment::Header& header, const segment::Sections& sections)
      : kept_(std::move(kept)), header_(&header), sections_(sections) {}

  template <class T>
  std::span<const T> section(segment::Section which) const {
    return {reinterpret_cast<const T*>(sections_[which].data()), sections_[which].size() / sizeof(T)};
  }

  std::shared_ptr<const void> kept_;
  const segment::Header* header_;
  segment::Sections sections_;
};

// One segment of all contents of several, written in one pass: what is in memory does not grow with the postings.
void merge_segments(std::span<const Segment* const> segments, const segment::Token& token, const std::string& path);

}  // namespace nearkin
