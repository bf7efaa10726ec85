// Which stretches of a text are covered already.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace nearkin {

class Covered {
 public:
  void add(std::uint64_t start, std::uint64_t end) {
    auto at = ends_.upper_bound(start);
    if (at != ends_.begin() && std::prev(at)->second >= start) {
      --at;
      start = at->first;
    }
    while (at != ends_.end() && at->first <= end) {
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    ends_.emplace_hint(at, start, end);
  }

  // The first place from here on that is not covered, and where the next covered stretch begins.
  std::uint64_t past(std::uint64_t at) const {
    const auto next = ends_.upper_bound(at);
    return next == ends_.begin() ? at : std::max(at, std::prev(next)->second);
  }
  std::uint64_t next(std::uint64_t at, std::uint64_t end) const {
    const auto found = ends_.lower_bound(at);
    return found == ends_.end() ? end : std::min(end, found->first);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by start; none touches another
};

}  // namespace nearkin
