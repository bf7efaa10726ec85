// Connected components by union-find with path halving (Forman 2005 §2.3 step 5).
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace nearkin {

// The component of each of n nodes, named by its smallest node.
inline std::vector<std::uint32_t> components(std::uint32_t n, std::span<const std::uint32_t> a,
                                             std::span<const std::uint32_t> b) {
  std::vector<std::uint32_t> parent(n);
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint32_t x = root(a[i]), y = root(b[i]);
    // The smaller node becomes the root: names then need no second pass, and depth stays low by halving.
    if (x < y) parent[y] = x;
    if (y < x) parent[x] = y;
  }
  for (std::uint32_t node = 0; node < n; ++node) parent[node] = root(node);
  return parent;
}

}  // namespace nearkin
