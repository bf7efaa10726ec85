// Memory of one column of a batch, used again by the next batch that the same thread reads: fresh memory costs as much as
// filling it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ingest/ingest.hpp"
#include "base/let_go.hpp"

namespace nearkin {

template <auto Column>
class Recycled {
  using Values = std::remove_reference_t<decltype(std::declval<Batch&>().*Column)>;

 public:
  // An empty column gets the room that this thread has.
  static void lend(Batch& batch) { (batch.*Column).swap(room()); }

  // The column keeps no more room than it needs: batches are held until the last text is signed. The rest goes back.
  static void settle(Batch& batch) {
    Values& values = batch.*Column;
    if (values.size() * kEach > kKept) return;  // not worth a copy
    Values grown = std::exchange(values, {});
    values.assign(grown.begin(), grown.end());
    keep(std::move(grown));
  }

  // The column is no longer needed.
  static void give_back(Batch& batch) { keep(std::exchange(batch.*Column, {})); }

 private:
  static constexpr std::size_t kEach = sizeof(typename Values::value_type);
  static constexpr std::size_t kKept = std::size_t{1} << 23;  // bytes of room that a thread keeps at most

  static void keep(Values&& values) {
    if (values.capacity() * kEach > kKept) return let_go(values);
    values.clear();
    room() = std::move(values);
  }

  static Values& room() {
    static thread_local Values kept;
    return kept;
  }
};

}  // namespace nearkin
