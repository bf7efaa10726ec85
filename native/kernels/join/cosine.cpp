#include "join/cosine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "base/sort.hpp"
#include "sign/rabin.hpp"
#include "text/terms.hpp"

namespace nearkin {
namespace {

struct TermVector {
  std::vector<Frequency> terms;
  double norm = 0;  // squared
};

TermVector vector_of(std::string_view text) {
  TermVector vector{term_frequencies(text)};
  for (const Frequency& f : vector.terms) vector.norm += static_cast<double>(f.count) * static_cast<double>(f.count);
  return vector;
}

// The sums are of whole numbers, exact up to 2^53 in any order. The root of x · x is x, so equal vectors give exactly
// 1.
double cosine(const TermVector& a, const TermVector& b) {
  if (a.terms.empty() || b.terms.empty()) return std::numeric_limits<double>::quiet_NaN();
  double product = 0;
  auto i = a.terms.begin(), j = b.terms.begin();
  while (i != a.terms.end() && j != b.terms.end()) {
    const std::uint64_t x = i->term, y = j->term;
    if (x == y) product += static_cast<double>(i->count) * static_cast<double>(j->count);
    i += x <= y;
    j += y <= x;
  }
  return std::min(1.0, product / std::sqrt(a.norm * b.norm));
}

}  // namespace

std::vector<Frequency> term_frequencies(std::string_view text) {
  const Terms terms(text);
  std::vector<std::uint64_t> names;
  names.reserve(terms.all().size());
  for (const std::string_view term : terms.all()) names.push_back(fingerprint(term));
  sort_features(names.data(), names.size());
  std::vector<Frequency> frequencies;
  for (const std::uint64_t name : names) {
    if (frequencies.empty() || frequencies.back().term != name) frequencies.push_back({name, 0});
    ++frequencies.back().count;
  }
  return frequencies;
}

std::vector<double> cosines(std::span<const std::string_view> texts, std::span<const Pair> pairs, unsigned threads) {
  std::vector<char> wanted(texts.size(), 0);
  for (const auto& pair : pairs) wanted[pair.a] = wanted[pair.b] = 1;
  std::vector<TermVector> vectors(texts.size());
  parallel_blocks(texts.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (wanted[i]) vectors[i] = vector_of(texts[i]);
  });
  std::vector<double> cosines(pairs.size());
  parallel_blocks(pairs.size(), 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) cosines[i] = cosine(vectors[pairs[i].a], vectors[pairs[i].b]);
  });
  return cosines;
}

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
