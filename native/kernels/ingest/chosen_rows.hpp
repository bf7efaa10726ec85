// Some rows of a batch as a batch of their own.
#pragma once

#include <cstddef>
#include <span>

#include "ingest/ingest.hpp"

namespace nearkin {

// In their order. What was taken from the batch already, texts for one, its rows do not have here either.
Batch chosen_rows(const Batch& batch, std::span<const std::size_t> rows);

// Bytes of canonical text that its batch holds.
inline std::uint64_t held_bytes(const Ingested& row) { return row.copy ? 0 : row.length; }

}  // namespace nearkin
