#include "overlap.hpp"

#include <algorithm>
#include <utility>

namespace nearkin {

std::uint64_t shared_weight(const Postings& postings, std::uint32_t a, std::uint32_t b) {
  if (postings.offsets[a + 1] - postings.offsets[a] > postings.offsets[b + 1] - postings.offsets[b]) std::swap(a, b);
  const std::uint64_t* features = postings.features.data();
  std::uint64_t i = postings.offsets[a], j = postings.offsets[b];
  const std::uint64_t i_end = postings.offsets[a + 1], j_end = postings.offsets[b + 1];
  std::uint64_t shared = 0;
  if (postings.weights.empty() && (j_end - j) > 16 * (i_end - i)) {
    // A short list against a long one: look each feature up instead of walking the long list.
    for (; i < i_end; ++i) {
      j = static_cast<std::uint64_t>(std::lower_bound(features + j, features + j_end, features[i]) - features);
      if (j == j_end) break;
      shared += features[j] == features[i];
    }
    return shared;
  }
  while (i < i_end && j < j_end) {
    const std::uint64_t x = features[i], y = features[j];
    if (x == y) shared += postings.weights.empty() ? 1 : std::min(postings.weights[i], postings.weights[j]);
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

std::uint64_t shared_of_smallest(const Postings& postings, std::uint32_t a, std::uint32_t b) {
  const std::uint64_t* features = postings.features.data();
  std::uint64_t i = postings.offsets[a], j = postings.offsets[b];
  const std::uint64_t i_end = postings.offsets[a + 1], j_end = postings.offsets[b + 1];
  std::uint64_t shared = 0;
  for (std::uint64_t united = 0; united < postings.limit && i < i_end && j < j_end; ++united) {
    const std::uint64_t x = features[i], y = features[j];
    shared += x == y;
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

}  // namespace nearkin
