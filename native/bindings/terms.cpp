// Terms, their cosines, the scheme made of them and its collisions as Python sees them. It converts, releases the GIL and raises; nothing else.
#include "bindings/convert.hpp"
#include "join/cosine.hpp"
#include "sign/signature.hpp"
#include "text/terms.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

std::vector<nb::bytes> py_terms(const nb::bytes& text) {
  const Terms terms(view(text));
  std::vector<nb::bytes> all;
  for (const std::string_view term : terms.all()) all.push_back(to_bytes(term));
  return all;
}

NumPy<std::uint64_t> py_letter_counts(const nb::bytes& text) {
  const LetterCounts counts = letter_counts(view(text));
  return array(std::vector<std::uint64_t>(counts.begin(), counts.end()));
}

nb::tuple py_term_frequencies(const nb::bytes& text) {
  std::vector<Frequency> frequencies;
  {
    const nb::gil_scoped_release free;
    frequencies = term_frequencies(view(text));
  }
  return nb::make_tuple(column<std::uint64_t>(frequencies, [](const Frequency& f) { return f.term; }),
                        column<std::uint64_t>(frequencies, [](const Frequency& f) { return f.count; }));
}

NumPy<double> py_cosines(const std::vector<nb::bytes>& texts, const Array<std::uint32_t>& a,
                         const Array<std::uint32_t>& b, unsigned threads) {
  std::vector<std::string_view> views;
  for (const auto& text : texts) views.push_back(view(text));
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.data()[i] >= views.size() || b.data()[i] >= views.size()) throw nb::index_error("a pair names no text");
    pairs.push_back({a.data()[i], b.data()[i]});
  }
  std::vector<double> found;
  {
    const nb::gil_scoped_release free;
    found = cosines(views, pairs, threads);
  }
  return array(std::move(found));
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

void register_terms(nb::module_& m) {
  m.def("fuzzy", py_fuzzy, nb::kw_only(), "classes"_a, "reference"_a, "borders"_a);
  nb::class_<Collisions>(m, "Collisions")
      .def("__init__", [](Collisions* self, const Array<std::uint64_t>& offsets, const Array<std::uint64_t>& features) {
        if (offsets.size() == 0 || offsets.data()[offsets.size() - 1] != features.size())
          throw nb::value_error("offsets must end with the number of features");
        new (self) Collisions(span(offsets), span(features));
      }, "offsets"_a, "features"_a)
      .def("next", [](Collisions& self, std::size_t most) {
        Collisions::Pairs pairs;
        {
          const nb::gil_scoped_release free;
          pairs = self.next(most);
        }
        return nb::make_tuple(array(std::move(pairs.a)), array(std::move(pairs.b)));
      }, "most"_a);
  m.def("terms", py_terms, "text"_a);
  m.def("letter_counts", py_letter_counts, "text"_a);
  m.def("term_frequencies", py_term_frequencies, "text"_a);
  m.def("cosines", py_cosines, "texts"_a, "a"_a, "b"_a, nb::kw_only(), "threads"_a);
}

}  // namespace nearkin::bindings
