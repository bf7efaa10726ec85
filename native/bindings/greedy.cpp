// Greedy clustering as Python sees it. It converts, releases the GIL and raises; nothing else.
#include "bindings/convert.hpp"
#include "group/greedy.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

void check(const Signatures& s, std::span<const std::uint32_t> order, int agreement) {
  const std::size_t rows = s.rows();
  bool fits = s.offsets.size() == rows + 1 && order.size() == rows && s.offsets[rows] == s.features.size() &&
              (s.weights.empty() || s.weights.size() == s.features.size());
  for (std::size_t row = 0; fits && row < rows; ++row)
    fits = s.offsets[row] <= s.offsets[row + 1] && order[row] < rows && s.moduli[row] > 0;
  if (!fits) throw nb::value_error("offsets, features, weights, moduli and order do not fit together");
  if (agreement < 0 || agreement > static_cast<int>(Agreement::kSlots)) throw nb::value_error("no such agreement");
}

nb::tuple py_greedy(const Array<std::uint64_t>& offsets, const Array<std::uint64_t>& features,
                    const Array<std::uint32_t>& weights, const Array<std::uint64_t>& moduli,
                    const Array<std::uint32_t>& order, double threshold, int agreement, std::uint64_t most, bool popular) {
  const Signatures signatures{span(offsets), span(features), span(weights), span(moduli)};
  check(signatures, span(order), agreement);
  const GreedyOptions options{threshold, static_cast<Agreement>(agreement), most, popular};
  Greedy found;
  {
    const nb::gil_scoped_release free;
    found = greedy(signatures, span(order), options);
  }
  return nb::make_tuple(array(std::move(found.founder)), array(std::move(found.nearness)));
}

}  // namespace

void register_greedy(nb::module_& m) {
  m.attr("OVERLAP") = static_cast<int>(Agreement::kOverlap);
  m.attr("SMALLEST") = static_cast<int>(Agreement::kSmallest);
  m.attr("SLOTS") = static_cast<int>(Agreement::kSlots);
  m.def("greedy", py_greedy, "offsets"_a, "features"_a, "weights"_a, "moduli"_a, "order"_a, nb::kw_only(),
        "threshold"_a, "agreement"_a, "most"_a, "popular"_a);
}

}  // namespace nearkin::bindings
