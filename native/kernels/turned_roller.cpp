#include "turned_roller.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearkin {
namespace {

std::uint64_t big_endian(const unsigned char* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

bool has_carryless_product() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#else
  return false;
#endif
}

// x^128 / P without its leading 1, by long division.
std::uint64_t quotient() {
  std::uint64_t found = 0, rest = kPolynomial;  // of x^128 - x^64 · P
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t one = rest >> 63;
    found |= one << bit;
    rest = (rest << 1) ^ (one ? kPolynomial : 0);
  }
  return found;
}

}  // namespace

TurnedRoller::TurnedRoller(const Roller& roller) : window_(roller.window()), lead_(fingerprint({})) {
  const std::uint64_t nothing = roller.step(0, 0, 0);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto b = static_cast<unsigned char>(byte);
    leave_[byte] = roller.step(0, b, 0);
    slice_[0][byte] = roller.step(0, 0, b) ^ nothing;
    enter_[byte] = slice_[0][byte] ^ byte;  // and takes the byte out of the lowest place
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (unsigned byte = 0; byte < 256; ++byte) {
      const std::uint64_t before = slice_[k - 1][byte];
      slice_[k][byte] = (before << 8) ^ slice_[0][before >> 56];
    }
  carryless_ = window_ >= 8 && window_ <= 8 * kWords && has_carryless_product();
  if (!carryless_) return;
  // The lead alone, one byte later after another, is every power of x^8 that is needed.
  std::uint64_t power = lead_;
  for (std::size_t i = 0; i <= window_; ++i) {
    if (i % 8 == 0 && i < window_) power_[i / 8] = power;
    if (i == window_) lead_after_ = power;
    power = (power << 8) ^ slice_[0][power >> 56];
  }
  quotient_ = quotient();
}

std::uint64_t TurnedRoller::first_by_tables(const unsigned char* start) const {
  std::uint64_t state = lead_;
  std::size_t left = window_;
  for (; left >= 8; left -= 8, start += 8) {
    const std::uint64_t mixed = state ^ big_endian(start);
    state = 0;
    for (int k = 0; k < 8; ++k) state ^= slice_[k][(mixed >> (8 * k)) & 0xff];
  }
  for (; left > 0; --left, ++start) state = (state << 8) ^ slice_[0][(state >> 56) ^ *start];
  return state;
}

#if defined(__x86_64__)

// Words times their powers of x, added up, are 128 bits. Their upper half times x^64 is reduced as Barrett does: its
// quotient by P is itself times x^128 / P, of which the upper half counts.
__attribute__((target("pclmul,sse4.1"))) std::uint64_t TurnedRoller::first_by_products(const unsigned char* start) const {
  const auto word = [](std::uint64_t value) { return _mm_cvtsi64_si128(static_cast<long long>(value)); };
  __m128i sum = word(lead_after_);
  if (const std::size_t over = window_ % 8; over != 0) {  // the first bytes, up to a whole word
    const std::uint64_t value = big_endian(start) >> (64 - 8 * over);
    sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(word(value), word(power_[window_ / 8]), 0x00));
    start += over;
  }
  for (std::size_t i = window_ / 8; i-- > 0; start += 8)
    sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(word(big_endian(start)), word(power_[i]), 0x00));
  const __m128i high = _mm_srli_si128(sum, 8);
  const __m128i times = _mm_xor_si128(high, _mm_srli_si128(_mm_clmulepi64_si128(high, word(quotient_), 0x00), 8));
  const __m128i rest = _mm_xor_si128(sum, _mm_clmulepi64_si128(times, word(kPolynomial), 0x00));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(rest));
}

#else

std::uint64_t TurnedRoller::first_by_products(const unsigned char* start) const { return first_by_tables(start); }

#endif

}  // namespace nearkin
