// The module. Only the files of bindings know both Python and the kernels; they convert, release the GIL and raise.
#include <algorithm>
#include <utility>

#include "base/binomial.hpp"
#include "base/parallel.hpp"
#include "base/sha256.hpp"
#include "base/union_find.hpp"
#include "bindings/candidate_columns.hpp"
#include "bindings/convert.hpp"
#include "bindings/held_texts.hpp"
#include "ingest/text_contents.hpp"
#include "sign/rabin.hpp"
#include "sign/shingler.hpp"
#include "sign/signature.hpp"
#include "text/canon.hpp"
#include "text/encoding.hpp"
#include "text/soundex.hpp"
#include "verify/verify.hpp"

using namespace nearkin;
using namespace nearkin::bindings;

namespace {

nb::bytes py_sha256(const nb::bytes& data, bool portable) {
  Digest digest;
  {
    const nb::gil_scoped_release free;
    digest = portable ? sha256_portable(view(data)) : sha256(view(data));
  }
  return nb::bytes(digest.data(), digest.size());
}

std::vector<nb::bytes> py_sha256_all(const std::vector<nb::bytes>& data, bool portable) {
  std::vector<std::string_view> views;
  for (const auto& one : data) views.push_back(view(one));
  std::vector<Digest> digests;
  {
    const nb::gil_scoped_release free;
    digests = portable ? sha256_all_portable(views) : sha256_all(views);
  }
  std::vector<nb::bytes> made;
  for (const Digest& digest : digests) made.emplace_back(digest.data(), digest.size());
  return made;
}

nb::bytes py_canonical(const nb::bytes& text, unsigned ignored, bool lines) {
  check_ignored(ignored);
  std::string out;
  {
    const nb::gil_scoped_release free;
    (lines ? canonical_lines : canonical)(view(text), ignored, out);
  }
  return to_bytes(out);
}

std::vector<nb::bytes> py_canonical_all(const std::vector<nb::bytes>& texts, unsigned ignored, unsigned threads,
                                        bool lines) {
  check_ignored(ignored);
  std::vector<std::string_view> views;
  for (const auto& text : texts) views.push_back(view(text));
  std::vector<std::string> out(texts.size());
  {
    const nb::gil_scoped_release free;
    parallel_blocks(views.size(), 64, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) (lines ? canonical_lines : canonical)(views[i], ignored, out[i]);
    });
  }
  std::vector<nb::bytes> result;
  for (const auto& text : out) result.push_back(to_bytes(text));
  return result;
}

nb::tuple py_canonical_map(const nb::bytes& text, unsigned ignored, bool lines) {
  check_ignored(ignored);
  std::string out;
  std::vector<std::uint64_t> origin;
  {
    const nb::gil_scoped_release free;
    (lines ? canonical_lines_map : canonical_map)(view(text), ignored, out, origin);
  }
  return nb::make_tuple(to_bytes(out), array(std::move(origin)));
}

// Features end to end, or where the contents hold them.
Postings postings(const Array<std::uint64_t>& offsets, nb::handle features, const Array<std::uint32_t>& weights,
                  const Array<std::uint64_t>& moduli) {
  Postings all;
  all.offsets = span(offsets), all.weights = span(weights), all.moduli = span(moduli);
  if (nb::isinstance<TextContents>(features)) all.starts = nb::cast<const TextContents&>(features).starts();
  else all.features = span(nb::cast<Array<std::uint64_t>>(features, false));  // not converted: who calls holds it
  if (offsets.size() != moduli.size() + 1 || (!all.weights.empty() && all.weights.size() != all.count()) ||
      (all.starts.empty() ? all.features.size() != all.count() : all.starts.size() != moduli.size()))
    throw nb::value_error("the arrays of the postings do not fit together");
  return all;
}

