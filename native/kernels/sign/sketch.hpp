// Sketch_n (Cherkasova 2009 §2, after Broder, Charikar, Frieze and Mitzenmacher 1998): n slots, each with the shingle
// that is the smallest under the slot's own hash function. The share of slots in which two texts agree is their
// resemblance.
//
// Evaluating n functions for every shingle made it the slowest scheme (Cherkasova's Figure 11). Ours are a family whose
// n minima are found in one pass (Dahlgaard, Knudsen and Thorup 2017, "Fast similarity sketching"): a shingle is thrown
// again and again, each throw a fresh 64-bit number that gives the slot it lands in and its height there. The function
// of slot i is the first throw that lands in i: earlier rounds before later ones, then lower before higher. Once a
// round leaves no slot empty, no later throw can be smaller, so none is made. A text of over n·ln n shingles takes one
// round, a shorter one about n·ln n throws in all. docs/decisions/008-sketch.md has the numbers.
//
// The number of a throw is a bijection of the shingle's fingerprint, so slots agree only if the same shingle won: there
// are no accidental agreements beyond those of 64-bit fingerprints. Its leading bits are the slot, so features of
// different slots are never equal, and slots in order are features in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "sign/shingler.hpp"

namespace nearkin {

struct Sketch {
  Shingler shingler;
  std::uint32_t slots;

  Sketch(const Shingler& shingler_, std::uint32_t slots_) : shingler(shingler_), slots(slots_) {}
};

// Returns the number of throw `round` of a fingerprint: a step of the generator splitmix64 that started there.
constexpr std::uint64_t thrown(std::uint64_t fingerprint, std::uint64_t round) {
  return mix(fingerprint + (round + 1) * kGolden);
}

constexpr std::uint32_t slot_of(std::uint64_t number, std::uint32_t slots) {
  return static_cast<std::uint32_t>(((number >> 32) * slots) >> 32);
}

enum class Kernel : std::uint8_t { portable, best };  // best: the fastest this processor can run

// Finds the smallest throw of every slot.
class SlotMinima {
 public:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // a throw of this number, one in 2^64, does not count

  explicit SlotMinima(std::uint32_t slots, Kernel kernel = Kernel::best);

  // Takes every fingerprint once a round, in any number of calls.
  void throw_all(std::span<const std::uint64_t> fingerprints);

  // Ends a round. Returns true while slots are empty: then every fingerprint must be thrown again.
  bool next_round();

  // Returns one number for each slot, ascending, or nothing if nothing was thrown.
  std::vector<std::uint64_t> take();

 private:
  void throw_at_empty(std::span<const std::uint64_t> fingerprints);

  std::vector<std::uint64_t> least_;
  std::vector<std::uint32_t> filled_;  // by slot: the round that filled it, once the first is over
  std::size_t empty_;
  std::uint32_t round_ = 0;
  bool thrown_any_ = false;
  Kernel kernel_;
};

// Returns the sketch of these fingerprints.
std::vector<std::uint64_t> slot_minima(std::span<const std::uint64_t> fingerprints, std::uint32_t slots, Kernel kernel);

}  // namespace nearkin
