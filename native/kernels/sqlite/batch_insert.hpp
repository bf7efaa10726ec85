// A batch as it goes into a store that holds nothing but what this scan has put there: which rows have a content or a
// text that is new, and the ids of all.
//
// Rows that Python has to look at are set apart first: files that could not be read, that are in another encoding, or
// that may be of a format of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ingest.hpp"

namespace nearkin {

bool is_plain(const Ingested& row, bool raw);

// Those that are not, in order.
std::vector<std::size_t> rows_apart(const Batch& batch, bool raw);

// Texts that are compressed and stored, of the rows that are plain and no copies. Where each begins that has letters in
// it, and its length: two numbers each.
std::vector<std::uint64_t> text_places(const Batch& batch, bool raw);

// The same texts compressed, by row. `packed` are those of text_places; `empty` is one without letters. Rows that have
// no text of their own get a view of nothing, whose data is null. Throws where there are more or fewer.
std::vector<std::string_view> packed_by_row(const Batch& batch, bool raw, std::span<const std::string_view> packed,
                                            std::string_view empty);

// Fills in `json` of a batch, once: what its pages say of themselves, as it is stored. `as_json` is asked where a page
// tells more than a title of ASCII; it appends JSON, or nothing.
void tell(Batch& batch, const std::function<void(std::string_view told, std::string& to)>& as_json);

// Each owner of a file in the batch, once.
std::vector<std::uint32_t> distinct_owners(const Batch& batch);

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
