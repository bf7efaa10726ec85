// Texts in memory, signed and held without Python, as Python sees them. It converts, releases the GIL and raises; nothing
// else.
#include <algorithm>
#include <cstring>

#include "bindings/convert.hpp"
#include "bindings/held_texts.hpp"
#include "ingest/ingest.hpp"
#include "ingest/text_contents.hpp"
#include "text/encoding.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

// Nearly all strings are ASCII, and lie there as UTF-8 already.
std::string_view bytes_of(nb::handle text) {
  if (PyBytes_Check(text.ptr())) return {PyBytes_AS_STRING(text.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(text.ptr()))};
  if (PyUnicode_Check(text.ptr()) && PyUnicode_IS_COMPACT_ASCII(text.ptr()))
    return {static_cast<const char*>(PyUnicode_DATA(text.ptr())), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.ptr()))};
  throw nb::type_error("a text is bytes or a str of ASCII");
}

Batch py_ingest_contents(const std::vector<nb::object>& texts, const Recipe& recipe) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (const auto& text : texts) views.push_back(bytes_of(text));
  const nb::gil_scoped_release free;
  return ingest_contents(views, recipe);
}

Batch py_ingest_column(const Array<std::int64_t>& offsets, const Array<std::uint8_t>& data, const Recipe& recipe) {
  const std::string_view all(reinterpret_cast<const char*>(data.data()), data.size());
  const auto at = [&](std::size_t place) { return static_cast<std::size_t>(offsets.data()[place]); };
  if (offsets.size() == 0 || offsets.data()[0] < 0) throw nb::index_error("a text begins nowhere");
  std::vector<std::string_view> views;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (at(i) < at(i - 1) || at(i) > all.size()) throw nb::index_error("a text ends nowhere");
    views.push_back(all.substr(at(i - 1), at(i) - at(i - 1)));
  }
  const nb::gil_scoped_release free;
  for (const auto text : views)
    if (!valid_utf8(text)) throw nb::value_error("a text is not UTF-8");
  return ingest_contents(views, recipe);
}

void py_add(TextContents& self, Batch& batch) {
  const nb::gil_scoped_release free;
  self.add(std::exchange(batch, {}));
}

void py_put_in_order(TextContents& self, bool weighted) {
  const nb::gil_scoped_release free;
  self.put_in_order(weighted);
}

// Lent, not copied: the contents live as long as the array.
template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> lent(nb::handle owner, std::span<const T> values) {
  return {values.data(), {values.size()}, owner};
}

bool py_put_in_order_of(TextContents& self, const std::vector<nb::bytes>& digests) {
  std::vector<Digest> wanted(digests.size());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    if (digests[i].size() != wanted[i].size()) throw nb::value_error("a digest has 32 bytes");
    std::memcpy(wanted[i].data(), digests[i].c_str(), wanted[i].size());
  }
  const nb::gil_scoped_release free;
  return self.put_in_order_of(wanted);
}

HeldFeatures py_features_of(nb::handle owner, const Array<std::int64_t>& rows) {
  auto& self = nb::cast<TextContents&>(owner);
  const auto count = static_cast<std::int64_t>(self.moduli().size());
  for (const auto row : span(rows))
    if (row < -1 || row >= count) throw nb::index_error("a row names no content");
  return {nb::borrow(owner), self.features_of(span(rows))};
}

NumPy<std::int64_t> py_lengths(const TextContents& self) {
  std::vector<std::int64_t> lengths;
  for (const auto text : self.texts()) lengths.push_back(static_cast<std::int64_t>(text.size()));
  return array(std::move(lengths));
}

HeldTexts py_texts(nb::handle owner, const std::vector<std::uint32_t>& rows) {
  const auto all = nb::cast<const TextContents&>(owner).texts();
  HeldTexts some{nb::borrow(owner), {}};
  for (const auto row : rows) {
    if (row >= all.size()) throw nb::index_error("a row names no content");
    some.views.push_back(all[row]);
  }
  return some;
}

}  // namespace

void register_contents(nb::module_& m) {
  m.def("ingest_contents", py_ingest_contents, "texts"_a, "recipe"_a);
  m.def("ingest_column", py_ingest_column, "offsets"_a, "data"_a, "recipe"_a);
  nb::class_<HeldTexts>(m, "HeldTexts")
      .def("__len__", [](const HeldTexts& self) { return self.views.size(); })
      .def_prop_ro("complete",
                   [](const HeldTexts& self) { return std::ranges::none_of(self.views, &std::string_view::empty); })
      .def("__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); })
      .def("__getitem__", [](const HeldTexts& self, std::size_t at) {
        if (at >= self.views.size()) throw nb::index_error("there are no more texts");
        return to_bytes(self.views[at]);
      });
  nb::class_<HeldFeatures>(m, "HeldFeatures")
      .def("__len__", [](const HeldFeatures& self) { return self.views.size(); })
      .def("__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); })
      .def("__getitem__", [](const HeldFeatures& self, std::size_t at) {
        if (at >= self.views.size()) throw nb::index_error("there are no more contents");
        return lent(self.owner, self.views[at]);
      }, nb::rv_policy::automatic)
      .def("joined", [](const HeldFeatures& self) {
        std::vector<std::uint64_t> all;
        std::size_t size = 0;
        for (const auto one : self.views) size += one.size();
        all.reserve(size);
        for (const auto one : self.views) all.insert(all.end(), one.begin(), one.end());
        return array(std::move(all));
      });
  m.attr("NOTHING") = TextContents::kNothing;
  const auto lends = [](auto get) {
    return [get](nb::handle self) { return lent(self, get(nb::cast<TextContents&>(self))); };
  };
  constexpr auto as_it_is = nb::rv_policy::automatic;
  nb::class_<TextContents>(m, "TextContents")
      .def(nb::init<std::uint64_t, std::uint64_t>(), nb::kw_only(), "for_texts"_a = TextContents::kAny,
           "for_features"_a = TextContents::kAny)
      .def("add", py_add, "batch"_a)
      .def("put_in_order", py_put_in_order, nb::kw_only(), "weighted"_a)
      .def("put_in_order_of", py_put_in_order_of, "digests"_a)
      .def("features_of", py_features_of, "rows"_a)
      .def("texts", py_texts, "rows"_a)
      .def_prop_ro("lengths", py_lengths, as_it_is)
      .def_prop_ro("holding", lends([](const TextContents& self) { return self.holding(); }), as_it_is)
      .def_prop_ro("offsets", lends([](const TextContents& self) { return self.offsets(); }), as_it_is)
      .def_prop_ro("features", lends([](TextContents& self) { return self.features(); }), as_it_is)
      .def_prop_ro("weights", lends([](const TextContents& self) { return self.weights(); }), as_it_is)
      .def_prop_ro("moduli", lends([](const TextContents& self) { return self.moduli(); }), as_it_is);
}

}  // namespace nearkin::bindings
