// Views of families over links between contents: chains, cliques, principals, and parts with their containers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/union_find.hpp"

namespace nearkin {

struct Links {
  std::span<const std::uint32_t> a, b;  // each pair once
  std::span<const double> strength;     // not negative

  std::size_t size() const { return a.size(); }
};

// Sorts links, the strongest first. Of equal ones those with more of `more` come first, where it is given, then it goes
// by their nodes, so that the order in which links come does not matter.
std::vector<std::uint32_t> strongest_first(const Links& links, std::span<const double> more = {}, unsigned threads = 1);

inline constexpr std::uint32_t kNoLink = 0xffffffff;

// The links inside each family, by its label: their number, their total strength, and the weakest.
struct Tally {
  std::vector<std::uint64_t> links;
  std::vector<double> total;
  std::vector<std::uint32_t> weakest;  // kNoLink: the family has none

  explicit Tally(std::size_t nodes) : links(nodes), total(nodes), weakest(nodes, kNoLink) {}

  void count(std::uint32_t label, double strength) {
    ++links[label];
    total[label] += strength;
  }
};

// Takes the weakest of all links that lie inside a family.
inline Tally tally_inside(std::span<const std::uint32_t> label, const Links& links) {
  Tally tally(label.size());
  for (const std::uint32_t at : strongest_first(links)) {
    const std::uint32_t family = label[links.a[at]];
    if (family != label[links.b[at]]) continue;
    tally.count(family, links.strength[at]);
    tally.weakest[family] = at;
  }
  return tally;
}

// Takes the weakest link of the spanning tree of the strongest links, which holds a chain together: the last one that a
// union-find needs when it takes the strongest first. Weaker ones join what is connected already.
inline Tally tally_chains(std::span<const std::uint32_t> label, const Links& links) {
  const auto nodes = static_cast<std::uint32_t>(label.size());
  Tally tally(nodes);
  UnionFind sets(nodes);
  for (const std::uint32_t at : strongest_first(links)) {
    const std::uint32_t family = label[links.a[at]];
    tally.count(family, links.strength[at]);
    if (sets.join(links.a[at], links.b[at])) tally.weakest[family] = at;
  }
  return tally;
}

// Finds complete-link clusters, in which every two members are linked. Returns for each node the smallest node of its
// cluster.
//
// Links are taken strongest first, and those between each two clusters are counted. When all are there, the two merge:
// the weakest of them is the current link, so this is agglomeration by complete link, where always the two clusters
// whose most unlike members are most alike merge next. Components are processed one by one: what belongs together stays
// in the cache, and no count is kept longer than its component.
std::vector<std::uint32_t> cliques(std::uint32_t nodes, const Links& links);

// Families around principals. Contents are taken in turn. One that is linked to no principal becomes one; any other
// goes to the principal it resembles most, of equal ones to the first. So each member is linked to its principal, which
// came before it, and no two principals are linked.
struct Principals {
  std::vector<std::uint32_t> of;   // by content; a principal is its own
  std::vector<std::uint32_t> via;  // by content: the link to its principal; kNoLink for principals
};

// Finds principals; `order` names every content once.
Principals principals(std::span<const std::uint32_t> order, const Links& links);

// Pairs of contents with how much of each lies in the other.
struct Containments {
  std::span<const std::uint32_t> a, b;
  std::span<const double> a_in_b, b_in_a;  // NaN: unknown
  std::span<const std::int64_t> size_a, size_b;
};

// Attaches parts to containers: returns for each content the one to whose family it belongs as a part, or itself. A
// content that resembles no other goes to the family of the content that contains it best; that never joins two parts
// or two containers. Only contents that are `alone` may be parts, at least `share` of a part must lie in the container,
// and a part must measure at least `size`.
std::vector<std::uint32_t> containers(std::span<const std::uint8_t> alone, const Containments& pairs, double share,
                                      std::int64_t size);

}  // namespace nearkin
