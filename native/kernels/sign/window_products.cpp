#include "sign/window_products.hpp"

#include <cstring>

#include "sign/rabin.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearkin {

#if defined(__x86_64__)

namespace {

std::uint64_t big_endian(const unsigned char* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return __builtin_bswap64(value);
}

std::uint64_t times_x(std::uint64_t value) { return (value << 1) ^ (value >> 63 ? kPolynomial : 0); }

// x^128 / P without its leading 1, by long division.
std::uint64_t quotient() {
  std::uint64_t found = 0, rest = kPolynomial;  // of x^128 - x^64 · P
  for (int bit = 63; bit >= 0; --bit) {
    found |= (rest >> 63) << bit;
    rest = times_x(rest);
  }
  return found;
}

}  // namespace

WindowProducts::WindowProducts(std::size_t window)
    : window_(window),
      available_(window >= 8 && window <= 8 * kWords && __builtin_cpu_supports("pclmul") &&
                 __builtin_cpu_supports("sse4.1")) {
  if (!available_) return;
  std::uint64_t power = kPolynomial;  // x^64
  for (std::size_t i = 0; i <= window_; ++i) {
    if (i % 8 == 0 && i < window_) power_[i / 8] = power;
    if (i == window_) lead_after_ = power;
    for (int bit = 0; bit < 8; ++bit) power = times_x(power);
  }
  quotient_ = quotient();
}

// Words times their powers of x, added up, are 128 bits. Their upper half times x^64 is reduced as Barrett does: its
// quotient by P is itself times x^128 / P, of which the upper half counts.
__attribute__((target("pclmul,sse4.1"))) std::uint64_t WindowProducts::first(const unsigned char* start) const {
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

WindowProducts::WindowProducts(std::size_t window) : window_(window) {}

std::uint64_t WindowProducts::first(const unsigned char*) const { return 0; }

#endif

}  // namespace nearkin
