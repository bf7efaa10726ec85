#include "overlap.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nearkin {
namespace {

// So much longer than the other is a list in which each feature of the other is looked up.
constexpr std::size_t kMuchLonger = 16;

// A short list against a long one: look each feature up instead of walking the long list.
template <class Feature>
std::uint64_t looked_up(std::span<const Feature> few, std::span<const Feature> many) {
  std::uint64_t shared = 0;
  auto from = many.begin();
  for (const auto feature : few) {
    from = std::lower_bound(from, many.end(), feature);
    if (from == many.end()) break;
    shared += *from == feature;
  }
  return shared;
}

template <class Feature>
std::uint64_t shared_by_weight(const Listed<Feature>& a, const Listed<Feature>& b) {
  if (a.features.size() > b.features.size()) return shared_by_weight(b, a);
  const bool weighted = !a.weights.empty();
  if (!weighted && b.features.size() > kMuchLonger * a.features.size()) return looked_up(a.features, b.features);
  std::uint64_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.features.size() && j < b.features.size();) {
    const Feature x = a.features[i], y = b.features[j];
    if (x == y) shared += weighted ? std::min(a.weights[i], b.weights[j]) : 1;
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

using Four = std::uint32_t __attribute__((vector_size(16)));

inline Four four(const std::uint32_t* from) {
  Four values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

}  // namespace

std::uint64_t shared_weight(const List& a, const List& b) { return shared_by_weight(a, b); }
std::uint64_t shared_weight(const Numbered& a, const Numbered& b) { return shared_by_weight(a, b); }

std::uint64_t shared_numbers(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() > kMuchLonger * a.size()) return looked_up(a, b);
  const std::uint32_t *i = a.data(), *j = b.data(), *const i_end = i + a.size(), *const j_end = j + b.size();
  Four counts{};
  while (i_end - i >= 4 && j_end - j >= 4) {
    const Four x = four(i), y = four(j);
    const auto same = (x == y) | (x == Four{y[1], y[2], y[3], y[0]}) | (x == Four{y[2], y[3], y[0], y[1]}) |
                      (x == Four{y[3], y[0], y[1], y[2]});
    counts -= reinterpret_cast<const Four&>(same);  // true is -1
    const std::uint32_t last_x = i[3], last_y = j[3];
    i += last_x <= last_y ? 4 : 0;
    j += last_y <= last_x ? 4 : 0;
  }
  std::uint64_t shared = std::uint64_t{counts[0]} + counts[1] + counts[2] + counts[3];
  while (i < i_end && j < j_end) {
    const std::uint32_t x = *i, y = *j;
    shared += x == y;
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
