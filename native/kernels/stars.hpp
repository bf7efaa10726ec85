// Contents with a hot feature in their prefix are linked as stars: all pairs would be too many.
//
// Each content of a hot run is compared with the run's principals until it is like one: with those of contents that
// another run has linked already, then with the contents that were like none, largest first. So near-identical texts
// hang on one principal, and a run that several groups share has one for each, up to a limit. Runs come in one order,
// so it does not matter who works on them.
//
// Two contents of one star are not compared with each other, whatever else they share: that would be all pairs again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "candidates.hpp"

namespace nearkin {

class Stars {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  explicit Stars(std::size_t contents) : home_(contents, kNowhere) {}

  // One run: the contents with its feature in their prefix, largest first. `compare` gives the pair of a principal and
  // a content if it is strong.
  template <class Compare>
  void link(std::span<const std::uint32_t> inside, Compare&& compare, std::vector<Candidate>& links) {
    std::vector<std::uint32_t> principals;
    for (const std::uint32_t one : inside) {
      const std::uint32_t home = home_[one];
      if (home != kNowhere && principals.size() < kPrincipals &&
          std::find(principals.begin(), principals.end(), home) == principals.end())
        principals.push_back(home);
    }
    for (const std::uint32_t one : inside) {
      if (home_[one] != kNowhere) continue;
      for (const std::uint32_t principal : principals) {
        const std::optional<Candidate> pair = compare(principal, one);
        if (!pair) continue;
        home_[one] = principal;
        links.push_back(*pair);
        break;
      }
      if (home_[one] == kNowhere && principals.size() < kPrincipals) {
        principals.push_back(one);
        home_[one] = one;
      }
    }
  }

  // Of each content the principal of its star.
  std::vector<std::uint32_t> homes() && { return std::move(home_); }

 private:
  // Of a hot feature: as many groups of unlike contents that share it can be told apart.
  static constexpr std::size_t kPrincipals = 32;

  std::vector<std::uint32_t> home_;
};

}  // namespace nearkin
