// Complete-link clusters: every two members are linked.
//
// Links are taken strongest first, and it is counted how many have come between each two clusters. When all have, the two
// merge: the weakest of them is the link at hand, so this is agglomeration by complete link, where always the two clusters
// whose most unlike members are most alike merge next. Components are done one by one: what lies together stays in the
// cache, and no count is kept for longer than its component.
#pragma once

#include <cstdint>
#include <vector>

#include "group/views.hpp"

namespace nearkin {

// For each node the smallest node of its cluster.
std::vector<std::uint32_t> cliques(std::uint32_t nodes, const Links& links);

}  // namespace nearkin
