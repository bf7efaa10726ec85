#include "join/cosine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "text/terms.hpp"

namespace nearkin {
namespace {

struct TermVector {
  std::vector<Frequency> terms;
  double norm = 0;  // squared
};

TermVector vector_of(std::string_view text) {
  TermVector made{term_frequencies(text)};
  for (const Frequency& f : made.terms) made.norm += static_cast<double>(f.count) * static_cast<double>(f.count);
  return made;
}

// Sums of whole numbers, exact to 2^53 in any order; the root of x · x is x, so equal vectors give 1 and no less.
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

std::vector<double> cosines(std::span<const std::string_view> texts, std::span<const Pair> pairs, unsigned threads) {
  std::vector<char> wanted(texts.size(), 0);
  for (const auto& pair : pairs) wanted[pair.a] = wanted[pair.b] = 1;
  std::vector<TermVector> vectors(texts.size());
  parallel_blocks(texts.size(), 16, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (wanted[i]) vectors[i] = vector_of(texts[i]);
  });
  std::vector<double> found(pairs.size());
  parallel_blocks(pairs.size(), 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) found[i] = cosine(vectors[pairs[i].a], vectors[pairs[i].b]);
  });
  return found;
}

}  // namespace nearkin
