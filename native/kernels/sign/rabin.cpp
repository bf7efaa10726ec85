#include "sign/rabin.hpp"

#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearkin {
namespace {

// Multiplies by x modulo P. Appending a byte to the x^64-shifted state does that eight times, by a table of the byte
// that leaves at the top.
constexpr std::uint64_t times_x(std::uint64_t value) { return (value << 1) ^ ((value >> 63) ? kPolynomial : 0); }

constexpr std::array<std::uint64_t, 256> make_enter() {
  std::array<std::uint64_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::uint64_t value = static_cast<std::uint64_t>(byte) << 56;
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
    table[byte] = value;
  }
  return table;
}

constexpr std::array<std::uint64_t, 256> kEnter = make_enter();

constexpr std::uint64_t append(std::uint64_t state, unsigned char byte) {
  return (state << 8) ^ kEnter[(state >> 56) ^ byte];
}

// The state of the lone leading 1 bit: 1 · x^64 mod P.
constexpr std::uint64_t kOne = kPolynomial;

std::uint64_t fold(std::uint64_t state, const unsigned char* data, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) state = append(state, data[i]);
  return state;
}

std::uint64_t big_endian(const unsigned char* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

}  // namespace

std::uint64_t fingerprint(std::string_view text) {
  return fold(kOne, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

Roller::Roller(std::size_t window) : window_(window), products_(window), enter_(kEnter) {
  // After a step the leading 1 stands one byte too high, and the leaving byte is still in: the table takes both out.
  std::uint64_t lead = kOne;
  for (std::size_t i = 0; i < window; ++i) lead = append(lead, 0);
  const std::uint64_t moved = append(lead, 0) ^ lead;
  // The table is linear in the byte, so eight bits give all 256 entries even for windows of thousands of bytes.
  std::array<std::uint64_t, 256> leaving{};
  for (unsigned bit = 1; bit < 256; bit *= 2) {
    std::uint64_t value = kEnter[bit];
    for (std::size_t i = 0; i < window; ++i) value = append(value, 0);
    for (unsigned below = 0; below < bit; ++below) leaving[bit + below] = leaving[below] ^ value;
  }
  for (unsigned byte = 0; byte < 256; ++byte) leave_[byte] = leaving[byte] ^ moved;
}

std::uint64_t Roller::first(const unsigned char* start) const {
  return products_.available() ? products_.first(start) : fold(kOne, start, window_);
}

RotatedRoller::RotatedRoller(const Roller& roller)
    : window_(roller.window()), lead_(fingerprint({})), products_(window_) {
  const std::uint64_t nothing = roller.step(0, 0, 0);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto b = static_cast<unsigned char>(byte);
    leave_[byte] = roller.step(0, b, 0);
    slice_[0][byte] = roller.step(0, 0, b) ^ nothing;
    enter_[byte] = slice_[0][byte] ^ byte;  // and removes the byte from the lowest place
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (unsigned byte = 0; byte < 256; ++byte) {
      const std::uint64_t before = slice_[k - 1][byte];
      slice_[k][byte] = (before << 8) ^ slice_[0][before >> 56];
    }
}

std::uint64_t RotatedRoller::first_by_tables(const unsigned char* start) const {
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

namespace {

// Divides x^128 by P and drops the leading 1 of the quotient.
std::uint64_t quotient() {
  std::uint64_t quotient = 0, rest = kPolynomial;  // rest is that of x^128 - x^64 · P
  for (int bit = 63; bit >= 0; --bit) {
    quotient |= (rest >> 63) << bit;
    rest = times_x(rest);
  }
  return quotient;
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

// The words of the window times their powers of x add up to 128 bits. The upper half, times x^64, is reduced by
// Barrett's method: its quotient by P is itself times x^128 / P, of which the upper half counts.
__attribute__((target("pclmul,sse4.1"))) std::uint64_t WindowProducts::first(const unsigned char* start) const {
  const auto word = [](std::uint64_t value) { return _mm_cvtsi64_si128(static_cast<long long>(value)); };
  __m128i sum = word(lead_after_);
  if (const std::size_t over = window_ % 8; over != 0) {  // the first bytes, before the whole words
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
