// Links between contents, the strongest first: what every view of families is made of.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nearkin {

inline constexpr std::size_t kMostParts = std::size_t{1} << 20;  // that links are dealt into

struct Links {
  std::span<const std::uint32_t> a, b;  // each pair once
  std::span<const double> strength;     // not negative

  std::size_t size() const { return a.size(); }
};

// A link in the order of all: what is small comes first.
struct RankedLink {
  std::uint64_t weakness, nodes;
  std::uint32_t at;
};

// Where the links are, the strongest first; of equal ones those of which there is more of something else, where that is
// given, and then by their nodes. So the order in which they come matters not.
inline std::vector<std::uint32_t> strongest_first(const Links& links, std::span<const double> more = {}) {
  // Most strengths lie between 0 and 1 and few are equal: dealt into as many parts as there are links, hardly any need
  // comparing. A million take half the CPU that sorting them by digits took (0.07 and 0.15 s while others worked).
  const std::size_t parts = std::min(links.size(), kMostParts);
  const auto part_of = [parts](double strength) {
    const double weakness = (1.0 - strength) * static_cast<double>(parts);
    return weakness <= 0.0 ? std::size_t{0} : std::min(parts - 1, static_cast<std::size_t>(weakness));
  };
  std::vector<std::uint32_t> ends(parts + 1, 0);  // where a part begins, and once it is dealt where it ends
  for (const double strength : links.strength) ++ends[part_of(strength) + 1];
  for (std::size_t part = 0; part < parts; ++part) ends[part + 1] += ends[part];
  std::vector<RankedLink> ranked(links.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const std::uint64_t low = std::min(links.a[i], links.b[i]), high = std::max(links.a[i], links.b[i]);
    // Doubles that are not negative are in the order of their bits; + 0.0 makes one zero of both.
    ranked[ends[part_of(links.strength[i])]++] = {~std::bit_cast<std::uint64_t>(links.strength[i] + 0.0), low << 32 | high,
                                                  static_cast<std::uint32_t>(i)};
  }
  for (std::size_t part = 0, from = 0; part < parts; from = ends[part++]) {
    std::sort(ranked.begin() + static_cast<std::ptrdiff_t>(from), ranked.begin() + ends[part],
              [more](const RankedLink& x, const RankedLink& y) {
                if (x.weakness != y.weakness) return x.weakness < y.weakness;
                if (!more.empty() && more[x.at] != more[y.at]) return more[x.at] > more[y.at];
                return x.nodes < y.nodes;
              });
  }
  std::vector<std::uint32_t> order(ranked.size());
  std::transform(ranked.begin(), ranked.end(), order.begin(), [](const RankedLink& link) { return link.at; });
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
