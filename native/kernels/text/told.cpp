#include "text/told.hpp"

#include "text/title_json.hpp"

namespace nearkin {

void tell(Batch& batch, const std::function<void(std::string_view told, std::string& to)>& as_json) {
  if (batch.json_ends.size() == batch.rows.size()) return;
  std::uint64_t start = 0;
  for (const auto end : batch.property_ends) {
    const std::string_view told = std::string_view(batch.properties).substr(start, end - start);
    if (!told.empty() && !title_as_json(told, batch.json)) as_json(told, batch.json);
    batch.json_ends.push_back(batch.json.size());
    start = end;
  }
}

}  // namespace nearkin
