// The only file that knows both Python and the kernels. It converts, releases the GIL and raises; nothing else.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binomial.hpp"
#include "candidates.hpp"
#include "rabin.hpp"
#include "signature.hpp"
#include "unionfind.hpp"
#include "verify.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace nearkin;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NumPy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

std::string_view view(const nb::bytes& data) { return {data.c_str(), data.size()}; }

template <class T>
std::span<const T> span(const Array<T>& array) {
  return {array.data(), array.size()};
}

// Hands a vector over to NumPy without copying it.
template <class T>
NumPy<T> array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumPy<T>(kept->data(), {kept->size()}, owner);
}

// One column of a list of rows.
template <class T, class Row, class Get>
NumPy<T> column(const std::vector<Row>& rows, Get&& get) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<T>(get(row)));
  return array(std::move(values));
}

Postings postings(const Array<std::uint64_t>& offsets, const Array<std::uint64_t>& features,
                  const Array<std::uint32_t>& weights, const Array<std::uint64_t>& moduli, bool sampled) {
  if (offsets.size() != moduli.size() + 1 || (weights.size() != 0 && weights.size() != features.size()))
    throw nb::value_error("the arrays of the postings do not fit together");
  return {span(offsets), span(features), span(weights), span(moduli), sampled};
}

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

nb::tuple py_candidates(const Array<std::uint64_t>& offsets, const Array<std::uint64_t>& features,
                        const Array<std::uint32_t>& weights, const Array<std::uint64_t>& moduli, bool sampled,
                        double resemblance, double containment, double floor, double confidence,
                        std::uint32_t floor_reach, unsigned threads) {
  const Postings all = postings(offsets, features, weights, moduli, sampled);
  std::vector<Candidate> found;
  {
    const nb::gil_scoped_release free;
    found = find_candidates(all, {resemblance, containment, floor, confidence, floor_reach}, threads);
  }
  return nb::make_tuple(column<std::uint32_t>(found, [](const Candidate& c) { return c.a; }),
                        column<std::uint32_t>(found, [](const Candidate& c) { return c.b; }),
                        column<std::uint64_t>(found, [](const Candidate& c) { return c.shared; }),
                        column<std::uint64_t>(found, [](const Candidate& c) { return c.size_a; }),
                        column<std::uint64_t>(found, [](const Candidate& c) { return c.size_b; }),
                        column<std::uint8_t>(found, [](const Candidate& c) { return c.strong; }));
}

nb::tuple py_verify(const std::vector<nb::bytes>& texts, const Array<std::uint32_t>& a, const Array<std::uint32_t>& b,
                    std::size_t window, unsigned threads) {
  std::vector<std::string_view> views;
  for (const auto& text : texts) views.push_back(view(text));
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.data()[i] >= views.size() || b.data()[i] >= views.size()) throw nb::index_error("a pair names no text");
    pairs.push_back({a.data()[i], b.data()[i]});
  }
  std::vector<Measure> measures;
  {
    const nb::gil_scoped_release free;
    measures = verify(views, pairs, Roller(window), threads);
  }
  return nb::make_tuple(column<std::uint64_t>(measures, [](const Measure& m) { return m.shared; }),
                        column<std::uint64_t>(measures, [](const Measure& m) { return m.size_a; }),
                        column<std::uint64_t>(measures, [](const Measure& m) { return m.size_b; }),
                        column<std::uint64_t>(measures, [](const Measure& m) { return m.covered_a; }),
                        column<std::uint64_t>(measures, [](const Measure& m) { return m.covered_b; }));
}

nb::tuple py_intervals(const Array<std::uint64_t>& k, const Array<std::uint64_t>& n, double confidence) {
  std::vector<Interval> intervals(k.size());
  {
    const nb::gil_scoped_release free;
    for (std::size_t i = 0; i < intervals.size(); ++i)
      intervals[i] = clopper_pearson(k.data()[i], n.data()[i], confidence);
  }
  return nb::make_tuple(column<double>(intervals, [](const Interval& i) { return i.low; }),
                        column<double>(intervals, [](const Interval& i) { return i.high; }));
}

NumPy<std::uint32_t> py_components(std::uint32_t nodes, const Array<std::uint32_t>& a, const Array<std::uint32_t>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.data()[i] >= nodes || b.data()[i] >= nodes) throw nb::index_error("a link names no node");
  std::vector<std::uint32_t> labels;
  {
    const nb::gil_scoped_release free;
    labels = components(nodes, span(a), span(b));
  }
  return array(std::move(labels));
}

}  // namespace

NB_MODULE(_native, m) {
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

  nb::class_<Scheme>(m, "Scheme");
  m.def("shingles", [](std::size_t window, std::uint64_t modulus, std::uint64_t sample, std::uint64_t most) {
    return Scheme(Shingles(window, modulus, sample, most));
  }, nb::kw_only(), "window"_a, "modulus"_a, "sample"_a, "most"_a);
  m.def("tttd", [](std::size_t window, std::uint64_t min, std::uint64_t max, std::uint64_t divisor, std::uint64_t backup) {
    return Scheme(Tttd(window, min, max, divisor, backup));
  }, nb::kw_only(), "window"_a, "min"_a, "max"_a, "divisor"_a, "backup"_a);
  m.def("sign", py_sign, "scheme"_a, "text"_a);
  m.def("place", py_place, "scheme"_a, "text"_a);

  m.def("candidates", py_candidates, "offsets"_a, "features"_a, "weights"_a, "moduli"_a, nb::kw_only(), "sampled"_a,
        "resemblance"_a, "containment"_a, "floor"_a, "confidence"_a, "floor_reach"_a, "threads"_a);
  m.def("verify", py_verify, "texts"_a, "a"_a, "b"_a, nb::kw_only(), "window"_a, "threads"_a);
  m.def("intervals", py_intervals, "k"_a, "n"_a, nb::kw_only(), "confidence"_a);
  m.def("components", py_components, "nodes"_a, "a"_a, "b"_a);
}
