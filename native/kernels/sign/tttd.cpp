#include "sign/tttd.hpp"

#include <algorithm>
#include <bit>

#include "sign/chains.hpp"
#include "sign/chunk_hash.hpp"
#include "base/sort.hpp"
#include "sign/signature.hpp"

namespace nearkin {
namespace {

template <class Test>
std::vector<std::uint64_t> cut_by(const Tttd& scheme, const Test& test, std::string_view text) {
  if (scheme.turned.window() == 48) return Chains<Test, 48>(scheme, test, text).cut();
  return Chains<Test, 0>(scheme, test, text).cut();
}

std::uint64_t feature_of(const Tttd& scheme, std::string_view chunk) {
  return scheme.permutation(chunk_hash(chunk)) & scheme.mask;
}

}  // namespace

std::vector<std::uint64_t> cut(const Tttd& scheme, std::string_view text) {
  if (!scheme.main.last()) return cut_by(scheme, scheme.main, text);
  const Divisor& divisor = scheme.main.divisor();
  switch (divisor.shift()) {
    case 1: return cut_by(scheme, LastResidue<1>(divisor), text);  // mean = 100
    case 2: return cut_by(scheme, LastResidue<2>(divisor), text);  // mean = 1,000 and 5,000
    default: return cut_by(scheme, LastResidue<-1>(divisor), text);
  }
}

std::vector<Placed> place_with(const Tttd& scheme, std::string_view text) {
  std::vector<Placed> placed;
  std::uint64_t start = 0;
  for (const auto end : cut(scheme, text)) {
    const auto chunk = text.substr(start, end - start);
    placed.push_back({start, feature_of(scheme, chunk), static_cast<std::uint32_t>(chunk.size())});
    start = end;
  }
  return placed;
}

void sign_with(const Tttd& scheme, std::string_view text, Signature& out) {
  struct Chunk {
    std::uint64_t feature;
    std::uint32_t weight;
  };
  const auto ends = cut(scheme, text);
  std::vector<Chunk> chunks(ends.size());
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto chunk = text.substr(start, ends[i] - start);
    chunks[i] = {feature_of(scheme, chunk), static_cast<std::uint32_t>(chunk.size())};
    start = ends[i];
  }
  sort_by_feature(chunks.data(), chunks.size(), [](const Chunk& x) { return x.feature; }, [](const Chunk& x, const Chunk& y) {
    return x.feature != y.feature ? x.feature < y.feature : x.weight < y.weight;
  }, static_cast<unsigned>(std::bit_width(scheme.mask)));
  out.modulus = 1;
  out.features.resize(chunks.size());
  out.weights.resize(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    out.features[i] = chunks[i].feature;
    out.weights[i] = chunks[i].weight;
  }
}

}  // namespace nearkin
