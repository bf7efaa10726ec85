// The bounded join as Python sees it. It converts, releases the GIL and raises; nothing else.
#include "bindings/candidate_columns.hpp"
#include "bindings/convert.hpp"
#include "join/bounded_join.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

using Stage = BoundedJoin::Stage;

void make(BoundedJoin* self, const std::string& folder, const Array<std::uint64_t>& moduli, bool weighted,
          const std::string& estimator, bool sampled, std::uint64_t limit, bool contains, double resemblance,
          double containment, double floor, double confidence, std::uint32_t floor_reach, std::uint32_t floor_most,
          std::uint64_t short_part, std::uint64_t short_sample, std::uint32_t hot, std::uint64_t memory,
          unsigned threads) {
  const Thresholds thresholds{resemblance, containment, floor, confidence, floor_reach, floor_most,
                              short_part,  short_sample, hot};
  const Evidence evidence = evidence_of(estimator, sampled, limit, contains);
  if (evidence.estimator == Estimator::collision) throw nb::value_error("collisions are not joined in bins");
  for (std::size_t i = 0; i < moduli.size(); ++i)
    if (moduli.data()[i] == 0) throw nb::value_error("a modulus of 0");
  from_system(folder, [&] {
    new (self) BoundedJoin(
        std::make_unique<Whole>(folder, span(moduli), weighted, evidence, thresholds, memory, threads));
  });
}

void add(BoundedJoin& self, const Array<std::uint32_t>& rows, const Array<std::uint64_t>& offsets,
         const Array<std::uint64_t>& features, const Array<std::uint32_t>& weights) {
  if (offsets.size() != rows.size() + 1 || (weights.size() != 0 && weights.size() != features.size()))
    throw nb::value_error("the arrays of the postings do not fit together");
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows.data()[i] >= self.contents()) throw nb::index_error("a row names no content");
  Postings lists;
  lists.offsets = span(offsets), lists.features = span(features), lists.weights = span(weights);
  from_system(self.folder(), [&] { self.add(span(rows), lists); });
}

void work(BoundedJoin& self, Stage stage, std::size_t from, std::size_t to) {
  from_system(self.folder(), [&] { self.work(stage, from, to); });
}

nb::tuple stars(BoundedJoin& self) {
  return columns(from_system(self.folder(), [&] { return self.stars(); }));
}

nb::tuple join(const BoundedJoin& self, std::uint32_t bin, std::uint32_t other) {
  Candidates found;
  found.pairs = from_system(self.folder(), [&] { return self.join(bin, other); });
  return columns(std::move(found));
}

}  // namespace

void register_bounded(nb::module_& m) {
  nb::class_<BoundedJoin> type(m, "BoundedJoin");
  nb::enum_<Stage>(type, "Stage")
      .value("COUNT", Stage::count)
      .value("ORDER", Stage::order)
      .value("LINK", Stage::link)
      .value("REACH", Stage::reach)
      .value("DEAL", Stage::deal);
  type.def("__init__", make, "folder"_a, "moduli"_a, nb::kw_only(), "weighted"_a, "estimator"_a, "sampled"_a, "limit"_a,
           "contains"_a, "resemblance"_a, "containment"_a, "floor"_a, "confidence"_a, "floor_reach"_a, "floor_most"_a,
           "short_part"_a, "short_sample"_a, "hot"_a, "memory"_a, "threads"_a)
      .def("add", add, "rows"_a, "offsets"_a, "features"_a, "weights"_a)
      .def("work", work, "stage"_a, "start"_a, "stop"_a)
      .def("stars", stars)
      .def("pairs", &BoundedJoin::pairs)
      .def("join", join, "bin"_a, "other"_a)
      .def_prop_ro("bins", &BoundedJoin::bins)
      .def_prop_ro("spilled", &BoundedJoin::spilled);
  type.attr("PARTS") = BoundedJoin::kParts;
}

}  // namespace nearkin::bindings
