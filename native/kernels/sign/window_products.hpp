// The fingerprint of one window at once: a sum of products without carries, where the processor has them.
//
// Byte by byte each step waits for a table, 20 times for a window of 20 bytes. A roller that works on several stretches
// of a text begins as often anew, and does so for every text and block: that took a tenth of rolling 2 KB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace nearkin {

class WindowProducts {
 public:
  explicit WindowProducts(std::size_t window);

  // Where not, nothing may be asked: windows of fewer than 8 bytes or more than 64, other processors.
  bool available() const { return available_; }
  std::uint64_t first(const unsigned char* start) const;

 private:
  static constexpr std::size_t kWords = 8;

  std::size_t window_;
  bool available_ = false;
  std::array<std::uint64_t, kWords> power_{};  // x^64(i+1) mod P: what the i-th word from the end is multiplied by
  std::uint64_t lead_after_ = 0;               // what the leading 1 bit adds to a whole window
  std::uint64_t quotient_ = 0;                 // x^128 / P without its leading 1
};

}  // namespace nearkin
