#include "sign/shingler.hpp"

#include <algorithm>

#include "base/sort.hpp"

namespace nearkin {

std::size_t Shingler::count(std::string_view text, std::size_t most) const {
  const std::size_t reach = most > ~std::size_t{0} - window_ ? ~std::size_t{0} : most + window_ - 1;
  const std::size_t units = count_units(unit_, text, reach);
  return units < window_ ? units != 0 : units - window_ + 1;
}

void Shingler::all(std::string_view text, std::vector<std::uint64_t>& out) const {
  const std::size_t from = out.size();
  if (unit_ == Unit::byte) out.reserve(from + text.size());
  each(text, [&](std::uint64_t f, std::size_t, std::size_t) { out.push_back(f); });
  if (label_) {
    sort_features(out.data() + from, out.size() - from);
    label_sorted(out.data() + from, out.size() - from);
  }
  if (permutation_.identity() && bits_ == 64) return;
  for (std::size_t i = from; i < out.size(); ++i) out[i] = finish(out[i]);
}

std::vector<ShingleAt> Shingler::placed(std::string_view text) const {
  std::vector<ShingleAt> found;
  each(text, [&](std::uint64_t f, std::size_t offset, std::size_t bytes) { found.push_back({f, offset, bytes}); });
  const auto by_offset = [](const ShingleAt& x, const ShingleAt& y) { return x.offset < y.offset; };
  if (label_) {
    std::sort(found.begin(), found.end(), [&](const ShingleAt& x, const ShingleAt& y) {
      return x.fingerprint != y.fingerprint ? x.fingerprint < y.fingerprint : by_offset(x, y);
    });
    std::uint64_t before = 0, occurrence = 0;
    for (auto& shingle : found) {
      occurrence = occurrence != 0 && shingle.fingerprint == before ? occurrence + 1 : 1;
      before = shingle.fingerprint;
      shingle.fingerprint = labelled(before, occurrence);
    }
  }
  std::sort(found.begin(), found.end(), by_offset);
  for (auto& shingle : found) shingle.fingerprint = finish(shingle.fingerprint);
  return found;
}

void label_sorted(std::uint64_t* fingerprints, std::size_t count) {
  std::uint64_t before = 0, occurrence = 0;
  for (std::size_t i = 0; i < count; ++i) {
    occurrence = occurrence != 0 && fingerprints[i] == before ? occurrence + 1 : 1;
    before = fingerprints[i];
    fingerprints[i] = labelled(before, occurrence);
  }
}

}  // namespace nearkin
