#include "copies.hpp"

#include <algorithm>
#include <utility>

namespace nearkin {

bool Copies::find(const Digest& digest, Kind kind, std::uint64_t turn, Taken& taken) const {
  const std::lock_guard hold(lock_);
  const First* const found = first_.find({digest, kind});
  if (found == nullptr || found->turn > turn) return false;
  taken = found->taken;
  return true;
}

void Copies::add(const Digest& digest, Kind kind, std::uint64_t turn, Taken taken) {
  const std::lock_guard hold(lock_);
  if (First* const found = first_.find({digest, kind}); found != nullptr) {
    found->turn = std::min(found->turn, turn);
  } else if (first_.size() < kMost) {
    first_.emplace({digest, kind}, {turn, std::move(taken)});
  }
}

}  // namespace nearkin
