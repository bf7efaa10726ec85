// What holds chains together: a spanning tree of the strongest links.
#pragma once

#include "group/views.hpp"
#include "base/union_find.hpp"

namespace nearkin {

// The weakest link here is the last one that a union-find needs when it takes the strongest first: weaker ones join what
// hangs together already.
inline Tally tally_chains(std::span<const std::uint32_t> label, const Links& links) {
  const auto nodes = static_cast<std::uint32_t>(label.size());
  Tally found(nodes);
  UnionFind sets(nodes);
  for (const std::uint32_t at : strongest_first(links)) {
    const std::uint32_t family = label[links.a[at]];
    found.count(family, links.strength[at]);
    if (sets.join(links.a[at], links.b[at])) found.weakest[family] = at;
  }
  return found;
}

}  // namespace nearkin
