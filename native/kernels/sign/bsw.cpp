#include "sign/bsw.hpp"

#include <algorithm>
#include <utility>

#include "sign/shingler.hpp"
#include "sign/signature.hpp"

namespace nearkin {

void ChunkMinima::add(std::span<const std::uint64_t> fingerprints) {
  std::uint64_t least = least_;
  for (const std::uint64_t f : fingerprints) {
    least = std::min(least, f);
    if (boundary_.divides(f)) [[unlikely]] {
      minima_.push_back(std::exchange(least, ~std::uint64_t{0}));
    }
  }
  least_ = least;
  if (!fingerprints.empty()) open_ = !boundary_.divides(fingerprints.back());
}

std::vector<std::uint64_t> ChunkMinima::take() {
  if (std::exchange(open_, false)) minima_.push_back(least_);
  least_ = ~std::uint64_t{0};
  return std::exchange(minima_, {});
}

void sign_with(const Bsw& scheme, std::string_view text, Signature& out) {
  Blocks blocks(scheme.shingler, text);
  ChunkMinima minima(scheme.modulus);
  blocks.each([&](std::span<const std::uint64_t> fingerprints) { minima.add(fingerprints); });
  out.modulus = scheme.modulus;
  out.features = minima.take();
  // Minima are not uniform, so the radix sort of features would be no quicker.
  std::sort(out.features.begin(), out.features.end());
  out.features.erase(std::unique(out.features.begin(), out.features.end()), out.features.end());
}

std::vector<PlacedFeature> place_with(const Bsw& scheme, std::string_view text) {
  const Divisor boundary(scheme.modulus);
  std::vector<PlacedFeature> placed;
  const PlacedShingle* least = nullptr;
  const auto keep = [&] {
    if (least) placed.push_back({least->offset, least->fingerprint, static_cast<std::uint32_t>(scheme.modulus)});
    least = nullptr;
  };
  const auto shingles = scheme.shingler.placed(text);
  for (const auto& shingle : shingles) {
    if (!least || shingle.fingerprint < least->fingerprint) least = &shingle;
    if (boundary.divides(shingle.fingerprint)) keep();
  }
  keep();
  keep_first_places(placed);
  return placed;
}

}  // namespace nearkin
