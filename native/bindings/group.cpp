// Bindings of views of families, greedy clustering and payloads: they convert, release the GIL and raise.
#include <algorithm>

#include "base/union_find.hpp"
#include "bindings/convert.hpp"
#include "group/greedy.hpp"
#include "group/payload.hpp"
#include "group/views.hpp"

namespace nearkin::bindings {
namespace {

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

template <class T, class... Others>
void check_nodes(std::size_t nodes, const Array<T>& a, const Array<T>& b, const Others&... others) {
  if (a.size() != b.size() || ((others.size() != a.size()) || ...))
    throw nb::value_error("columns of links have different lengths");
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.data()[i] >= nodes || b.data()[i] >= nodes) throw nb::index_error("a link names no node");
}

Links checked(std::size_t nodes, const Array<std::uint32_t>& a, const Array<std::uint32_t>& b,
              const Array<double>& strength) {
  check_nodes(nodes, a, b, strength);
  if (a.size() >= kNoLink) throw nb::value_error("too many links");
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.data()[i] == b.data()[i]) throw nb::value_error("a link joins a node to itself");
    if (!(strength.data()[i] >= 0.0)) throw nb::value_error("a link's strength is no share");
  }
  return {span(a), span(b), span(strength)};
}

void check_labels(const Array<std::uint32_t>& label) {
  for (std::size_t i = 0; i < label.size(); ++i)
    if (label.data()[i] >= label.size()) throw nb::index_error("a label names no node");
}

nb::tuple py_tally(const Array<std::uint32_t>& label, const Array<std::uint32_t>& a, const Array<std::uint32_t>& b,
                   const Array<double>& strength, bool chains) {
  check_labels(label);
  const Links links = checked(label.size(), a, b, strength);
  Tally tally(0);
  {
    const nb::gil_scoped_release free;
    tally = chains ? tally_chains(span(label), links) : tally_inside(span(label), links);
  }
  return nb::make_tuple(array(std::move(tally.links)), array(std::move(tally.total)), array(std::move(tally.weakest)));
}

nb::tuple py_principals(const Array<std::uint32_t>& order, const Array<std::uint32_t>& a,
                        const Array<std::uint32_t>& b, const Array<double>& strength) {
  std::vector<bool> named(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t node = order.data()[i];
    if (node >= named.size() || named[node]) throw nb::value_error("the order does not name every node once");
    named[node] = true;
  }
  const Links links = checked(order.size(), a, b, strength);
  Principals result;
  {
    const nb::gil_scoped_release free;
    result = principals(span(order), links);
  }
  return nb::make_tuple(array(std::move(result.of)), array(std::move(result.via)));
}

NumPy<std::uint32_t> py_cliques(std::uint32_t nodes, const Array<std::uint32_t>& a, const Array<std::uint32_t>& b,
                                const Array<double>& strength) {
  const Links links = checked(nodes, a, b, strength);
  std::vector<std::uint32_t> label;
  {
    const nb::gil_scoped_release free;
    label = cliques(nodes, links);
  }
  return array(std::move(label));
}

NumPy<std::uint32_t> py_homes(const Array<std::uint8_t>& alone, const Array<std::uint32_t>& a,
                              const Array<std::uint32_t>& b, const Array<double>& a_in_b, const Array<double>& b_in_a,
                              const Array<std::int64_t>& size_a, const Array<std::int64_t>& size_b,
                              double share, std::int64_t size) {
  check_nodes(alone.size(), a, b, a_in_b, b_in_a, size_a, size_b);
  const Containments pairs{span(a), span(b), span(a_in_b), span(b_in_a), span(size_a), span(size_b)};
  std::vector<std::uint32_t> container;
  {
    const nb::gil_scoped_release free;
    container = containers(span(alone), pairs, share, size);
  }
  return array(std::move(container));
}

NumPy<std::uint32_t> py_strongest_first(const Array<std::uint32_t>& a, const Array<std::uint32_t>& b,
                                        const Array<double>& strength, const Array<double>& more, unsigned threads) {
  if (b.size() != a.size() || strength.size() != a.size() || more.size() != a.size())
    throw nb::value_error("every link has two nodes, a strength, and how much there is of something else");
  if (a.size() >= ~std::uint32_t{0}) throw nb::value_error("more than 4 billion links");
  std::vector<std::uint32_t> order;
  {
    const nb::gil_scoped_release free;
    order = strongest_first({span(a), span(b), span(strength)}, span(more), threads);
  }
  return array(std::move(order));
}

// Checks the ascending ends of so many pieces, the last of which is where all of them end.
void check_ends(const Array<std::uint64_t>& ends, std::size_t pieces, std::size_t all) {
  if (ends.size() != pieces || !std::is_sorted(ends.data(), ends.data() + ends.size()) ||
      (pieces > 0 ? ends.data()[pieces - 1] : 0) != all)
    throw nb::value_error("the arrays of the families do not fit together");
}

// Checks places in families, piece by piece.
void check_places(const Array<std::uint32_t>& places, const Array<std::uint64_t>& ends,
                  const Array<std::uint64_t>& families) {
  for (std::size_t f = 0, i = 0; f < ends.size(); ++f) {
    const std::uint64_t members = families.data()[f] - (f == 0 ? 0 : families.data()[f - 1]);
    for (; i < ends.data()[f]; ++i)
      if (places.data()[i] >= members) throw nb::index_error("there is no such member in the family");
  }
}

