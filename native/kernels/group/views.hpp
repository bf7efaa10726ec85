// Links between contents, the strongest first: what every view of families is made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

struct Links {
  std::span<const std::uint32_t> a, b;  // each pair once
  std::span<const double> strength;     // not negative

  std::size_t size() const { return a.size(); }
};

// Where the links are, the strongest first; of equal ones those of which there is more of something else, where that is
// given, and then by their nodes. So the order in which they come matters not.
std::vector<std::uint32_t> strongest_first(const Links& links, std::span<const double> more = {}, unsigned threads = 1);

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
