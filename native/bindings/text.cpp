// What bytes are, and what they say: telling kinds, pages and JSON.
#include "bindings/convert.hpp"
#include "text/encoding.hpp"
#include "text/html.hpp"
#include "text/json.hpp"
#include "text/sniff.hpp"

namespace nearkin::bindings {
namespace {

nb::bytes py_visible_text(const nb::bytes& html, bool xml) {
  std::string text;
  {
    const nb::gil_scoped_release free;
    visible_text(view(html), text, nullptr, xml);
  }
  return to_bytes(text);
}

nb::tuple py_page(const nb::bytes& html) {
  std::string text, properties;
  {
    const nb::gil_scoped_release free;
    visible_text(view(html), text, &properties);
  }
  return nb::make_tuple(to_bytes(text), to_bytes(properties));
}

nb::bytes py_unescaped_json(const nb::bytes& text) {
  std::string out;
  bool is_json = false;
  {
    const nb::gil_scoped_release free;
    is_json = unescaped_json(view(text), out);
  }
  return is_json ? to_bytes(out) : text;
}

}  // namespace

void register_text(nb::module_& m) {
  m.attr("EMPTY") = static_cast<int>(Kind::empty);
  m.attr("TEXT") = static_cast<int>(Kind::text);
  m.attr("HTML") = static_cast<int>(Kind::html);
  m.attr("BINARY") = static_cast<int>(Kind::binary);
  m.attr("UNREAD") = static_cast<int>(Kind::unread);
  m.attr("OTHER") = static_cast<int>(Kind::other);
  m.def("sniff", [](const nb::bytes& data, bool named_html) { return static_cast<int>(sniff(view(data), named_html)); },
        "data"_a, "named_html"_a);
  m.def("is_named_html", [](const nb::bytes& path) { return is_named_html(view(path)); }, "path"_a);
  m.def("is_html", [](const nb::bytes& text, bool named_html) { return is_html(view(text), named_html); }, "text"_a,
        "named_html"_a);
  m.def("wide_without_mark", [](const nb::bytes& data) { return static_cast<int>(wide_without_mark(view(data))); },
        "data"_a);
  m.def("visible_text", py_visible_text, "html"_a, nb::kw_only(), "xml"_a = false);
  m.def("page", py_page, "html"_a);
  m.def("unescaped_json", py_unescaped_json, "text"_a);
}

}  // namespace nearkin::bindings
