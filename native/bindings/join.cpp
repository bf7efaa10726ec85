// Bindings of the joins, collisions, cosines and intervals: they convert, release the GIL and raise.
#include "base/binomial.hpp"
#include "base/parallel.hpp"
#include "bindings/convert.hpp"
#include "ingest/text_contents.hpp"
#include "join/bounded_join.hpp"
#include "join/candidates.hpp"
#include "join/cosine.hpp"
#include "text/terms.hpp"

namespace nearkin::bindings {
namespace {

// Candidates as arrays that own the kernel's memory together. Nothing is copied.
struct JoinResult {
  NumPy<std::uint32_t> a, b;
  NumPy<std::uint64_t> shared, size_a, size_b, united;
  NumPy<bool> strong;
  NumPy<std::uint32_t> hot_contents;
  std::uint64_t hot_features, hot_links;
};

JoinResult result_of(Candidates&& candidates) {
  const Columns<Candidate> column(std::move(candidates.pairs));
  return {.a = column(&Candidate::a),
          .b = column(&Candidate::b),
          .shared = column(&Candidate::shared),
          .size_a = column(&Candidate::size_a),
          .size_b = column(&Candidate::size_b),
          .united = column(&Candidate::united),
          .strong = column(&Candidate::strong),
          .hot_contents = array(std::move(candidates.starred)),
          .hot_features = candidates.hot_features,
          .hot_links = candidates.hot_links};
}

Estimator estimator_of(const std::string& name) {
  if (name == "overlap") return Estimator::overlap;
  if (name == "smallest") return Estimator::smallest;
  if (name == "slots") return Estimator::slots;
  if (name == "collision") return Estimator::collision;
  throw nb::value_error("the join knows the estimators overlap, smallest, slots and collision");
}

void make_options(JoinOptions* self, const std::string& estimator, bool sampled, std::uint64_t limit, bool contains,
                  double resemblance, double containment, double floor, double confidence, std::uint32_t floor_reach,
                  std::uint32_t floor_most, std::uint64_t short_part, std::uint64_t short_sample, std::uint32_t hot,
                  unsigned threads) {
  const Evidence evidence{sampled, estimator_of(estimator), limit, contains};
  const bool limited = evidence.estimator == Estimator::smallest || evidence.estimator == Estimator::slots;
  if (limited != (limit != 0)) throw nb::value_error("smallest and slots have a limit, the others have none");
  new (self) JoinOptions{.evidence = evidence,
                         .thresholds = {resemblance, containment, floor, confidence, short_part, short_sample},
                         .floor_reach = floor_reach,
                         .floor_most = floor_most,
                         .hot = hot,
                         .threads = threads};
}

// Features lie end to end in an array, or where the contents hold them.
Postings postings(const Array<std::uint64_t>& offsets, nb::handle features, const Array<std::uint32_t>& weights,
                  const Array<std::uint64_t>& moduli) {
  Postings all;
  all.offsets = span(offsets), all.weights = span(weights), all.moduli = span(moduli);
  if (nb::isinstance<TextContents>(features)) all.starts = nb::cast<const TextContents&>(features).starts();
  else all.features = span(nb::cast<Array<std::uint64_t>>(features, false));  // no copy: the caller keeps it alive
  if (offsets.size() != moduli.size() + 1 || (!all.weights.empty() && all.weights.size() != all.count()) ||
      (all.starts.empty() ? all.features.size() != all.count() : all.starts.size() != moduli.size()))
    throw nb::value_error("the arrays of the postings do not fit together");
  return all;
}

JoinResult py_candidates(const Array<std::uint64_t>& offsets, nb::handle features, const Array<std::uint32_t>& weights,
                         const Array<std::uint64_t>& moduli, const JoinOptions& options,
                         const Array<std::uint8_t>& touched, const Array<std::uint64_t>& common) {
  Postings all = postings(offsets, features, weights, moduli);
  all.touched = {touched.data(), touched.size()};
  all.common = {common.data(), common.size()};
  if (all.partial() && touched.size() != moduli.size()) throw nb::value_error("every content is touched or not");
  Candidates candidates;
  {
    const nb::gil_scoped_release free;
    candidates = find_candidates(all, options);
  }
  return result_of(std::move(candidates));
}

NumPy<std::uint64_t> py_shared(const Array<std::uint64_t>& offsets, const Array<std::uint64_t>& features,
                               const Array<std::uint32_t>& a, const Array<std::uint32_t>& b, unsigned threads) {
  if (a.size() != b.size() || offsets.size() == 0 || offsets.data()[offsets.size() - 1] > features.size())
    throw nb::value_error("the arrays of the lists do not fit together");
  Postings lists;
  lists.offsets = span(offsets), lists.features = span(features);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.data()[i] + 1 >= offsets.size() || b.data()[i] + 1 >= offsets.size())
      throw nb::index_error("a pair names no list");
  std::vector<std::uint64_t> shared(a.size());
  {
    const nb::gil_scoped_release free;
    parallel_blocks(shared.size(), 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i)
        shared[i] = shared_weight(lists.list(a.data()[i]), lists.list(b.data()[i]));
    });
  }
  return array(std::move(shared));
}

