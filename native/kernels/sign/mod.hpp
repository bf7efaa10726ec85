// Samples of shingles by modulus: every shingle (Broder 1997 §2), those that are 0 mod n (§3, MOD_m; Cherkasova 2009's
// Mod_n), or those that are 0 mod 2^i with i chosen from the text's length (§3's L_i). A text that repeats itself has
// fewer distinct shingles than its length promises; there i is chosen from their number (decision 028).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sign/shingler.hpp"

namespace nearkin {

struct Mod {
  Shingler shingler;
  std::uint64_t modulus;  // 1 keeps all shingles
  std::uint64_t sample;   // 0: the modulus is fixed; else the most windows that are expected in the sample …
  std::uint64_t most;     // … unless the modulus would exceed this power of two

  Mod(const Shingler& shingler_, std::uint64_t modulus_, std::uint64_t sample_, std::uint64_t most_)
      : shingler(shingler_), modulus(modulus_), sample(sample_), most(most_) {}

  // Returns 2^i with the smallest i for which shingles / 2^i ≤ sample, but at most `most`. The number kept plays no part:
  // it would bias the estimate.
  std::uint64_t modulus_for(std::uint64_t shingles) const;
};

// Collects the shingles of a text that are 0 mod `modulus`, ascending and distinct. A text that is compared whole is
// always in its own sample.
void sample_shingles(const Shingler& shingler, std::string_view text, std::uint64_t modulus,
                     std::vector<std::uint64_t>& kept);

}  // namespace nearkin
