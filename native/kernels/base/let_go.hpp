// Memory given back at once. `values = {}` only empties a vector: that assigns a list of nothing, and keeps the room.
#pragma once

namespace nearkin {

template <class... Values>
void let_go(Values&... values) {
  (Values().swap(values), ...);
}

}  // namespace nearkin
