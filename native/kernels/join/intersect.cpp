#include "join/intersect.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearkin {
namespace {

// In a list this many times longer than another, each feature of the other is looked up.
constexpr std::size_t kMuchLonger = 16;

// Counts the features of a short list in a long one by looking each up instead of walking the long list.
template <class Feature>
std::uint64_t shared_by_search(std::span<const Feature> few, std::span<const Feature> many) {
  std::uint64_t shared = 0;
  auto from = many.begin();
  for (const auto feature : few) {
    from = std::lower_bound(from, many.end(), feature);
    if (from == many.end()) break;
    shared += *from == feature;
  }
  return shared;
}

template <class Feature>
std::uint64_t shared_by_weight(const Listed<Feature>& a, const Listed<Feature>& b) {
  if (a.features.size() > b.features.size()) return shared_by_weight(b, a);
  const bool weighted = !a.weights.empty();
  if (!weighted && b.features.size() > kMuchLonger * a.features.size()) return shared_by_search(a.features, b.features);
  std::uint64_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.features.size() && j < b.features.size();) {
    const Feature x = a.features[i], y = b.features[j];
    if (x == y) shared += weighted ? std::min(a.weights[i], b.weights[j]) : 1;
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

using Four = std::uint32_t __attribute__((vector_size(16)));

inline Four four(const std::uint32_t* from) {
  Four values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

// What is still to be compared of two ascending lists of numbers.
struct NumberWalk {
  const std::uint32_t *i, *i_end, *j, *j_end;
  std::uint64_t shared = 0;

  bool has(std::ptrdiff_t each) const { return i_end - i >= each && j_end - j >= each; }

  // Passes over the block whose last number is smaller, or over both.
  void step(std::ptrdiff_t each) {
    const std::uint32_t last_x = i[each - 1], last_y = j[each - 1];
    i += last_x <= last_y ? each : 0;
    j += last_y <= last_x ? each : 0;
  }
};

#if defined(__x86_64__)

#define NEARKIN_AVX2 __attribute__((target("avx2")))

// Every step waits for the step before. Blocks of eight take half as many steps as blocks of four.
NEARKIN_AVX2 void by_eights(NumberWalk& walk) {
  if (!walk.has(8)) return;
  __m256i counts = _mm256_setzero_si256();
  while (walk.has(8)) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(walk.i));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(walk.j));
    const __m256i turned = _mm256_permute2x128_si256(y, y, 0x01);
    const auto in_halves = [x](__m256i z) __attribute__((target("avx2"))) {
      const __m256i first =
          _mm256_or_si256(_mm256_cmpeq_epi32(x, z), _mm256_cmpeq_epi32(x, _mm256_shuffle_epi32(z, 0x39)));
      const __m256i second = _mm256_or_si256(_mm256_cmpeq_epi32(x, _mm256_shuffle_epi32(z, 0x4e)),
                                             _mm256_cmpeq_epi32(x, _mm256_shuffle_epi32(z, 0x93)));
      return _mm256_or_si256(first, second);
    };
    counts = _mm256_sub_epi32(counts, _mm256_or_si256(in_halves(y), in_halves(turned)));  // true is -1
    walk.step(8);
  }
  alignas(32) std::array<std::uint32_t, 8> each;
  _mm256_store_si256(reinterpret_cast<__m256i*>(each.data()), counts);
  walk.shared = std::accumulate(each.begin(), each.end(), walk.shared);
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

#else

void by_eights(NumberWalk&) {}
bool has_avx2() { return false; }

#endif

void by_fours(NumberWalk& walk) {
  Four counts{};
  while (walk.has(4)) {
    const Four x = four(walk.i), y = four(walk.j);
    const auto same = (x == y) | (x == Four{y[1], y[2], y[3], y[0]}) | (x == Four{y[2], y[3], y[0], y[1]}) |
                      (x == Four{y[3], y[0], y[1], y[2]});
    counts -= reinterpret_cast<const Four&>(same);  // true is -1
    walk.step(4);
  }
  walk.shared += std::uint64_t{counts[0]} + counts[1] + counts[2] + counts[3];
}

}  // namespace

std::uint64_t shared_weight(const List& a, const List& b) { return shared_by_weight(a, b); }
std::uint64_t shared_weight(const Numbered& a, const Numbered& b) { return shared_by_weight(a, b); }

std::uint64_t shared_numbers(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() > kMuchLonger * a.size()) return shared_by_search(a, b);
  NumberWalk walk{a.data(), a.data() + a.size(), b.data(), b.data() + b.size()};
  if (has_avx2()) by_eights(walk);
  by_fours(walk);
  while (walk.has(1)) {
    walk.shared += *walk.i == *walk.j;
    walk.step(1);
  }
  return walk.shared;
}

std::uint64_t shared_of_smallest(const List& a, const List& b, std::uint64_t n) {
  std::uint64_t shared = 0;
  std::size_t i = 0, j = 0;
  for (std::uint64_t united = 0; united < n && i < a.features.size() && j < b.features.size(); ++united) {
    const std::uint64_t x = a.features[i], y = b.features[j];
    shared += x == y;
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

namespace {

constexpr int kSteps = 32;  // steps between two looks at what is left

struct FeatureWalk {
  const std::uint64_t *i, *const i_end, *j, *const j_end;
  std::uint64_t shared = 0;

  bool is_over() const { return i == i_end || j == j_end; }
  std::uint64_t most() const { return shared + static_cast<std::uint64_t>(std::min(i_end - i, j_end - j)); }
};

// Moves one or both lists on at every step, without a branch to predict.
void step_by_step(FeatureWalk& walk) {
  for (int step = 0; step < kSteps && !walk.is_over(); ++step) {
    const std::uint64_t f = *walk.i, g = *walk.j;
    walk.shared += f == g;
    walk.i += f <= g;
    walk.j += g <= f;
  }
}

#if defined(__x86_64__)

NEARKIN_AVX2 void four_by_four(FeatureWalk& walk) {
  const std::uint64_t *i = walk.i, *j = walk.j;
  const std::uint64_t *const i_last = walk.i_end - 4, *const j_last = walk.j_end - 4;
  __m256i counts = _mm256_setzero_si256();
  for (int step = 0; step < kSteps && i <= i_last && j <= j_last; ++step) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(i));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(j));
    const __m256i same = _mm256_or_si256(
        _mm256_or_si256(_mm256_cmpeq_epi64(x, y), _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64(y, 0x39))),
        _mm256_or_si256(_mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64(y, 0x4e)),
                        _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64(y, 0x93))));
    counts = _mm256_sub_epi64(counts, same);  // true is -1
    const std::uint64_t f = i[3], g = j[3];
    i += f <= g ? 4 : 0;
    j += g <= f ? 4 : 0;
  }
  alignas(32) std::uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), counts);
  walk.i = i, walk.j = j;
  walk.shared += lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

#else

void four_by_four(FeatureWalk& walk) { step_by_step(walk); }

#endif

}  // namespace

std::uint64_t shared_features(std::span<const std::uint64_t> x, std::span<const std::uint64_t> y,
                              std::uint64_t at_least) {
  FeatureWalk walk{x.data(), x.data() + x.size(), y.data(), y.data() + y.size()};
  const bool avx2 = has_avx2();
  while (!walk.is_over()) {
    if (walk.most() < at_least) return 0;
    if (avx2 && walk.i_end - walk.i >= 4 && walk.j_end - walk.j >= 4) four_by_four(walk);
    else step_by_step(walk);
  }
  return walk.shared;
}

}  // namespace nearkin
