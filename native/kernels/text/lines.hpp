// Canonical text that keeps its lines: each line made canonical by itself, those of which nothing is left dropped, the
// rest joined by "\n". For schemes whose unit is the line; a line end is any of Unicode's (§5.8: LF, CR, CRLF, NEL, VT,
// FF, LS, PS).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

void canonical_lines(std::string_view utf8, unsigned ignored, std::string& out);

// Also where every byte came from, as canonical_map says; a line end from the one that ends its line.
void canonical_lines_map(std::string_view utf8, unsigned ignored, std::string& out, std::vector<std::uint64_t>& origin);

}  // namespace nearkin
