// Greedy clustering (Broder 1997 §4.4): signatures are taken in turn, each joins the cluster whose representative it
// resembles best, if by the threshold or more, and founds a cluster of its own otherwise. For every feature it is
// remembered which representatives have it, so no signature is compared with all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

// How features in common become a resemblance.
enum class Agreement {
  kOverlap,   // their weight, of the weight of the union
  kSmallest,  // how many of the n smallest of the union are in both (Broder 1997, Theorem 1); of all, where each has
              // fewer than n and so left nothing out
  kSlots,     // in how many of the slots both have the same
};

struct GreedyOptions {
  double threshold;
  Agreement agreement;
  std::uint64_t most;  // n of kSmallest
  bool popular;        // represented by its most popular features, not by its first member
};

// Signatures end to end: row i has its features, ascending, from offsets[i] to offsets[i + 1].
struct Signatures {
  std::span<const std::uint64_t> offsets, features;
  std::span<const std::uint32_t> weights;  // empty: each weighs 1
  std::span<const std::uint64_t> moduli;

  std::size_t rows() const { return moduli.size(); }
};

struct Greedy {
  std::vector<std::uint32_t> founder;  // the row that founded the cluster of each row
  std::vector<double> nearness;        // of each row to the representative its cluster has in the end; 0 where unknown
};

// `order` names every row once.
Greedy greedy(const Signatures& signatures, std::span<const std::uint32_t> order, const GreedyOptions& options);

}  // namespace nearkin
