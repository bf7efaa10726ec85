// Connected components by union-find with path halving (Forman 2005 §2.3 step 5).
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace nearkin {

class UnionFind {
 public:
  explicit UnionFind(std::uint32_t nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t root(std::uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  // Returns false if the two were connected already. The smaller node becomes the root, so that labels need no second
  // pass; halving keeps paths short.
  bool join(std::uint32_t x, std::uint32_t y) {
    x = root(x), y = root(y);
    if (x < y) parent_[y] = x;
    if (y < x) parent_[x] = y;
    return x != y;
  }

  // Returns the component of each node, named by its smallest node.
  std::vector<std::uint32_t> labels() && {
    for (std::uint32_t node = 0; node < parent_.size(); ++node) parent_[node] = root(node);
    return std::move(parent_);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

inline std::vector<std::uint32_t> components(std::uint32_t n, std::span<const std::uint32_t> a,
                                             std::span<const std::uint32_t> b) {
  UnionFind sets(n);
  for (std::size_t i = 0; i < a.size(); ++i) sets.join(a[i], b[i]);
  return std::move(sets).labels();
}

}  // namespace nearkin
