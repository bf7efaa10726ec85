// Fuzzy-fingerprints (Stein 2005 §3): how far the first letters of a text's terms deviate from their usual frequencies.
//
// 1. The index terms are the terms that begin with a Latin letter (terms.hpp).
// 2. pf is the share of each prefix class among the terms of all classes, every occurrence counted.
// 3. The deviation of a class is (pf − ref) / ref, with ref the class's share in a reference, also of all classes.
// 4. Each deviation falls into one of r intervals; Σ interval_i · r^i is the code (formula 2). Every variant of the
//    borders makes a code of its own: two texts collide when they agree under one of them (formula 3).
//
// All comparisons are of whole numbers, so that a text has the same signature on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nearkin {

struct Fuzzy {
  // Texts of fewer index terms have no fingerprint: their shares are noise (Stein 2005 §4.1 leaves them out too).
  static constexpr std::uint64_t kFewest = 50;
  // The variant stands in the high bits above the code.
  static constexpr int kVariantShift = 60;

  // For each class of a variant the deviations, in thousandths and ascending, at which its intervals begin.
  using Borders = std::vector<std::vector<std::int64_t>>;

  std::array<int, 26> class_of;          // -1: the letter belongs to no class
  std::vector<std::uint64_t> reference;  // of each class, in any unit
  std::vector<Borders> variants;         // every class of every variant has the same number of borders
};

}  // namespace nearkin
