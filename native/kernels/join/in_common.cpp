#include "join/in_common.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearkin {
namespace {

constexpr int kSteps = 32;  // between two looks at what is left

struct Walk {
  const std::uint64_t *i, *const i_end, *j, *const j_end;
  std::uint64_t shared = 0;

  bool is_over() const { return i == i_end || j == j_end; }
  std::uint64_t most() const { return shared + static_cast<std::uint64_t>(std::min(i_end - i, j_end - j)); }
};

// Every step moves one or both on, without a branch to predict.
void step_by_step(Walk& walk) {
  for (int step = 0; step < kSteps && !walk.is_over(); ++step) {
    const std::uint64_t f = *walk.i, g = *walk.j;
    walk.shared += f == g;
    walk.i += f <= g;
    walk.j += g <= f;
  }
}

#if defined(__x86_64__)

#define NEARKIN_AVX2 __attribute__((target("avx2")))

NEARKIN_AVX2 void four_by_four(Walk& walk) {
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
  alignas(32) std::uint64_t found[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(found), counts);
  walk.i = i, walk.j = j;
  walk.shared += found[0] + found[1] + found[2] + found[3];
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

#else

void four_by_four(Walk& walk) { step_by_step(walk); }
bool has_avx2() { return false; }

#endif

}  // namespace

std::uint64_t in_common(std::span<const std::uint64_t> x, std::span<const std::uint64_t> y, std::uint64_t fewer_than) {
  Walk walk{x.data(), x.data() + x.size(), y.data(), y.data() + y.size()};
  const bool four = has_avx2();
  while (!walk.is_over()) {
    if (walk.most() < fewer_than) return 0;
    if (four && walk.i_end - walk.i >= 4 && walk.j_end - walk.j >= 4) four_by_four(walk);
    else step_by_step(walk);
  }
  return walk.shared;
}

}  // namespace nearkin
