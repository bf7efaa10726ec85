// Where texts run along with another: of that one every sixteenth window or so is noted, an anchor, by what its first
// bytes are. Where a window of a text is an anchor, too, both are followed forth and back as far as they are equal. So
// texts that are nearly the same cost little more than comparing their bytes: putting windows into a set took 48 ns for
// each. Short runs without an anchor are not found: whoever wants these looks up what is left in a set (window_set.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nearkin {

class Anchors {
 public:
  // The text must outlive its anchors.
  Anchors(std::string_view kept, std::size_t window);

  // One bit for each window of a text: set only if the text of the anchors has it.
  std::vector<std::uint8_t> runs(std::string_view text);

  // One bit for each window of the anchors' text: set only if one of the texts that were asked for has it.
  const std::vector<std::uint8_t>& met() const { return met_; }

 private:
  bool is_anchor(const char* at) const;
  std::size_t slot(const char* window) const;
  bool equal(std::size_t place, const char* window) const;

  std::string_view kept_;
  std::size_t window_;
  std::vector<std::uint32_t> places_;  // and one; 0: none
  std::vector<std::uint8_t> met_;
};

}  // namespace nearkin
