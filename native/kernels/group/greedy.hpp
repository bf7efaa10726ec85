// Greedy clustering (Broder 1997 §4.4): signatures are taken in turn. Each joins the cluster whose representative it
// resembles best, if that reaches the threshold, and founds a cluster of its own otherwise. An index of the
// representatives by feature saves the comparison with all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

// How the features in common become a resemblance.
enum class Agreement {
  kOverlap,   // their weight, of the weight of the union
  kSmallest,  // how many of the n smallest of the union are in both (Broder 1997, Theorem 1); of all features, where
              // each has fewer than n and so is complete
  kSlots,     // in how many of the slots both agree
};

struct GreedyOptions {
  double threshold;
  Agreement agreement;
  std::uint64_t most;  // n of kSmallest
  bool popular;        // a cluster is represented by its most popular features, not by its first member
};

// Signatures end to end: row i has its features, ascending, from offsets[i] to offsets[i + 1].
struct Signatures {
  std::span<const std::uint64_t> offsets, features;
  std::span<const std::uint32_t> weights;  // empty: each weighs 1
  std::span<const std::uint64_t> moduli;

  std::size_t rows() const { return moduli.size(); }
};

struct Greedy {
  std::vector<std::uint32_t> founder;  // by row: the row that founded its cluster
  std::vector<double> nearness;        // by row: resemblance to the final representative of its cluster; 0: unknown
};

// Clusters signatures; `order` names every row once.
Greedy greedy(const Signatures& signatures, std::span<const std::uint32_t> order, const GreedyOptions& options);

}  // namespace nearkin
