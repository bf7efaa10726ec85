#include "ingest/chosen_rows.hpp"

#include <string>
#include <vector>

namespace nearkin {
namespace {

// Piece i is [ends[i-1], ends[i]). Nothing where the pieces are gone.
template <class Values>
void append_piece(Values& to, const Values& from, const std::vector<std::uint64_t>& ends, std::size_t i) {
  if (from.empty()) return;
  const std::uint64_t start = i == 0 ? 0 : ends[i - 1];
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(start), from.begin() + static_cast<std::ptrdiff_t>(ends[i]));
}

}  // namespace

Batch chosen_rows(const Batch& batch, std::span<const std::size_t> rows) {
  Batch some;
  std::size_t next = 0;
  std::uint64_t canonical = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const std::uint64_t length = held_bytes(batch.rows[i]);
    if (next < rows.size() && rows[next] == i) {
      ++next;
      some.rows.push_back(batch.rows[i]);
      if (!batch.canonical.empty()) some.canonical.append(batch.canonical, canonical, length);
      append_piece(some.texts, batch.texts, batch.text_ends, i);
      append_piece(some.properties, batch.properties, batch.property_ends, i);
      append_piece(some.json, batch.json, batch.json_ends, i);
      append_piece(some.features, batch.features, batch.feature_ends, i);
      append_piece(some.weights, batch.weights, batch.feature_ends, i);
      some.text_ends.push_back(some.texts.size());
      some.property_ends.push_back(some.properties.size());
      if (!batch.json_ends.empty()) some.json_ends.push_back(some.json.size());
      some.feature_ends.push_back(some.features.size());
    }
    canonical += length;
  }
  return some;
}

}  // namespace nearkin
