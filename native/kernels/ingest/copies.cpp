#include "ingest/copies.hpp"

#include <algorithm>
#include <utility>

namespace nearkin {

bool Copies::find(const Digest& digest, Kind kind, std::uint64_t turn, Taken& taken) const {
  const Part& part = parts_[part_of(digest)];
  const std::lock_guard hold(part.lock);
  const First* const found = part.first.find({digest, kind});
  if (found == nullptr || found->turn > turn) return false;
  taken = found->taken;
  return true;
}

void Copies::add(const Digest& digest, Kind kind, std::uint64_t turn, Taken taken) {
  Part& part = parts_[part_of(digest)];
  const std::lock_guard hold(part.lock);
  if (First* const found = part.first.find({digest, kind}); found != nullptr) {
    found->turn = std::min(found->turn, turn);
  } else if (part.first.size() < kMost / kParts) {
    part.first.emplace({digest, kind}, {turn, std::move(taken)});
  }
}

}  // namespace nearkin
