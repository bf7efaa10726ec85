#include "sign/rabin.hpp"

namespace nearkin {
namespace {

// state · x^8 mod P, for the x^64-shifted state: the byte that leaves at the top comes back through the table.
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

}  // namespace

std::uint64_t fingerprint(std::string_view text) {
  return fold(kOne, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

Roller::Roller(std::size_t window) : window_(window), products_(window), enter_(kEnter) {
  // After a step the leading 1 stands one byte too high and the leaving byte is still in: take both out.
  std::uint64_t lead = kOne;
  for (std::size_t i = 0; i < window; ++i) lead = append(lead, 0);
  const std::uint64_t moved = append(lead, 0) ^ lead;
  // Linear in the byte: eight bits make all 256, so that windows of thousands of bytes are ready at once.
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

}  // namespace nearkin
