// Bindings of segments and their search: they convert, release the GIL and raise.
#include <algorithm>

#include "bindings/convert.hpp"
#include "index/segment.hpp"
#include "index/segment_search.hpp"

namespace nearkin::bindings {
namespace {

segment::Token token_of(const nb::bytes& token) {
  segment::Token result{};
  if (token.size() != result.size()) throw nb::value_error("a token has 16 bytes");
  std::copy_n(token.c_str(), result.size(), reinterpret_cast<char*>(result.data()));
  return result;
}

// Features lie end to end in an array, or where they are held.
std::vector<SourceList> lists_of(std::span<const std::uint64_t> offsets, nb::handle features,
                                 std::span<const std::uint32_t> weights) {
  const bool held = nb::isinstance<HeldFeatures>(features);
  std::span<const std::span<const std::uint64_t>> views;
  std::span<const std::uint64_t> all;
  if (held) views = nb::cast<const HeldFeatures&>(features).views;
  else all = span(nb::cast<Array<std::uint64_t>>(features, false));  // no copy: the caller keeps it alive
  const bool fits = !offsets.empty() && std::ranges::is_sorted(offsets) &&
                    (held ? views.size() + 1 == offsets.size() : offsets.back() == all.size()) &&
                    (weights.empty() || weights.size() == offsets.back());
  if (!fits) throw nb::value_error("the arrays of a segment do not fit together");
  std::vector<SourceList> lists(offsets.size() - 1);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::uint64_t from = offsets[i], size = offsets[i + 1] - from;
    lists[i].features = held ? views[i] : all.subspan(from, size);
    if (!weights.empty()) lists[i].weights = weights.subspan(from, size);
  }
  return lists;
}

Segment py_segment(const Array<std::int64_t>& contents, const Array<std::uint64_t>& offsets, nb::handle features,
                   const Array<std::uint32_t>& weights, const Array<std::uint64_t>& moduli, std::uint64_t base,
                   std::uint32_t levels, const Array<std::uint64_t>& ignored, const nb::bytes& token) {
  const segment::Token named = token_of(token);
  const std::vector<SourceList> lists = lists_of(span(offsets), features, span(weights));
  const SegmentSource source{span(contents), lists, weights.size() > 0, span(moduli), span(ignored)};
  const nb::gil_scoped_release free;
  return Segment::build(source, base, levels, named);
}

void py_merge(const std::vector<const Segment*>& segments, const std::string& path, const nb::bytes& token) {
  const segment::Token named = token_of(token);
  from_system("a segment of the store", [&] { merge_segments(segments, named, path); });
}

nb::tuple py_search(const Segment& segment, const Array<std::uint64_t>& features, const Array<std::uint32_t>& weights,
                    std::uint64_t modulus, const Thresholds& thresholds) {
  const SegmentQuery query{span(features), span(weights), modulus};
  std::vector<SegmentMatch> matches;
  {
    const nb::gil_scoped_release free;
    matches = search_segment(segment, query, thresholds);
  }
  return nb::make_tuple(column<std::int64_t>(matches, [](const SegmentMatch& m) { return m.content; }),
                        column<std::uint64_t>(matches, [](const SegmentMatch& m) { return m.shared; }),
                        column<std::uint64_t>(matches, [](const SegmentMatch& m) { return m.query_size; }),
                        column<std::uint64_t>(matches, [](const SegmentMatch& m) { return m.size; }),
                        column<std::uint64_t>(matches, [](const SegmentMatch& m) { return m.modulus; }));
}

nb::tuple py_lists(const Segment& segment, const Array<std::uint64_t>& features) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::int64_t> contents;
  {
    const nb::gil_scoped_release free;
    std::vector<std::uint32_t> places;
    segment.find(span(features), places);
    for (const auto place : places) {
      if (place != Segment::kNowhere) {
        for (const auto rank : segment.list(segment.values()[place]).ranks) {
          if (rank >= segment.contents().size()) throw SegmentError("the segment is damaged");
          contents.push_back(segment.contents()[rank]);
        }
      }
      offsets.push_back(contents.size());
    }
  }
  return nb::make_tuple(array(std::move(offsets)), array(std::move(contents)));
}

Estimator estimator_of(const std::string& name) {
  if (name == "overlap") return Estimator::overlap;
  if (name == "smallest") return Estimator::smallest;
  if (name == "slots") return Estimator::slots;
  throw nb::value_error("segments know the estimators overlap, smallest and slots");
}

}  // namespace

void register_index(nb::module_& m) {
  nb::class_<Thresholds>(m, "Thresholds").def(
      "__init__",
      [](Thresholds* self, const std::string& estimator, bool sampled, std::uint64_t limit, bool contains,
         double resemblance, double containment, double floor, double confidence) {
        const Evidence evidence{sampled, estimator_of(estimator), limit, contains};
        new (self) Thresholds(evidence, {resemblance, containment, floor, confidence});
      },
      nb::kw_only(), "estimator"_a, "sampled"_a, "limit"_a, "contains"_a, "resemblance"_a, "containment"_a, "floor"_a,
      "confidence"_a);
  nb::class_<Segment>(m, "Segment")
      .def_static("of", py_segment, "contents"_a, "offsets"_a, "features"_a, "weights"_a, "moduli"_a, nb::kw_only(),
                  "base"_a, "levels"_a, "ignored"_a, "token"_a)
      .def_static("open", [](const std::string& path, const nb::bytes& token) {
        const segment::Token named = token_of(token);
        return from_system("a segment of the store", [&] { return Segment::open(path, named); });
      }, "path"_a, "token"_a)
      .def_static("merge", py_merge, "segments"_a, "path"_a, nb::kw_only(), "token"_a)
      .def("save", [](const Segment& self, const std::string& path) {
        from_system("a segment of the store", [&] { self.save(path); });
      }, "path"_a)
      .def("populate", &Segment::populate, nb::call_guard<nb::gil_scoped_release>())
      .def("intact", &Segment::intact, nb::call_guard<nb::gil_scoped_release>())
      .def("search", py_search, "features"_a, "weights"_a, nb::kw_only(), "modulus"_a, "thresholds"_a)
      .def("lists", py_lists, "features"_a)
      .def_prop_ro("contents", [](const Segment& self) {
        return array(std::vector<std::int64_t>(self.contents().begin(), self.contents().end()));
      }, nb::rv_policy::automatic)
      .def_prop_ro("features", [](const Segment& self) { return self.header().features; })
      .def_prop_ro("postings", [](const Segment& self) { return self.header().postings; })
      .def_prop_ro("size", &Segment::bytes)
      .def("__len__", [](const Segment& self) { return self.header().contents; });
}

}  // namespace nearkin::bindings
