#include "sign/fuzzy.hpp"

#include <algorithm>
#include <numeric>

#include "sign/signature.hpp"
#include "text/terms.hpp"

namespace nearkin {
namespace {

std::vector<std::uint64_t> codes_of(const Fuzzy& scheme, std::string_view text) {
  const LetterCounts letters = letter_counts(text);
  if (std::accumulate(letters.begin(), letters.end(), std::uint64_t{0}) < Fuzzy::kFewest) return {};
  const std::size_t classes = scheme.reference.size();
  std::vector<std::uint64_t> counts(classes, 0);
  for (std::size_t letter = 0; letter < letters.size(); ++letter)
    if (const int to = scheme.class_of[letter]; to >= 0) counts[static_cast<std::size_t>(to)] += letters[letter];
  const auto terms = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const auto whole = std::accumulate(scheme.reference.begin(), scheme.reference.end(), std::uint64_t{0});
  if (terms == 0) return {};

  std::vector<std::uint64_t> codes;
  for (std::size_t variant = 0; variant < scheme.variants.size(); ++variant) {
    std::uint64_t code = 0;
    for (std::size_t i = classes; i-- > 0;) {
      const auto& borders = scheme.variants[variant][i];
      // (pf − ref) / ref ≥ border, without a division: count · whole · 1000 ≥ ref · terms · (1000 + border).
      __extension__ using wide = unsigned __int128;
      const wide share = static_cast<wide>(counts[i]) * whole * 1000;
      const wide expected = static_cast<wide>(scheme.reference[i]) * terms;
      const auto interval = std::count_if(borders.begin(), borders.end(), [&](std::int64_t border) {
        return share >= expected * static_cast<std::uint64_t>(1000 + border);
      });
      code = code * (borders.size() + 1) + static_cast<std::uint64_t>(interval);
    }
    codes.push_back(static_cast<std::uint64_t>(variant) << Fuzzy::kVariantShift | code);
  }
  return codes;
}

}  // namespace

void sign_with(const Fuzzy& scheme, std::string_view text, Signature& out) { out.features = codes_of(scheme, text); }

// A code belongs to the whole text.
std::vector<PlacedFeature> place_with(const Fuzzy& scheme, std::string_view text) {
  std::vector<PlacedFeature> placed;
  for (const std::uint64_t code : codes_of(scheme, text)) placed.push_back({0, code, 1});
  return placed;
}

}  // namespace nearkin
