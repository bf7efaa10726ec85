// Shingle samples: every shingle (Broder 1997 §2, option B: sets), those that are 0 mod n (§3, MOD_m; Cherkasova
// 2009's Mod_n), or those that are 0 mod 2^i with i chosen from the text's length (§3's L_i).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rabin.hpp"

namespace nearkin {

struct Shingles {
  Roller roller;
  std::uint64_t modulus;  // fixed modulus; 1 keeps all
  std::uint64_t sample;   // 0: fixed modulus; else at most so many windows are expected in the sample …
  std::uint64_t most;     // … unless the modulus would exceed this power of two

  Shingles(std::size_t window, std::uint64_t modulus_, std::uint64_t sample_, std::uint64_t most_)
      : roller(window), modulus(modulus_), sample(sample_), most(most_) {}

  // i is the smallest with windows / 2^i ≤ sample, from the length alone: choosing it from how many were kept would
  // bias the estimate.
  std::uint64_t modulus_for(std::size_t length) const;
};

}  // namespace nearkin
