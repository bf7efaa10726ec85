// Shingle samples: every shingle (Broder 1997 §2), those that are 0 mod n (§3, MOD_m; Cherkasova 2009's Mod_n), or
// those that are 0 mod 2^i with i chosen from the text's length (§3's L_i), or from how many distinct shingles it has where
// it says the same over and over: a length promises shingles that such a text does not have (decision 028).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sign/shingler.hpp"

namespace nearkin {

struct Shingles {
  Shingler shingler;
  std::uint64_t modulus;  // fixed modulus; 1 keeps all
  std::uint64_t sample;   // 0: fixed modulus; else at most so many windows are expected in the sample …
  std::uint64_t most;     // … unless the modulus would exceed this power of two

  Shingles(const Shingler& shingler_, std::uint64_t modulus_, std::uint64_t sample_, std::uint64_t most_)
      : shingler(shingler_), modulus(modulus_), sample(sample_), most(most_) {}

  // 2^i with the smallest i for which shingles / 2^i ≤ sample. Never from how many were kept: that would bias the estimate.
  std::uint64_t modulus_for(std::uint64_t shingles) const;
};

// The shingles of a text that are 0 mod `modulus`, ascending and each once. A text that is compared whole is always in
// its own sample: sampling would lose it.
void sample_shingles(const Shingler& shingler, std::string_view text, std::uint64_t modulus,
                     std::vector<std::uint64_t>& kept);

}  // namespace nearkin
