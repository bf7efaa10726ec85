// What is left of a family's documents without the features that most of them have, and how alike that is:
// group/form.py tells forms from versions by it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

// Families end to end: family f has the rows from ends[f - 1] to ends[f], ascending, and so many pairs of them and rows
// that are asked, both by their place in the family. Lists are ascending, no feature twice in one.
struct FamilyLists {
  std::span<const std::uint64_t> offsets, features, moduli;
  std::span<const std::uint32_t> rows;
  std::span<const std::uint64_t> ends;
  std::span<const std::uint32_t> a, b;
  std::span<const std::uint64_t> pair_ends;
  std::span<const std::uint32_t> asked;
  std::span<const std::uint64_t> asked_ends;
};

struct Payloads {
  std::vector<double> scores;          // of each pair, how much their payloads resemble each other
  std::vector<std::uint64_t> united;   // of each pair, how many features the two payloads have together
  std::vector<std::uint32_t> nearest;  // of each that is asked, so many whose lists resemble its own most, by their place
  std::vector<double> best;            // of each that is asked, the most that its payload resembles one of theirs
  std::vector<double> medians;         // of each family, how many features the payloads of those asked have
  std::vector<double> partly;          // of each family: of what not nearly all have, the share that several have
};

// `most`: the share of members that must have a feature for it to be no payload. Samples of unequal modulus are
// compared at the largest of the family (Broder 1997 §3). Two that have no payload are alike: nothing sets them apart.
Payloads compare_payloads(const FamilyLists& families, double most, double nearly_all, unsigned beside, unsigned threads);

}  // namespace nearkin