nb::tuple py_candidates(const Array<std::uint64_t>& offsets, nb::handle features, const Array<std::uint32_t>& weights,
                        const Array<std::uint64_t>& moduli,
                        const std::string& estimator, bool sampled, std::uint64_t limit, bool contains, double resemblance, double containment, double floor, double confidence,
                        std::uint32_t floor_reach, std::uint32_t floor_most, std::uint64_t short_part, std::uint64_t short_sample,
                        std::uint32_t hot, unsigned threads, const Array<std::uint8_t>& touched, const Array<std::uint64_t>& common) {
  Postings all = postings(offsets, features, weights, moduli);
  all.touched = {touched.data(), touched.size()};
  all.common = {common.data(), common.size()};
  if (all.partial() && touched.size() != moduli.size()) throw nb::value_error("every content is touched or not");
  all.evidence = evidence_of(estimator, sampled, limit, contains);
  Candidates met;
  {
    const nb::gil_scoped_release free;
    met = find_candidates(all, {resemblance, containment, floor, confidence, floor_reach, floor_most, short_part, short_sample, hot}, threads);
  }
  return columns(std::move(met));
}

NumPy<std::uint64_t> py_shared(const Array<std::uint64_t>& offsets, const Array<std::uint64_t>& features,
                               const Array<std::uint32_t>& a, const Array<std::uint32_t>& b, unsigned threads) {
  if (a.size() != b.size() || offsets.size() == 0 || offsets.data()[offsets.size() - 1] > features.size())
    throw nb::value_error("the arrays of the lists do not fit together");
  Postings lists;
  lists.offsets = span(offsets), lists.features = span(features);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.data()[i] + 1 >= offsets.size() || b.data()[i] + 1 >= offsets.size()) throw nb::index_error("a pair names no list");
  std::vector<std::uint64_t> found(a.size());
  {
    const nb::gil_scoped_release free;
    parallel_blocks(found.size(), 256, threads, [&](unsigned, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) found[i] = shared_weight(lists.list(a.data()[i]), lists.list(b.data()[i]));
    });
  }
  return array(std::move(found));
}

std::span<const std::uint64_t> left_out_of(const std::optional<Array<std::uint64_t>>& ignored) {
  const auto left_out = ignored ? span(*ignored) : std::span<const std::uint64_t>{};
  if (!std::is_sorted(left_out.begin(), left_out.end())) throw nb::value_error("ignored shingles are not ascending");
  return left_out;
}

nb::tuple py_measure_long(const nb::bytes& a, const nb::bytes& b, const Shingler& shingler, std::uint64_t slices,
                          const std::optional<Array<std::uint64_t>>& ignored) {
  if (!can_be_sliced(shingler) || slices == 0) throw nb::value_error("only byte shingles without labels are sliced");
  const auto left_out = left_out_of(ignored);
  const std::string_view first = view(a), second = view(b);
  Measure found;
  {
    const nb::gil_scoped_release free;
    found = measure_long(first, second, shingler, left_out, slices);
  }
  return nb::make_tuple(found.shared, found.size_a, found.size_b, found.bytes);
}

nb::tuple verify_views(std::span<const std::string_view> views, const Array<std::uint32_t>& a,
                       const Array<std::uint32_t>& b, const Shingler& shingler, double resemblance, double containment,
                       unsigned threads, const std::optional<Array<std::uint64_t>>& ignored) {
  std::vector<Pair> pairs;
  pairs.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.data()[i] >= views.size() || b.data()[i] >= views.size()) throw nb::index_error("a pair names no text");
    pairs.push_back({a.data()[i], b.data()[i]});
  }
  const auto left_out = left_out_of(ignored);
  Uncleared<Measure> measures;
  {
    const nb::gil_scoped_release free;
    measures = verify(views, pairs, shingler, {resemblance, containment}, left_out, threads);
  }
  const Columns<Measure> of(std::move(measures));
  return nb::make_tuple(of(&Measure::shared), of(&Measure::size_a), of(&Measure::size_b), of(&Measure::bytes));
}

nb::tuple py_verify(const std::vector<nb::bytes>& texts, const Array<std::uint32_t>& a, const Array<std::uint32_t>& b,
                    const Shingler& shingler, double resemblance, double containment, unsigned threads,
                    const std::optional<Array<std::uint64_t>>& ignored) {
  std::vector<std::string_view> views;
  for (const auto& text : texts) views.push_back(view(text));
  return verify_views(views, a, b, shingler, resemblance, containment, threads, ignored);
}

