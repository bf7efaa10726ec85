// Bindings of folded texts, their windows and certificates: they convert, release the GIL and raise.
#include "bindings/convert.hpp"
#include "keep/certificate.hpp"
#include "keep/windows.hpp"

namespace nearkin::bindings {
namespace {

nb::tuple py_fold_spaces(const nb::bytes& text) {
  Spaced spaced;
  {
    const nb::gil_scoped_release free;
    spaced = fold_spaces(view(text));
  }
  return nb::make_tuple(to_bytes(spaced.text),
                        column<std::uint64_t>(spaced.changes, [](const Respaced& r) { return r.start; }),
                        column<std::uint64_t>(spaced.changes, [](const Respaced& r) { return r.end; }));
}

bool py_surely_composed(const nb::bytes& text) {
  const nb::gil_scoped_release free;
  return surely_composed(view(text));
}

void make_anchors(Anchors* self, const nb::bytes& kept, std::size_t window) {
  const nb::gil_scoped_release free;
  new (self) Anchors(view(kept), window);
}

NumPy<std::uint8_t> py_runs(Anchors& self, const nb::bytes& text) {
  std::vector<std::uint8_t> bits;
  {
    const nb::gil_scoped_release free;
    bits = self.runs(view(text));
  }
  return array(std::move(bits));
}

void py_add(WindowSet& set, const nb::bytes& text, std::optional<std::uint32_t> owner,
            const Array<std::uint8_t>& skip) {
  if (owner && *owner >= WindowSet::nobody) throw nb::value_error("there are too many texts");
  const nb::gil_scoped_release free;
  set.add(view(text), owner.value_or(WindowSet::nobody), span(skip));
}

void py_add_owner(WindowSet& set, const nb::bytes& text, std::uint32_t owner, const Array<std::uint8_t>& skip) {
  const nb::gil_scoped_release free;
  set.add_owner(view(text), owner, span(skip));
}

NumPy<std::uint8_t> py_owned(const WindowSet& set, const nb::bytes& text, bool several,
                            const Array<std::uint8_t>& skip) {
  std::vector<std::uint8_t> bits;
  {
    const nb::gil_scoped_release free;
    bits = set.owned(view(text), several, span(skip));
  }
  return array(std::move(bits));
}

void py_count(WindowCounts& counts, const nb::bytes& text) {
  const nb::gil_scoped_release free;
  counts.add(view(text));
}

nb::tuple py_shares(const WindowCounts& counts) {
  const auto shares = counts.shares();
  return nb::make_tuple(column<std::int64_t>(shares, [](const WindowCounts::Share& share) { return share.own; }),
                        column<std::int64_t>(shares, [](const WindowCounts::Share& share) { return share.shared; }));
}

using Bits = Array<std::uint8_t>;
using Numbers = Array<std::uint64_t>;
using Read = std::tuple<std::size_t, Numbers, Numbers, Numbers, Bits, Bits, bool>;

nb::tuple py_certify(const nb::bytes& text, bool raw, std::size_t window, const Bits& kept, const Bits& anywhere,
                     bool whole, const std::optional<Read>& read, std::size_t listed) {
  std::optional<RespacedReading> reading;
  if (read) {
    const auto& [length, starts, ends, lengths, inside, somewhere, entire] = *read;
    if (starts.size() != ends.size() || starts.size() != lengths.size()) throw nb::value_error("these are no changes");
    reading = RespacedReading{length, span(starts), span(ends), span(lengths), {span(inside), span(somewhere), entire}};
  }
  Certified certified;
  {
    const nb::gil_scoped_release free;
    certified = certify(view(text), raw, window, {span(kept), span(anywhere), whole}, reading, listed);
  }
  nb::list stretches;
  for (const auto& [start, end, first, last] : certified.listed)
    stretches.append(nb::make_tuple(start, end, first, last));
  return nb::make_tuple(certified.characters, certified.missing, certified.residue, certified.respaced,
                        certified.stretches, stretches);
}

}  // namespace

void register_keep(nb::module_& m) {
  m.def("fold_spaces", py_fold_spaces, "text"_a);
  m.def("surely_composed", py_surely_composed, "text"_a);
  nb::class_<Anchors>(m, "Anchors")
      .def("__init__", make_anchors, "kept"_a, nb::kw_only(), "window"_a, nb::keep_alive<1, 2>())
      .def("runs", py_runs, "text"_a)
      .def("matched", [](const Anchors& self) { return array(std::vector(self.matched())); });
  nb::class_<WindowSet>(m, "WindowSet")
      .def(nb::init<std::size_t, std::uint32_t, std::uint32_t, std::size_t>(), nb::kw_only(), "window"_a, "part"_a,
           "parts"_a, "room"_a = 0)
      .def("add", py_add, "text"_a, nb::kw_only(), "owner"_a.none(), "skip"_a)
      .def("add_owner", py_add_owner, "text"_a, nb::kw_only(), "owner"_a, "skip"_a)
      .def("owned", py_owned, "text"_a, nb::kw_only(), "several"_a, "skip"_a)
      .def("__len__", &WindowSet::size);
  nb::class_<WindowCounts>(m, "WindowCounts")
      .def(nb::init<std::size_t, std::uint64_t>(), nb::kw_only(), "window"_a, "modulus"_a)
      .def("add", py_count, "text"_a)
      .def("shares", py_shares);
  m.def("certify", py_certify, "text"_a, nb::kw_only(), "raw"_a, "window"_a, "kept"_a, "anywhere"_a, "whole"_a,
        "reading"_a.none(), "listed"_a);
}

}  // namespace nearkin::bindings
