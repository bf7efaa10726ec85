// The module nearkin._native. Only the files of bindings know both Python and the kernels: they convert, release the
// GIL and raise.
#include "bindings/convert.hpp"

NB_MODULE(_native, m) {
  using namespace nearkin::bindings;
  nb::set_leak_warnings(false);  // a scheme that is alive when Python ends is not a leak
  m.attr("VERSION") = NEARKIN_VERSION;
  register_text(m);
  register_sign(m);
  register_ingest(m);
  register_join(m);
  register_verify(m);
  register_group(m);
  register_keep(m);
  register_index(m);
  register_sqlite(m);
}
