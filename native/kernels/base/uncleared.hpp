// Large arrays that nobody clears before they are written: what is not given a value has none.
//
// Pages of 2 MB were tried for them (madvise): fewer faults, but on a virtual machine whose host gives memory when it is
// first touched clearing them took longer than all the faults.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace nearkin {

template <class Item>
struct NoClearing : std::allocator<Item> {
  template <class Other>
  struct rebind {
    using other = NoClearing<Other>;
  };

  template <class Other>
  void construct(Other* at) {
    ::new (static_cast<void*>(at)) Other;
  }
  template <class Other, class... Given>
  void construct(Other* at, Given&&... given) {
    std::construct_at(at, std::forward<Given>(given)...);
  }
};

template <class Item>
using Uncleared = std::vector<Item, NoClearing<Item>>;

}  // namespace nearkin
