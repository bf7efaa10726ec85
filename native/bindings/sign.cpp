// Bindings of fingerprints, shingles and schemes: they convert, release the GIL and raise.
#include "bindings/convert.hpp"
#include "sign/rabin.hpp"
#include "sign/signature.hpp"

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
  std::vector<PlacedFeature> placed;
  {
    const nb::gil_scoped_release free;
    placed = place(scheme, view(text));
  }
  return nb::make_tuple(column<std::uint64_t>(placed, [](const PlacedFeature& p) { return p.offset; }),
                        column<std::uint64_t>(placed, [](const PlacedFeature& p) { return p.feature; }),
                        column<std::uint32_t>(placed, [](const PlacedFeature& p) { return p.weight; }));
}

Stream stream_of(const std::string& name) {
  if (name == "char") return Stream::characters;
  if (name == "word") return Stream::words;
  if (name == "soundex") return Stream::soundex;
  throw nb::value_error("a stream is char, word or soundex");
}

nb::tuple py_shingle_places(const Shingler& shingler, const nb::bytes& text) {
  std::vector<PlacedShingle> placed;
  {
    const nb::gil_scoped_release free;
    placed = shingler.placed(view(text));
  }
  return nb::make_tuple(column<std::uint64_t>(placed, [](const PlacedShingle& s) { return s.offset; }),
                        column<std::uint64_t>(placed, [](const PlacedShingle& s) { return s.fingerprint; }),
                        column<std::uint64_t>(placed, [](const PlacedShingle& s) { return s.bytes; }));
}

NumPy<std::uint64_t> py_all_shingles(const Shingler& shingler, const nb::bytes& text) {
  std::vector<std::uint64_t> all;
  {
    const nb::gil_scoped_release free;
    shingler.all(view(text), all);
  }
  return array(std::move(all));
}

NumPy<std::uint64_t> py_slot_minima(const Array<std::uint64_t>& fingerprints, std::uint32_t slots, bool portable) {
  std::vector<std::uint64_t> minima;
  {
    const nb::gil_scoped_release free;
    minima = slot_minima(span(fingerprints), slots, portable ? Kernel::portable : Kernel::best);
  }
  return array(std::move(minima));
}

NumPy<std::uint64_t> py_chunk_minima(const Array<std::uint64_t>& fingerprints, std::uint64_t modulus) {
  ChunkMinima minima(modulus);
  {
    const nb::gil_scoped_release free;
    minima.add(span(fingerprints));
  }
  return array(minima.take());
}

Unit unit_of(const std::string& name) {
  if (name == "byte") return Unit::byte;
  if (name == "char") return Unit::character;
  if (name == "word") return Unit::word;
  if (name == "line") return Unit::line;
  if (name == "soundex") return Unit::soundex;
  throw nb::value_error("a unit is byte, char, word, line or soundex");
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

void register_sign(nb::module_& m) {
  m.attr("POLYNOMIAL") = kPolynomial;
  m.def("fingerprint", [](const nb::bytes& text) { return fingerprint(view(text)); }, "text"_a);
  m.def("fingerprints", [](const nb::bytes& text, std::size_t window) {
    std::vector<std::uint64_t> all;
    {
      const nb::gil_scoped_release free;
      const Roller roller(window);
      const auto bytes = view(text);
      all.resize(bytes.size() < window ? !bytes.empty() : bytes.size() - window + 1);
      roll(roller, bytes, [&](std::size_t position, std::uint64_t f) { all[position] = f; });
    }
    return array(std::move(all));
  }, "text"_a, "window"_a);
  nb::class_<Shingler>(m, "Shingler")
      .def("__init__", [](Shingler* self, const std::string& unit, std::size_t window, bool label, std::uint64_t seed,
                          unsigned bits) {
        if (window == 0 || bits == 0 || bits > 64) throw nb::value_error("a shingler needs a window, and 1 to 64 bits");
        new (self) Shingler(unit_of(unit), window, label, seed, bits);
      }, nb::kw_only(), "unit"_a, "window"_a, "label"_a, "seed"_a, "bits"_a)
      .def("all", py_all_shingles, "text"_a)
      .def("placed", py_shingle_places, "text"_a)
      .def("count", [](const Shingler& self, const nb::bytes& text) { return self.count(view(text)); }, "text"_a);
  nb::class_<Scheme>(m, "Scheme");
  m.def("mod", [](const Shingler& shingler, std::uint64_t modulus, std::uint64_t sample, std::uint64_t most) {
    return Scheme(Mod(shingler, modulus, sample, most));
  }, nb::kw_only(), "shingler"_a, "modulus"_a, "sample"_a, "most"_a);
  m.def("sketch", [](const Shingler& shingler, std::uint32_t slots) { return Scheme(Sketch(shingler, slots)); },
        nb::kw_only(), "shingler"_a, "slots"_a);
  m.def("slot_minima", py_slot_minima, "fingerprints"_a, "slots"_a, "portable"_a = false);
  m.def("bsw", [](const Shingler& shingler, std::uint64_t modulus) { return Scheme(Bsw(shingler, modulus)); },
        nb::kw_only(), "shingler"_a, "modulus"_a);
  m.def("chunk_minima", py_chunk_minima, "fingerprints"_a, "modulus"_a);
  m.def("smallest", [](const Shingler& shingler, std::uint64_t n, std::uint64_t modulus) {
    return Scheme(Min(shingler, n, modulus));
  }, nb::kw_only(), "shingler"_a, "n"_a, "modulus"_a);
  m.def("tttd", [](std::size_t window, std::uint64_t min, std::uint64_t max, std::uint64_t divisor,
                   std::uint64_t backup, std::uint64_t residue, std::uint64_t seed, unsigned bits) {
    return Scheme(Tttd(window, min, max, divisor, backup, residue, seed, bits));
  }, nb::kw_only(), "window"_a, "min"_a, "max"_a, "divisor"_a, "backup"_a, "residue"_a, "seed"_a, "bits"_a);
  m.def("similarity_index", [](int method, const std::string& stream, bool stop_words, bool vowels_or_duplicates,
                               std::size_t k, std::size_t window, std::uint64_t seed) {
    if (method < 1 || method > 14 || k == 0 || window == 0 || (method == 14 && k == 1) ||
        (method == 13 && stream == "char"))
      throw nb::value_error("there is no such similarity index");
    return Scheme(SimilarityIndex{method, stream_of(stream), {stop_words, vowels_or_duplicates}, k, window, seed});
  }, nb::kw_only(), "method"_a, "stream"_a, "stop_words"_a, "vowels_or_duplicates"_a, "k"_a, "window"_a, "seed"_a);
  m.def("sign", py_sign, "scheme"_a, "text"_a);
  m.def("place", py_place, "scheme"_a, "text"_a);
  m.def("fuzzy", py_fuzzy, nb::kw_only(), "classes"_a, "reference"_a, "borders"_a);
}

}  // namespace nearkin::bindings
