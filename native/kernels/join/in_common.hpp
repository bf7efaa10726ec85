// How many numbers two ascending lists of distinct 64-bit numbers have in common.
//
// A walk of one at a time waits for each step before it knows the next. Where there is AVX2, four of one list are compared
// with four of the other at once, and the four that end first are passed.
#pragma once

#include <cstdint>
#include <span>

namespace nearkin {

// 0 as soon as they can be no more than so few.
std::uint64_t in_common(std::span<const std::uint64_t> x, std::span<const std::uint64_t> y, std::uint64_t fewer_than);

}  // namespace nearkin
