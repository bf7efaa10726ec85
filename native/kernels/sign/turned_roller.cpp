#include "sign/turned_roller.hpp"

#include <cstring>

namespace nearkin {
namespace {

std::uint64_t big_endian(const unsigned char* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

}  // namespace

TurnedRoller::TurnedRoller(const Roller& roller) : window_(roller.window()), lead_(fingerprint({})), products_(window_) {
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

}  // namespace nearkin