nb::tuple py_payloads(const Array<std::uint64_t>& offsets, const Array<std::uint64_t>& features,
                      const Array<std::uint64_t>& moduli, const Array<std::uint32_t>& rows,
                      const Array<std::uint64_t>& ends, const Array<std::uint32_t>& a, const Array<std::uint32_t>& b,
                      const Array<std::uint64_t>& pair_ends, const Array<std::uint32_t>& queried,
                      const Array<std::uint64_t>& queried_ends, double most, double nearly_all, unsigned beside,
                      unsigned threads) {
  check_ends(offsets, moduli.size() + 1, features.size());
  check_ends(ends, ends.size(), rows.size());
  check_ends(pair_ends, ends.size(), a.size());
  check_ends(queried_ends, ends.size(), queried.size());
  if (a.size() != b.size() || std::count(moduli.data(), moduli.data() + moduli.size(), 0) > 0)
    throw nb::value_error("the arrays of the families do not fit together");
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows.data()[i] >= moduli.size()) throw nb::index_error("a family names no content");
  check_places(a, pair_ends, ends);
  check_places(b, pair_ends, ends);
  check_places(queried, queried_ends, ends);
  for (std::size_t f = 0; f < ends.size(); ++f) {
    const auto count = [f](const Array<std::uint64_t>& all) {
      return all.data()[f] - (f == 0 ? 0 : all.data()[f - 1]);
    };
    if (count(queried_ends) > 0 && count(ends) <= beside)
      throw nb::value_error("a family has fewer members than are asked for");
  }
  const FamilyLists families{span(offsets), span(features), span(moduli), span(rows),  span(ends),
                             span(a),       span(b),        span(pair_ends), span(queried), span(queried_ends)};
  Payloads result;
  {
    const nb::gil_scoped_release free;
    result = compare_payloads(families, most, nearly_all, beside, threads);
  }
  return nb::make_tuple(array(std::move(result.scores)), array(std::move(result.united)),
                        array(std::move(result.nearest)), array(std::move(result.best)),
                        array(std::move(result.medians)), array(std::move(result.partly)));
}

void check_signatures(const Signatures& s, std::span<const std::uint32_t> order, int agreement) {
  const std::size_t rows = s.rows();
  bool fits = s.offsets.size() == rows + 1 && order.size() == rows && s.offsets[rows] == s.features.size() &&
              (s.weights.empty() || s.weights.size() == s.features.size());
  for (std::size_t row = 0; fits && row < rows; ++row)
    fits = s.offsets[row] <= s.offsets[row + 1] && order[row] < rows && s.moduli[row] > 0;
  if (!fits) throw nb::value_error("offsets, features, weights, moduli and order do not fit together");
  if (agreement < 0 || agreement > static_cast<int>(Agreement::kSlots)) throw nb::value_error("no such agreement");
}

nb::tuple py_greedy(const Array<std::uint64_t>& offsets, const Array<std::uint64_t>& features,
                    const Array<std::uint32_t>& weights, const Array<std::uint64_t>& moduli,
                    const Array<std::uint32_t>& order, double threshold, int agreement, std::uint64_t most,
                    bool popular) {
  const Signatures signatures{span(offsets), span(features), span(weights), span(moduli)};
  check_signatures(signatures, span(order), agreement);
  const GreedyOptions options{threshold, static_cast<Agreement>(agreement), most, popular};
  Greedy clusters;
  {
    const nb::gil_scoped_release free;
    clusters = greedy(signatures, span(order), options);
  }
  return nb::make_tuple(array(std::move(clusters.founder)), array(std::move(clusters.nearness)));
}

}  // namespace

void register_group(nb::module_& m) {
  m.def("components", py_components, "nodes"_a, "a"_a, "b"_a);
  m.attr("NO_LINK") = kNoLink;
  m.def("strongest_first", py_strongest_first, "a"_a, "b"_a, "strength"_a, "more"_a, nb::kw_only(),
        "threads"_a = 1);
  m.def("tally", py_tally, "label"_a, "a"_a, "b"_a, "strength"_a, nb::kw_only(), "chains"_a);
  m.def("principals", py_principals, "order"_a, "a"_a, "b"_a, "strength"_a);
  m.def("cliques", py_cliques, "nodes"_a, "a"_a, "b"_a, "strength"_a);
  m.def("homes", py_homes, "alone"_a, "a"_a, "b"_a, "a_in_b"_a, "b_in_a"_a, "size_a"_a, "size_b"_a, nb::kw_only(),
        "share"_a, "size"_a);
  m.def("payloads", py_payloads, "offsets"_a, "features"_a, "moduli"_a, "rows"_a, "ends"_a, "a"_a, "b"_a, "pair_ends"_a,
        "asked"_a, "asked_ends"_a, nb::kw_only(), "most"_a, "nearly_all"_a, "beside"_a, "threads"_a);
  m.attr("OVERLAP") = static_cast<int>(Agreement::kOverlap);
  m.attr("SMALLEST") = static_cast<int>(Agreement::kSmallest);
  m.attr("SLOTS") = static_cast<int>(Agreement::kSlots);
  m.def("greedy", py_greedy, "offsets"_a, "features"_a, "weights"_a, "moduli"_a, "order"_a, nb::kw_only(),
        "threshold"_a, "agreement"_a, "most"_a, "popular"_a);
}

}  // namespace nearkin::bindings
