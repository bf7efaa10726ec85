// Links between contents, the strongest first: what every view of families is made of.
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

// What holds chains together: a spanning tree of the strongest links.

// The weakest link here is the last one that a union-find needs when it takes the strongest first: weaker ones join
// what hangs together already.
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

// Complete-link clusters: every two members are linked.
//
// Links are taken strongest first, and it is counted how many have come between each two clusters. When all have, the
// two merge: the weakest of them is the link at hand, so this is agglomeration by complete link, where always the two
// clusters whose most unlike members are most alike merge next. Components are done one by one: what lies together
// stays in the cache, and no count is kept for longer than its component.

// For each node the smallest node of its cluster.
std::vector<std::uint32_t> cliques(std::uint32_t nodes, const Links& links);

// Families around principals. Contents are taken in turn; one that is linked to no principal becomes one, any other
// goes to the principal it resembles most, of equal ones to the one that came first. So each member is linked to its
// principal, which came before it, and no two principals are linked.

struct Principals {
  std::vector<std::uint32_t> of;   // of each content; its own: it is one
  std::vector<std::uint32_t> via;  // the link to it; kNoLink for principals
};

// `order` names every content once.
Principals principals(std::span<const std::uint32_t> order, const Links& links);

// Parts and their containers. Containment attaches a content that resembles no other to the family of what contains it
// best; it never joins two parts or two containers.

struct Containments {
  std::span<const std::uint32_t> a, b;
  std::span<const double> a_in_b, b_in_a;  // NaN: unknown
  std::span<const std::int64_t> size_a, size_b;
};

// For each content the one in whose family it belongs as a part, or itself. Only those `alone` may be parts; `share` is
// the least that must lie in the container, `size` what it must measure at the least.
std::vector<std::uint32_t> homes(std::span<const std::uint8_t> alone, const Containments& pairs, double share,
                                 std::int64_t size);

}  // namespace nearkin
