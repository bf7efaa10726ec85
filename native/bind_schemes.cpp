// Schemes as Python sees them. It converts, releases the GIL and raises; nothing else.
#include "convert.hpp"
#include "signature.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

nb::tuple py_sign(const Scheme& scheme, const nb::bytes& text) {
  Signature signature;
  {
    const nb::gil_scoped_release free;
    sign(scheme, view(text), signature);
  }
  return nb::make_tuple(array(std::move(signature.features)), array(std::move(signature.weights)), signature.modulus);
}

nb::tuple py_place(const Scheme& scheme, const nb::bytes& text) {
  std::vector<Placed> placed;
  {
    const nb::gil_scoped_release free;
    placed = place(scheme, view(text));
  }
  return nb::make_tuple(column<std::uint64_t>(placed, [](const Placed& p) { return p.offset; }),
                        column<std::uint64_t>(placed, [](const Placed& p) { return p.feature; }),
                        column<std::uint32_t>(placed, [](const Placed& p) { return p.weight; }));
}

Scheme py_fuzzy(const std::vector<int>& classes, std::vector<std::uint64_t> reference,
                std::vector<Fuzzy::Borders> borders) {
  for (const auto& variant : borders)
    if (variant.size() != reference.size()) throw nb::value_error("every class has borders");
  Fuzzy scheme{{}, std::move(reference), std::move(borders)};
  if (classes.size() != scheme.class_of.size()) throw nb::value_error("there are 26 letters");
  for (std::size_t letter = 0; letter < classes.size(); ++letter) {
    if (classes[letter] >= static_cast<int>(scheme.reference.size())) throw nb::value_error("a letter of no class");
    scheme.class_of[letter] = classes[letter];
  }
  return scheme;
}

}  // namespace

void register_schemes(nb::module_& m) {
  nb::class_<Scheme>(m, "Scheme");
  m.def("shingles", [](std::size_t window, std::uint64_t modulus, std::uint64_t sample, std::uint64_t most) {
    return Scheme(Shingles(window, modulus, sample, most));
  }, nb::kw_only(), "window"_a, "modulus"_a, "sample"_a, "most"_a);
  m.def("tttd", [](std::size_t window, std::uint64_t min, std::uint64_t max, std::uint64_t divisor, std::uint64_t backup) {
    return Scheme(Tttd(window, min, max, divisor, backup));
  }, nb::kw_only(), "window"_a, "min"_a, "max"_a, "divisor"_a, "backup"_a);
  m.def("fuzzy", py_fuzzy, nb::kw_only(), "classes"_a, "reference"_a, "borders"_a);
  m.def("sign", py_sign, "scheme"_a, "text"_a);
  m.def("place", py_place, "scheme"_a, "text"_a);
}

}  // namespace nearkin::bindings
