// Payloads: the features of a family's documents without those that most of them have, and how alike they are. By these
// group/form.py distinguishes forms from versions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

// Families end to end: family f has the rows from ends[f - 1] to ends[f], ascending, some pairs of them and some rows
// that are queried, both by their place in the family. Lists are ascending, without repeated features.
struct FamilyLists {
  std::span<const std::uint64_t> offsets, features, moduli;
  std::span<const std::uint32_t> rows;
  std::span<const std::uint64_t> ends;
  std::span<const std::uint32_t> a, b;
  std::span<const std::uint64_t> pair_ends;
  std::span<const std::uint32_t> queried;
  std::span<const std::uint64_t> queried_ends;
};

struct Payloads {
  std::vector<double> scores;          // by pair: the resemblance of the payloads
  std::vector<std::uint64_t> united;   // by pair: the features of both payloads together
  std::vector<std::uint32_t> nearest;  // by queried row: the places of those whose lists resemble its own most
  std::vector<double> best;            // by queried row: the greatest resemblance of its payload to one of theirs
  std::vector<double> medians;         // by family: the median size of the payloads of its queried rows
  std::vector<double> partly;          // by family: of the features that not nearly all have, the share several have
};

// Compares payloads. A feature that at least the share `most` of the members have is no payload. For each queried row
// the `beside` nearest are compared. Samples of unequal modulus are compared at the largest of the family (Broder 1997
// §3). Two empty payloads are equal: nothing sets their documents apart.
Payloads compare_payloads(const FamilyLists& families, double most, double nearly_all, unsigned beside,
                          unsigned threads);

}  // namespace nearkin
