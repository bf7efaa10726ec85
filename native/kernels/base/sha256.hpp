// SHA-256 (FIPS 180-4) names bytes and contents: it is what `sha256sum` prints, so that anybody can check it.
//
// The processor's own instructions are used where it has them: 1.55 GB/s, where BLAKE2b in plain C++ did 0.75 GB/s and
// was a third of a scan's reading (docs/decisions/004-digests.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nearkin {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::string_view data);

// Digests many messages, two at a time: with the processor's instructions in little more than half the time
// (docs/decisions/004-digests.md).
std::vector<Digest> sha256_all(std::span<const std::string_view> data);

// The same in portable C++, for processors without the instructions and for tests of one against the other.
Digest sha256_portable(std::string_view data);
std::vector<Digest> sha256_all_portable(std::span<const std::string_view> data);

}  // namespace nearkin
