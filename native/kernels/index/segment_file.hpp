// A segment's file while it is written: under another name until it is complete and on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "index/segment_format.hpp"

namespace nearkin {

class SegmentFile {
 public:
  SegmentFile(std::string path, std::size_t bytes);
  ~SegmentFile();  // what was not finished is gone
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

  void write(std::size_t at, const void* data, std::size_t bytes);
  void finish();

 private:
  std::string path_, part_;
  int file_;
};

// One section, written from its beginning to its end.
template <class T>
class SectionWriter {
 public:
  SectionWriter(SegmentFile& file, std::size_t at) : file_(file), at_(at) { held_.reserve(kHeld); }

  void put(T value) {
    held_.push_back(value);
    if (held_.size() == kHeld) flush();
  }

  std::uint64_t finish() {
    flush();
    return sum_.value();
  }

 private:
  static constexpr std::size_t kHeld = (std::size_t{1} << 18) / sizeof(T);

  void flush() {
    const std::size_t bytes = held_.size() * sizeof(T);
    file_.write(at_, held_.data(), bytes);
    sum_.add(held_.data(), bytes);
    at_ += bytes;
    held_.clear();
  }

  SegmentFile& file_;
  std::size_t at_;
  std::vector<T> held_;
  segment::Sum sum_;
};

}  // namespace nearkin
