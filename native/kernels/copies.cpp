#include "copies.hpp"

#include <cstring>
#include <utility>

namespace nearkin {

std::size_t Copies::Hash::operator()(const Key& key) const {
  std::size_t start;  // of a digest any bytes will do
  std::memcpy(&start, key.digest.data(), sizeof start);
  return start + static_cast<std::size_t>(key.kind);
}

bool Copies::find(const Digest& digest, Kind kind, std::uint64_t turn, Taken& taken) const {
  const std::lock_guard hold(lock_);
  const auto found = first_.find({digest, kind});
  if (found == first_.end() || found->second.turn > turn) return false;
  taken = found->second.taken;
  return true;
}

void Copies::add(const Digest& digest, Kind kind, std::uint64_t turn, Taken taken) {
  const std::lock_guard hold(lock_);
  const auto found = first_.find({digest, kind});
  if (found == first_.end()) {
    if (first_.size() < kMost) first_.emplace(Key{digest, kind}, First{turn, std::move(taken)});
  } else if (turn < found->second.turn) {
    found->second.turn = turn;
  }
}

}  // namespace nearkin
