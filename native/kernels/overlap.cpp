#include "overlap.hpp"

#include <algorithm>
#include <utility>

namespace nearkin {
namespace {

// A short list against a long one: look each feature up instead of walking the long list.
std::uint64_t looked_up(std::span<const std::uint64_t> few, std::span<const std::uint64_t> many) {
  std::uint64_t shared = 0;
  auto from = many.begin();
  for (const auto feature : few) {
    from = std::lower_bound(from, many.end(), feature);
    if (from == many.end()) break;
    shared += *from == feature;
  }
  return shared;
}

}  // namespace

std::uint64_t shared_weight(const List& a, const List& b) {
  if (a.features.size() > b.features.size()) return shared_weight(b, a);
  const bool weighted = !a.weights.empty();
  if (!weighted && b.features.size() > 16 * a.features.size()) return looked_up(a.features, b.features);
  std::uint64_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.features.size() && j < b.features.size();) {
    const std::uint64_t x = a.features[i], y = b.features[j];
    if (x == y) shared += weighted ? std::min(a.weights[i], b.weights[j]) : 1;
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

std::uint64_t shared_of_smallest(const List& a, const List& b, std::uint64_t n) {
  std::uint64_t shared = 0;
  std::size_t i = 0, j = 0;
  for (std::uint64_t united = 0; united < n && i < a.features.size() && j < b.features.size(); ++united) {
    const std::uint64_t x = a.features[i], y = b.features[j];
    shared += x == y;
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

}  // namespace nearkin
