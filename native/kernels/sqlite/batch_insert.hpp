// Inserting a batch into a store that holds nothing but what this scan has put there: which rows have a new content or
// a new text, and the ids of all.
//
// Rows that Python must process are set apart first: files that could not be read, that are in another encoding, or
// that may be of a format of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ingest.hpp"

namespace nearkin {

// Tells whether a row needs nothing of Python.
bool is_plain(const BatchRow& row, bool raw);

// Returns the rows that Python must process, in order.
std::vector<std::size_t> rows_for_python(const Batch& batch, bool raw);

// Returns the places of the texts that are compressed and stored: those of plain rows that are no copies and have
// letters. Each is two numbers, its start and its length.
std::vector<std::uint64_t> text_places(const Batch& batch, bool raw);

// Returns the compressed texts by row. `packed` are those of text_places; `empty` is a compressed empty text. Rows
// without a text of their own get a view whose data is null. Throws if there are more or fewer.
std::vector<std::string_view> packed_by_row(const Batch& batch, bool raw, std::span<const std::string_view> packed,
                                            std::string_view empty);

// Returns the properties of those pages that Python has to read (json.hpp), in order; none once the JSON is there.
std::vector<std::string_view> properties_for_python(const Batch& batch);

// Fills in `json` of a batch, once: the properties of its pages as they are stored. `from_python` has the JSON, or an
// empty text, of each of properties_for_python. Throws if there are fewer.
void fill_property_json(Batch& batch, std::span<const std::string> from_python);

// Returns the owners of the files in a batch, each once.
std::vector<std::uint32_t> distinct_owners(const Batch& batch);

// Rows of a batch.
using Rows = std::vector<std::uint32_t>;

struct AssignedIds {
  Rows documents, contents, texts;                // plain rows; those with a new content; those with a new text
  std::vector<std::int64_t> content_of, text_of;  // by row of the batch: their ids; 0: it has none
};

// Assigns ids to the plain rows. `extractors` are their numbers, by kind. New ids follow the given ones.
AssignedIds assign_ids(const Batch& batch, bool raw, std::span<const std::uint32_t> extractors, ContentIds& contents,
                       TextIds& texts, std::int64_t next_content, std::int64_t next_text);

}  // namespace nearkin
