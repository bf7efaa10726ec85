// SHA-256 (FIPS 180-4): the name of bytes and of contents. What `sha256sum` prints, so that anybody can check it.
//
// Where the processor has instructions for it they are used: 1.55 GB/s, where BLAKE2b in plain C++ did 0.75 GB/s and
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

// The same of many, two at a time (docs/decisions/004-digests.md): where the processor helps, in little more than half the
// time.
std::vector<Digest> sha256_all(std::span<const std::string_view> data);

// The same without the processor's help, for machines that have none and to test one against the other.
Digest sha256_portable(std::string_view data);
std::vector<Digest> sha256_all_portable(std::span<const std::string_view> data);

}  // namespace nearkin
