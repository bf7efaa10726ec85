// A batch as it goes into a store that holds nothing but what this scan has put there: which rows have a content or a text
// that is new, and the ids of all.
//
// Rows that Python has to look at are set apart first: files that could not be read, that are in another encoding, or that
// may be of a format of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingest.hpp"
#include "stored_ids.hpp"

namespace nearkin {

bool is_plain(const Ingested& row, bool raw);

// Those that are not, in order.
std::vector<std::size_t> rows_apart(const Batch& batch, bool raw);

// Rows of a batch.
using Rows = std::vector<std::uint32_t>;

struct Filed {
  Rows documents, contents, texts;              // those that are plain; whose content, or text, is new
  std::vector<std::int64_t> content_of, text_of;  // by row of the batch, their ids; 0: it has none
};

// `extractors` are their numbers, by kind. New ids follow the given ones.
Filed file_away(const Batch& batch, bool raw, std::span<const std::uint32_t> extractors, ContentIds& contents, TextIds& texts,
                std::int64_t next_content, std::int64_t next_text);

}  // namespace nearkin
