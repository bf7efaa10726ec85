// The only file that knows both Python and the kernels. It converts, releases the GIL and raises; nothing else.
#include <nanobind/nanobind.h>

#include "rabin.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::string_view view(const nb::bytes& data) { return {data.c_str(), data.size()}; }

}  // namespace

NB_MODULE(_native, m) {
  m.attr("POLYNOMIAL") = nearkin::kPolynomial;
  m.def("fingerprint", [](const nb::bytes& text) { return nearkin::fingerprint(view(text)); }, "text"_a);
}
