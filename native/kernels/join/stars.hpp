// Contents with a hot feature in their prefix are linked as stars: all pairs would be too many.
//
// Each content of a hot run is compared with the run's principals until one is its twin (`Judge::is_twin`): with those
// of contents that another run has linked already, then with the contents that were nobody's twin, largest first. So
// near-identical texts hang on one principal, and a run that several groups share has one for each, up to a limit. What
// is like a principal on the way, or part of it, is linked as well, so many for each content; and so are principals of
// two stars that meet in a run: two forms may resemble each other, and runs of their own have made their stars before.
// Runs of few contents come first: what they share sets them apart from the rest. In one order, so it does not matter who
// works on them.
//
// Two contents of one star are not compared with each other, whatever else they share: that would be all pairs again.
// As twins of one principal they are alike in any case, and in one family by their links. All others, and those of stars
// that are no larger than what is not hot, are compared as ever by what they share besides hot features: so what is only
// likely to match a principal loses nothing by it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "join/candidates.hpp"

namespace nearkin {

// A content beside a principal: the pair, and whether they are twins.
struct Beside {
  Candidate pair;
  bool twins;
};

class Stars {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  // `small`: the most contents of a star whose pairs may all be met.
  Stars(std::size_t contents, std::uint32_t small)
      : home_(contents, kNowhere), compared_(contents), linked_(contents), small_(small) {}

  // One run: the contents with its feature in their prefix, largest first. `compare` puts a content beside a principal;
  // it gives nothing where the pair is not strong.
  template <class Compare>
  void link(std::span<const std::uint32_t> inside, Compare&& compare, Uncleared<Candidate>& links) {
    std::vector<std::uint32_t> principals;
    for (const std::uint32_t one : inside) {
      const std::uint32_t home = home_[one];
      if (home != kNowhere && principals.size() < kPrincipals &&
          std::find(principals.begin(), principals.end(), home) == principals.end())
        principals.push_back(home);
    }
    for (std::size_t i = 1; i < principals.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (met_.insert(std::minmax(principals[i], principals[j])).second)
          if (const std::optional<Beside> beside = compare(principals[j], principals[i])) links.push_back(beside->pair);
    for (const std::uint32_t one : inside) {
      if (home_[one] != kNowhere || compared_[one] >= kTries) continue;
      for (const std::uint32_t principal : principals) {
        ++compared_[one];
        const std::optional<Beside> beside = compare(principal, one);
        if (!beside) continue;
        if (beside->twins || linked_[one] < kLinks) links.push_back(beside->pair);
        if (beside->twins) {
          home_[one] = principal;
          break;
        }
        linked_[one] += linked_[one] < kLinks;
      }
      if (home_[one] == kNowhere && principals.size() < kPrincipals) {
        principals.push_back(one);
        home_[one] = one;
      }
    }
  }

  // Of each content the principal of its star; of those of small stars there is none.
  std::vector<std::uint32_t> homes() && {
    std::vector<std::uint32_t> members(home_.size());
    for (const std::uint32_t home : home_)
      if (home != kNowhere) ++members[home];
    for (std::uint32_t& home : home_)
      if (home != kNowhere && members[home] <= small_) home = kNowhere;
    return std::move(home_);
  }

 private:
  // Of a hot feature: as many groups of unlike contents that share it can be told apart.
  static constexpr std::size_t kPrincipals = 32;
  // Of a content that finds no twin: how many principals it is compared with in all, and linked with.
  static constexpr std::uint16_t kTries = 8 * kPrincipals;
  static constexpr std::uint8_t kLinks = 8;

  std::vector<std::uint32_t> home_;
  std::vector<std::uint16_t> compared_;
  std::vector<std::uint8_t> linked_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> met_;  // principals of two stars that some run holds both of
  std::uint32_t small_;
};

}  // namespace nearkin