using Stage = BoundedJoin::Stage;

void make_join(BoundedJoin* self, const std::string& folder, const Array<std::uint64_t>& moduli,
               const JoinOptions& options, bool weighted, std::uint64_t memory) {
  if (options.evidence.estimator == Estimator::collision) throw nb::value_error("collisions are not joined in bins");
  for (std::size_t i = 0; i < moduli.size(); ++i)
    if (moduli.data()[i] == 0) throw nb::value_error("a modulus of 0");
  from_system(folder, [&] {
    new (self) BoundedJoin(std::make_unique<BoundedState>(folder, span(moduli), weighted, options, memory));
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

JoinResult stars(BoundedJoin& self) {
  return result_of(from_system(self.folder(), [&] { return self.stars(); }));
}

JoinResult join(const BoundedJoin& self, std::uint32_t bin, std::uint32_t other) {
  Candidates candidates;
  candidates.pairs = from_system(self.folder(), [&] { return self.join(bin, other); });
  return result_of(std::move(candidates));
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
  std::vector<double> values;
  {
    const nb::gil_scoped_release free;
    values = cosines(views, pairs, threads);
  }
  return array(std::move(values));
}

nb::tuple py_intervals(const Array<std::uint64_t>& k, const Array<std::uint64_t>& n, double confidence,
                       unsigned threads) {
  std::vector<Interval> intervals(k.size());
  {
    const nb::gil_scoped_release free;
    parallel_blocks(intervals.size(), 64, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (auto i = from; i < to; ++i) intervals[i] = clopper_pearson(k.data()[i], n.data()[i], confidence);
    });
  }
  return nb::make_tuple(column<double>(intervals, [](const Interval& i) { return i.low; }),
                        column<double>(intervals, [](const Interval& i) { return i.high; }));
}

}  // namespace

void register_join(nb::module_& m) {
  nb::class_<JoinOptions>(m, "JoinOptions")
      .def("__init__", make_options, nb::kw_only(), "estimator"_a, "sampled"_a, "limit"_a, "contains"_a,
           "resemblance"_a, "containment"_a, "floor"_a, "confidence"_a, "floor_reach"_a, "floor_most"_a, "short_part"_a,
           "short_sample"_a, "hot"_a, "threads"_a);
  nb::class_<JoinResult>(m, "JoinResult")
      .def_ro("a", &JoinResult::a, nb::rv_policy::reference)
      .def_ro("b", &JoinResult::b, nb::rv_policy::reference)
      .def_ro("shared", &JoinResult::shared, nb::rv_policy::reference)
      .def_ro("size_a", &JoinResult::size_a, nb::rv_policy::reference)
      .def_ro("size_b", &JoinResult::size_b, nb::rv_policy::reference)
      .def_ro("united", &JoinResult::united, nb::rv_policy::reference)
      .def_ro("strong", &JoinResult::strong, nb::rv_policy::reference)
      .def_ro("hot_contents", &JoinResult::hot_contents, nb::rv_policy::reference)
      .def_ro("hot_features", &JoinResult::hot_features)
      .def_ro("hot_links", &JoinResult::hot_links);
  m.def("candidates", py_candidates, "offsets"_a, "features"_a, "weights"_a, "moduli"_a, "options"_a, nb::kw_only(),
        "touched"_a, "common"_a);
  m.def("shared", py_shared, "offsets"_a, "features"_a, "a"_a, "b"_a, nb::kw_only(), "threads"_a);
  nb::class_<BoundedJoin> type(m, "BoundedJoin");
  nb::enum_<Stage>(type, "Stage")
      .value("COUNT", Stage::count)
      .value("ORDER", Stage::order)
      .value("LINK", Stage::link)
      .value("REACH", Stage::reach)
      .value("DISTRIBUTE", Stage::distribute);
  type.def("__init__", make_join, "folder"_a, "moduli"_a, "options"_a, nb::kw_only(), "weighted"_a, "memory"_a)
      .def("add", add, "rows"_a, "offsets"_a, "features"_a, "weights"_a)
      .def("work", work, "stage"_a, "start"_a, "stop"_a)
      .def("stars", stars)
      .def("pairs", &BoundedJoin::pairs)
      .def("join", join, "bin"_a, "other"_a)
      .def_prop_ro("bins", &BoundedJoin::bins)
      .def_prop_ro("spilled", &BoundedJoin::spilled);
  type.attr("PARTS") = BoundedJoin::kParts;
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
  m.def("term_frequencies", py_term_frequencies, "text"_a);
  m.def("cosines", py_cosines, "texts"_a, "a"_a, "b"_a, nb::kw_only(), "threads"_a);
  m.def("intervals", py_intervals, "k"_a, "n"_a, nb::kw_only(), "confidence"_a, "threads"_a = 1);
  m.def("binomial_outside", binomial_outside, "n"_a, "p"_a, nb::kw_only(), "least"_a, "most"_a);
}

}  // namespace nearkin::bindings
