#include "long_pair.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "radix.hpp"

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

std::uint64_t in_both(std::span<const std::uint64_t> x, std::span<const std::uint64_t> y) {
  std::uint64_t shared = 0;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    const std::uint64_t f = x[i], g = y[j];
    shared += f == g;
    i += f <= g;
    j += g <= f;
  }
  return shared;
}

// As `verify` gives pairs up, where one is far longer than the other.
bool is_given_up(const Measure& found, const Bounds& bounds) {
  const std::uint64_t shorter = std::min(found.size_a, found.size_b), longer = std::max(found.size_a, found.size_b);
  if (longer < 8 * shorter) return false;
  const auto small = static_cast<double>(shorter), large = static_cast<double>(longer);
  const double least = std::min(bounds.containment * small, bounds.resemblance * large);
  return shorter - found.shared > static_cast<std::uint64_t>(std::max(0.0, small - least) + 1.0);
}

}  // namespace

Measure measure_long(std::string_view a, std::string_view b, const Shingler& shingler, const Bounds& bounds,
                     std::span<const std::uint64_t> ignored, std::uint64_t slices) {
  Measure found{0, 0, 0, 0};
  std::vector<std::uint64_t> of_a, of_b;
  for (std::uint64_t slice = 0; slice < slices; ++slice) {
    list_slice(shingler, a, ignored, slice, slices, of_a);
    list_slice(shingler, b, ignored, slice, slices, of_b);
    found.size_a += of_a.size();
    found.size_b += of_b.size();
    found.shared += in_both(of_a, of_b);
  }
  if (is_given_up(found, bounds)) found.shared = 0;
  if (found.shared > 0)
    found.bytes = std::min<std::uint64_t>(found.shared + shingler.window() - 1, std::min(a.size(), b.size()));
  return found;
}

}  // namespace nearkin