nb::tuple py_verify_held(const HeldTexts& texts, const Array<std::uint32_t>& a, const Array<std::uint32_t>& b,
                         const Shingler& shingler, double resemblance, double containment, unsigned threads,
                         const std::optional<Array<std::uint64_t>>& ignored) {
  return verify_views(texts.views, a, b, shingler, resemblance, containment, threads, ignored);
}

nb::tuple py_intervals(const Array<std::uint64_t>& k, const Array<std::uint64_t>& n, double confidence, unsigned threads) {
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
  nb::set_leak_warnings(false);  // a scheme that is alive when Python ends is not a leak

  m.attr("VERSION") = NEARKIN_VERSION;
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

  m.def("sha256", py_sha256, "data"_a, "portable"_a = false);
  m.def("sha256_all", py_sha256_all, "data"_a, "portable"_a = false);
  m.def("valid_utf8", [](const nb::bytes& data) { return valid_utf8(view(data)); }, "data"_a);
  m.def("count_code_points", [](const nb::bytes& utf8) { return count_code_points(view(utf8)); }, "utf8"_a);
  m.def("soundex", [](const nb::bytes& word) {
    const auto code = soundex(view(word));
    return code ? to_bytes({code->data(), code->size()}) : to_bytes({});
  }, "word"_a);
  m.attr("IGNORE_CASE") = ignore::kCase;
  m.attr("IGNORE_PUNCTUATION") = ignore::kPunctuation;
  m.attr("IGNORE_DIGITS") = ignore::kDigits;
  m.attr("IGNORE_ACCENTS") = ignore::kAccents;
  m.def("canonical", py_canonical, "text"_a, "ignore"_a, nb::kw_only(), "lines"_a = false);
  m.def("canonical_all", py_canonical_all, "texts"_a, "ignore"_a, "threads"_a, nb::kw_only(), "lines"_a = false);
  m.def("canonical_map", py_canonical_map, "text"_a, "ignore"_a, nb::kw_only(), "lines"_a = false);

  register_text(m);
  register_schemes(m);
  register_ingest(m);
  register_terms(m);
  register_passages(m);
  register_keep(m);

  m.def("candidates", py_candidates, "offsets"_a, "features"_a, "weights"_a, "moduli"_a, nb::kw_only(), "estimator"_a,
        "sampled"_a, "limit"_a, "contains"_a, "resemblance"_a, "containment"_a, "floor"_a, "confidence"_a, "floor_reach"_a, "floor_most"_a, "short_part"_a, "short_sample"_a, "hot"_a,
        "threads"_a, "touched"_a, "common"_a);
  m.def("shared", py_shared, "offsets"_a, "features"_a, "a"_a, "b"_a, nb::kw_only(), "threads"_a);
  // Held texts first: they pass for a list, too, of bytes that would all be made for it.
  m.def("verify", py_verify_held, "texts"_a, "a"_a, "b"_a, nb::kw_only(), "shingler"_a, "resemblance"_a,
        "containment"_a, "threads"_a, "ignored"_a = nb::none());
  m.def("verify", py_verify, "texts"_a, "a"_a, "b"_a, nb::kw_only(), "shingler"_a, "resemblance"_a,
        "containment"_a, "threads"_a, "ignored"_a = nb::none());
  m.def("measure_long", py_measure_long, "a"_a, "b"_a, nb::kw_only(), "shingler"_a, "slices"_a,
        "ignored"_a = nb::none());
  m.def("intervals", py_intervals, "k"_a, "n"_a, nb::kw_only(), "confidence"_a, "threads"_a = 1);
  m.def("binomial_outside", binomial_outside, "n"_a, "p"_a, nb::kw_only(), "least"_a, "most"_a);
  m.def("components", py_components, "nodes"_a, "a"_a, "b"_a);
  register_greedy(m);
  register_families(m);
  register_segments(m);
  register_bounded(m);
  register_contents(m);
  register_feeds(m);
  register_filing(m);
  register_folder(m);
}
