// Passages, edits and who holds them as Python sees them. It converts, releases the GIL and raises; nothing else.
#include "bindings/convert.hpp"
#include "passages/passages.hpp"
#include "passages/word_edits.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

template <class Row>
nb::tuple places(const std::vector<Row>& rows) {
  return nb::make_tuple(column<std::uint64_t>(rows, [](const Row& r) { return r.a_start; }),
                        column<std::uint64_t>(rows, [](const Row& r) { return r.a_end; }),
                        column<std::uint64_t>(rows, [](const Row& r) { return r.b_start; }),
                        column<std::uint64_t>(rows, [](const Row& r) { return r.b_end; }));
}

nb::tuple py_passages(const nb::bytes& a, const nb::bytes& b, std::uint64_t least, bool raw) {
  std::vector<ListedPassage> found;
  {
    const nb::gil_scoped_release free;
    found = common_passages(view(a), view(b), least, raw ? Reading::bytes : Reading::words);
  }
  return nb::make_tuple(places(found), column<std::uint8_t>(found, [](const ListedPassage& p) { return static_cast<std::uint8_t>(p.kind); }));
}

nb::object py_word_edits(const nb::bytes& a, const nb::bytes& b, std::uint32_t most) {
  std::optional<WordEdits> found;
  {
    const nb::gil_scoped_release free;
    found = word_edits(view(a), view(b), most);
  }
  if (!found) return nb::none();
  return nb::make_tuple(found->distance, places(found->edits));
}

nb::bytes py_holding(const nb::bytes& text, const std::vector<nb::bytes>& others, std::size_t window, unsigned threads) {
  if (window == 0) throw nb::value_error("a window has at least one byte");
  std::vector<std::string_view> views;
  for (const auto& other : others) views.push_back(view(other));
  std::vector<std::uint8_t> found;
  {
    const nb::gil_scoped_release free;
    found = holding(view(text), views, window, threads);
  }
  return nb::bytes(found.data(), found.size());
}

}  // namespace

void register_passages(nb::module_& m) {
  m.def("passages", py_passages, "a"_a, "b"_a, nb::kw_only(), "least"_a, "raw"_a);
  m.def("word_edits", py_word_edits, "a"_a, "b"_a, nb::kw_only(), "most"_a);
  m.def("holding", py_holding, "text"_a, "others"_a, nb::kw_only(), "window"_a, "threads"_a);
}

}  // namespace nearkin::bindings
