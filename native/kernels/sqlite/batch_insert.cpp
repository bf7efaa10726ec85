#include "sqlite/batch_insert.hpp"

#include <algorithm>
#include <stdexcept>

#include "text/json.hpp"

namespace nearkin {
namespace {

bool has_own_text(const BatchRow& row, bool raw) { return is_plain(row, raw) && !row.copy && row.has_content(); }

std::uint64_t text_start(const Batch& batch, std::size_t i) { return i == 0 ? 0 : batch.text_ends[i - 1]; }

std::string_view properties_of(const Batch& batch, std::size_t i) {
  const std::uint64_t start = i == 0 ? 0 : batch.property_ends[i - 1];
  return std::string_view(batch.properties).substr(start, batch.property_ends[i] - start);
}

bool has_letters(const Batch& batch, std::size_t i) { return batch.text_ends[i] > text_start(batch, i); }

}  // namespace

bool is_plain(const BatchRow& row, bool raw) {
  return row.error == 0 && row.hint == FormatHint::none && (raw || row.kind != Kind::other);
}

std::vector<std::size_t> rows_for_python(const Batch& batch, bool raw) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < batch.rows.size(); ++i)
    if (!is_plain(batch.rows[i], raw)) rows.push_back(i);
  return rows;
}

std::vector<std::uint64_t> text_places(const Batch& batch, bool raw) {
  std::vector<std::uint64_t> places;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    if (!has_own_text(batch.rows[i], raw) || !has_letters(batch, i)) continue;
    const std::uint64_t start = text_start(batch, i);
    places.insert(places.end(), {start, batch.text_ends[i] - start});
  }
  return places;
}

std::vector<std::string_view> packed_by_row(const Batch& batch, bool raw, std::span<const std::string_view> packed,
                                            std::string_view empty) {
  std::vector<std::string_view> by_row(batch.rows.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    if (!has_own_text(batch.rows[i], raw)) continue;
    const bool letters = has_letters(batch, i);
    if (letters && next == packed.size()) throw std::invalid_argument("a packed text for each");
    by_row[i] = letters ? packed[next++] : empty;
  }
  if (next != packed.size()) throw std::invalid_argument("a packed text for each");
  return by_row;
}

std::vector<std::string_view> properties_for_python(const Batch& batch) {
  std::vector<std::string_view> pages;
  if (batch.json_ends.size() == batch.rows.size()) return pages;
  for (std::size_t i = 0; i < batch.property_ends.size(); ++i)
    if (const std::string_view properties = properties_of(batch, i); needs_python(properties))
      pages.push_back(properties);
  return pages;
}

void fill_property_json(Batch& batch, std::span<const std::string> from_python) {
  if (batch.json_ends.size() == batch.rows.size()) return;
  std::size_t next = 0;
  for (std::size_t i = 0; i < batch.property_ends.size(); ++i) {
    const std::string_view properties = properties_of(batch, i);
    if (!needs_python(properties)) append_property_json(properties, batch.json);
    else if (next < from_python.size()) batch.json += from_python[next++];
    else throw std::invalid_argument("a text of JSON for each page that Python reads");
    batch.json_ends.push_back(batch.json.size());
  }
}

std::vector<std::uint32_t> distinct_owners(const Batch& batch) {
  std::vector<std::uint32_t> owners;
  for (const auto& row : batch.rows)
    if (std::find(owners.begin(), owners.end(), row.owner) == owners.end()) owners.push_back(row.owner);
  return owners;
}

AssignedIds assign_ids(const Batch& batch, bool raw, std::span<const std::uint32_t> extractors, ContentIds& contents,
                       TextIds& texts, std::int64_t next_content, std::int64_t next_text) {
  AssignedIds assigned;
  assigned.content_of.resize(batch.rows.size());
  assigned.text_of.resize(batch.rows.size());
  for (std::uint32_t i = 0; i < batch.rows.size(); ++i) {
    const BatchRow& row = batch.rows[i];
    if (!is_plain(row, raw)) continue;
    assigned.documents.push_back(i);
    if (!row.has_content()) continue;  // the file has bytes but no text
    const auto [content, has_new_content] = contents.emplace(row.content_digest, next_content);
    if (has_new_content) {
      assigned.contents.push_back(i);
      ++next_content;
    }
    const TextIds::Key key{row.digest, extractors[static_cast<std::size_t>(row.kind)], *content};
    const auto [text, has_new_text] = texts.ids.emplace(key, next_text);
    if (has_new_text) {
      if (row.copy) throw std::logic_error("a copy is stored after what it is a copy of");
      assigned.texts.push_back(i);
      ++next_text;
    }
    assigned.content_of[i] = *content;
    assigned.text_of[i] = *text;
  }
  return assigned;
}

}  // namespace nearkin
