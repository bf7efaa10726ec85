#include "sign/sketch.hpp"

#include <algorithm>
#include <utility>

#include "sign/shingler.hpp"
#include "sign/signature.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearkin {
namespace {

using FirstRound = void (*)(std::span<const std::uint64_t>, std::span<std::uint64_t>);
constexpr std::uint32_t kNever = ~std::uint32_t{0};

// Has no branch: while slots still change often, a mispredicted one costs more than the store.
inline void lower(std::uint64_t& least, std::uint64_t number) { least = std::min(least, number); }

void first_round_portable(std::span<const std::uint64_t> fingerprints, std::span<std::uint64_t> least) {
  const auto slots = static_cast<std::uint32_t>(least.size());
  for (const std::uint64_t f : fingerprints) {
    const std::uint64_t number = thrown(f, 0);
    lower(least[slot_of(number, slots)], number);
  }
}

#if defined(__x86_64__)

#define NEARKIN_AVX2 __attribute__((target("avx2")))

// Computes the low half of a 64-bit product from three 32-bit products.
NEARKIN_AVX2 inline __m256i times(__m256i value, __m256i factor_low, __m256i factor_high) {
  const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(value, factor_high),
                                         _mm256_mul_epu32(_mm256_srli_epi64(value, 32), factor_low));
  return _mm256_add_epi64(_mm256_mul_epu32(value, factor_low), _mm256_slli_epi64(cross, 32));
}

template <int kShift>
NEARKIN_AVX2 inline __m256i fold(__m256i value) {
  return _mm256_xor_si256(value, _mm256_srli_epi64(value, kShift));
}

// Four throws of the first round: hash.hpp's mixer in vectors.
class FourThrows {
 public:
  NEARKIN_AVX2 explicit FourThrows(std::uint32_t slots)
      : golden_(_mm256_set1_epi64x(static_cast<long long>(kGolden))),
        first_(_mm256_set1_epi64x(static_cast<long long>(kMixFirst))),
        second_(_mm256_set1_epi64x(static_cast<long long>(kMixSecond))),
        slots_(_mm256_set1_epi64x(slots)) {}

  NEARKIN_AVX2 __m256i number(const std::uint64_t* fingerprints) const {
    __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(fingerprints));
    value = fold<30>(_mm256_add_epi64(value, golden_));
    value = fold<27>(times(value, first_, _mm256_srli_epi64(first_, 32)));
    return fold<31>(times(value, second_, _mm256_srli_epi64(second_, 32)));
  }

  // The slot is in the high half, the height within it in the low half.
  NEARKIN_AVX2 __m256i place(__m256i number) const { return _mm256_mul_epu32(_mm256_srli_epi64(number, 32), slots_); }

 private:
  __m256i golden_, first_, second_, slots_;
};

NEARKIN_AVX2 inline void lower_four(std::uint64_t* least, __m256i number, __m256i place) {
  alignas(32) std::uint64_t numbers[4], slots[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(numbers), number);
  _mm256_store_si256(reinterpret_cast<__m256i*>(slots), _mm256_srli_epi64(place, 32));
  for (int i = 0; i < 4; ++i) lower(least[slots[i]], numbers[i]);
}

// Returns the height of the highest slot: no throw above it changes any slot. An empty slot has the greatest height.
NEARKIN_AVX2 std::uint32_t highest(std::span<const std::uint64_t> least) {
  std::uint32_t bound = 0;
  for (const std::uint64_t number : least)
    bound = std::max(bound, static_cast<std::uint32_t>((number >> 32) * least.size()));
  return bound;
}

NEARKIN_AVX2 void first_round_avx2(std::span<const std::uint64_t> fingerprints, std::span<std::uint64_t> least) {
  const FourThrows four(static_cast<std::uint32_t>(least.size()));
  const std::size_t whole = fingerprints.size() / 4 * 4;
  const bool many = fingerprints.size() >= 8 * least.size();  // otherwise it does not pay to visit all slots first
  const std::uint32_t bound = many ? highest(least) : ~std::uint32_t{0};
  std::size_t i = 0;
  if (bound < (1U << 28)) {
    // Fewer than one throw in sixteen can matter, so it pays to test four heights at once (1,000 million throws a
    // second instead of 750).
    const __m256i most = _mm256_set1_epi64x(bound);
    const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
    for (; i < whole; i += 4) {
      const __m256i number = four.number(fingerprints.data() + i);
      const __m256i place = four.place(number);
      const __m256i above = _mm256_cmpgt_epi64(_mm256_and_si256(place, low), most);
      if (_mm256_movemask_pd(_mm256_castsi256_pd(above)) != 0xF) [[unlikely]] lower_four(least.data(), number, place);
    }
  } else {
    for (; i < whole; i += 4) {
      const __m256i number = four.number(fingerprints.data() + i);
      lower_four(least.data(), number, four.place(number));
    }
  }
  first_round_portable(fingerprints.subspan(whole), least);
}

