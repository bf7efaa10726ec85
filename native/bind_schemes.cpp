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

}  // namespace

void register_schemes(nb::module_& m) {
  nb::class_<Scheme>(m, "Scheme");
  m.def("shingles", [](std::size_t window, std::uint64_t modulus, std::uint64_t sample, std::uint64_t most) {
    return Scheme(Shingles(window, modulus, sample, most));
  }, nb::kw_only(), "window"_a, "modulus"_a, "sample"_a, "most"_a);
  m.def("tttd", [](std::size_t window, std::uint64_t min, std::uint64_t max, std::uint64_t divisor, std::uint64_t backup,
                   std::uint64_t residue, std::uint64_t seed, unsigned bits) {
    return Scheme(Tttd(window, min, max, divisor, backup, residue, seed, bits));
  }, nb::kw_only(), "window"_a, "min"_a, "max"_a, "divisor"_a, "backup"_a, "residue"_a, "seed"_a, "bits"_a);
  m.def("sign", py_sign, "scheme"_a, "text"_a);
  m.def("place", py_place, "scheme"_a, "text"_a);
}

}  // namespace nearkin::bindings
