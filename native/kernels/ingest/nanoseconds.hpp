// A moment as the store holds it.
#pragma once

#include <cstdint>
#include <ctime>

namespace nearkin {

inline std::int64_t nanoseconds(const timespec& moment) { return moment.tv_sec * 1'000'000'000LL + moment.tv_nsec; }

}  // namespace nearkin