FirstRound chosen() { return __builtin_cpu_supports("avx2") ? first_round_avx2 : first_round_portable; }

#else

FirstRound chosen() { return first_round_portable; }

#endif

}  // namespace

SlotMinima::SlotMinima(std::uint32_t slots, Kernel kernel) : least_(slots, kEmpty), empty_(slots), kernel_(kernel) {}

void SlotMinima::throw_all(std::span<const std::uint64_t> fingerprints) {
  static const FirstRound best = chosen();
  thrown_any_ |= !fingerprints.empty();
  if (round_ > 0) throw_at_empty(fingerprints);
  else if (kernel_ == Kernel::best) best(fingerprints, least_);
  else first_round_portable(fingerprints, least_);
}

void SlotMinima::throw_at_empty(std::span<const std::uint64_t> fingerprints) {
  const auto slots = static_cast<std::uint32_t>(least_.size());
  for (const std::uint64_t f : fingerprints) {
    const std::uint64_t number = thrown(f, round_);
    const std::uint32_t slot = slot_of(number, slots);
    if (filled_[slot] < round_ || number >= least_[slot]) continue;
    empty_ -= filled_[slot] == kNever;
    filled_[slot] = round_;
    least_[slot] = number;
  }
}

bool SlotMinima::next_round() {
  if (round_++ == 0) {
    filled_.resize(least_.size());
    for (std::size_t i = 0; i < least_.size(); ++i) filled_[i] = least_[i] == kEmpty ? kNever : 0;
    empty_ = static_cast<std::size_t>(std::count(filled_.begin(), filled_.end(), kNever));
  }
  return empty_ > 0 && thrown_any_;
}

std::vector<std::uint64_t> SlotMinima::take() {
  if (!thrown_any_) return {};
  return std::move(least_);
}

std::vector<std::uint64_t> slot_minima(std::span<const std::uint64_t> fingerprints, std::uint32_t slots,
                                       Kernel kernel) {
  SlotMinima minima(slots, kernel);
  do {
    for (std::size_t from = 0; from < fingerprints.size(); from += Blocks::kBlock)
      minima.throw_all(fingerprints.subspan(from, std::min(Blocks::kBlock, fingerprints.size() - from)));
  } while (minima.next_round());
  return minima.take();
}

void sign_with(const Sketch& scheme, std::string_view text, Signature& out) {
  Blocks blocks(scheme.shingler, text);
  SlotMinima minima(scheme.slots);
  do {
    blocks.each([&](std::span<const std::uint64_t> fingerprints) { minima.throw_all(fingerprints); });
  } while (minima.next_round());
  out.features = minima.take();
}

// Repeats the throws to see which shingle each came from.
std::vector<PlacedFeature> place_with(const Sketch& scheme, std::string_view text) {
  Signature signature;
  sign_with(scheme, text, signature);
  const auto& features = signature.features;
  const auto shingles = scheme.shingler.placed(text);
  std::vector<bool> placed_slots(features.size());
  std::vector<PlacedFeature> placed;
  for (std::uint64_t round = 0; placed.size() < features.size(); ++round) {
    for (const auto& shingle : shingles) {
      const std::uint64_t number = thrown(shingle.fingerprint, round);
      const std::uint32_t slot = slot_of(number, scheme.slots);
      if (features[slot] != number || placed_slots[slot]) continue;
      placed_slots[slot] = true;
      placed.push_back({shingle.offset, number, 1});
    }
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const PlacedFeature& x, const PlacedFeature& y) { return x.offset < y.offset; });
  return placed;
}

}  // namespace nearkin
