// What the pages of a batch say of themselves, as the JSON that is stored.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ingest/ingest.hpp"

namespace nearkin {

// Fills in `json` of a batch, once. `as_json` is asked where a page tells more than a title of ASCII; it appends JSON, or
// nothing.
void tell(Batch& batch, const std::function<void(std::string_view told, std::string& to)>& as_json);

}  // namespace nearkin
