#include "join/collisions.hpp"

#include <algorithm>

namespace nearkin {

Collisions::Collisions(std::span<const std::uint64_t> offsets, std::span<const std::uint64_t> features)
    : offsets_(offsets.begin(), offsets.end()), places_(features.size()) {
  holders_.reserve(features.size());
  for (std::size_t text = 0; text + 1 < offsets.size(); ++text)
    for (std::size_t at = offsets[text]; at < offsets[text + 1]; ++at)
      holders_.push_back({features[at], static_cast<std::uint32_t>(text)});
  std::sort(holders_.begin(), holders_.end(), [](const Holder& x, const Holder& y) {
    return x.feature != y.feature ? x.feature < y.feature : x.text < y.text;
  });
  std::vector<std::uint64_t> next(offsets_);
  for (std::size_t place = 0; place < holders_.size(); ++place) places_[next[holders_[place].text]++] = place;
}

Collisions::Pairs Collisions::next(std::size_t most) {
  Pairs pairs;
  for (; text_ + 1 < offsets_.size() && pairs.a.size() < most; ++text_) {
    const std::size_t start = pairs.b.size();
    for (std::size_t at = offsets_[text_]; at < offsets_[text_ + 1]; ++at) {
      const std::uint64_t feature = holders_[places_[at]].feature;
      for (std::size_t other = places_[at] + 1; other < holders_.size() && holders_[other].feature == feature; ++other)
        if (holders_[other].text != text_) pairs.b.push_back(holders_[other].text);
    }
    const auto mine = pairs.b.begin() + static_cast<std::ptrdiff_t>(start);
    std::sort(mine, pairs.b.end());
    pairs.b.erase(std::unique(mine, pairs.b.end()), pairs.b.end());
    pairs.a.resize(pairs.b.size(), static_cast<std::uint32_t>(text_));
  }
  return pairs;
}

}  // namespace nearkin
