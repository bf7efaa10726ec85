#include "verify/long_pair.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "join/in_common.hpp"
#include "base/sort.hpp"

namespace nearkin {
namespace {

void list_slice(const Shingler& shingler, std::string_view text, std::span<const std::uint64_t> ignored,
                std::uint64_t slice, std::uint64_t slices, std::vector<std::uint64_t>& out) {
  __extension__ using wide = unsigned __int128;
  out.clear();
  out.reserve(text.size() / slices + text.size() / slices / 16 + 64);
  roll(shingler.roller(), text, [&](std::size_t, std::uint64_t f) {
    if (static_cast<std::uint64_t>(static_cast<wide>(f) * slices >> 64) == slice) out.push_back(f);
  });
  // Their upper bits are alike. Times the slices, cut to 64 bits, they are uniform again and in the same order.
  sort_by_feature(out.data(), out.size(), [=](std::uint64_t f) { return f * slices; }, std::less<>());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (!ignored.empty())
    std::erase_if(out, [&](std::uint64_t f) { return std::binary_search(ignored.begin(), ignored.end(), f); });
}

}  // namespace

Measure measure_long(std::string_view a, std::string_view b, const Shingler& shingler,
                     std::span<const std::uint64_t> ignored, std::uint64_t slices) {
  Measure found{0, 0, 0, 0};
  std::vector<std::uint64_t> of_a, of_b;
  for (std::uint64_t slice = 0; slice < slices; ++slice) {
    list_slice(shingler, a, ignored, slice, slices, of_a);
    list_slice(shingler, b, ignored, slice, slices, of_b);
    found.size_a += of_a.size();
    found.size_b += of_b.size();
    found.shared += in_common(of_a, of_b, 0);
  }
  if (found.shared > 0)
    found.bytes = std::min<std::uint64_t>(found.shared + shingler.window() - 1, std::min(a.size(), b.size()));
  return found;
}

}  // namespace nearkin
