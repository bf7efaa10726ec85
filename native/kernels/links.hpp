// Links between contents, the strongest first: what every view of families is made of.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

struct Links {
  std::span<const std::uint32_t> a, b;  // each pair once
  std::span<const double> strength;     // not negative

  std::size_t size() const { return a.size(); }
};

// Where the links are, the strongest first, of equal ones by their nodes. So the order in which they come matters not.
inline std::vector<std::uint32_t> strongest_first(const Links& links) {
  struct Key {
    std::uint64_t weakness, nodes;
    std::uint32_t at;
  };
  std::vector<Key> keys(links.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t low = std::min(links.a[i], links.b[i]), high = std::max(links.a[i], links.b[i]);
    // Doubles that are not negative are in the order of their bits; + 0.0 makes one zero of both.
    keys[i] = {~std::bit_cast<std::uint64_t>(links.strength[i] + 0.0), low << 32 | high,
               static_cast<std::uint32_t>(i)};
  }
  std::sort(keys.begin(), keys.end(), [](const Key& x, const Key& y) {
    return x.weakness != y.weakness ? x.weakness < y.weakness : x.nodes < y.nodes;
  });
  std::vector<std::uint32_t> order(keys.size());
  std::transform(keys.begin(), keys.end(), order.begin(), [](const Key& key) { return key.at; });
  return order;
}

inline constexpr std::uint32_t kNoLink = 0xffffffff;

// Of the links inside each family, by its label: how many, their strengths together, and one that is named.
struct Tally {
  std::vector<std::uint64_t> links;
  std::vector<double> total;
  std::vector<std::uint32_t> weakest;  // kNoLink: it has none

  explicit Tally(std::size_t nodes) : links(nodes), total(nodes), weakest(nodes, kNoLink) {}

  void count(std::uint32_t label, double strength) {
    ++links[label];
    total[label] += strength;
  }
};

// The weakest of all that lie inside a family.
inline Tally tally_inside(std::span<const std::uint32_t> label, const Links& links) {
  Tally found(label.size());
  for (const std::uint32_t at : strongest_first(links)) {
    const std::uint32_t family = label[links.a[at]];
    if (family != label[links.b[at]]) continue;
    found.count(family, links.strength[at]);
    found.weakest[family] = at;
  }
  return found;
}

}  // namespace nearkin
