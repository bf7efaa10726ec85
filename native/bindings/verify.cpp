// Bindings of verification, passages and edits: they convert, release the GIL and raise.
#include <algorithm>

#include "bindings/convert.hpp"
#include "passages/passages.hpp"
#include "passages/word_edits.hpp"
#include "verify/verify.hpp"

namespace nearkin::bindings {
namespace {

std::span<const std::uint64_t> ignored_shingles(const std::optional<Array<std::uint64_t>>& ignored) {
  const auto shingles = ignored ? span(*ignored) : std::span<const std::uint64_t>{};
  if (!std::is_sorted(shingles.begin(), shingles.end())) throw nb::value_error("ignored shingles are not ascending");
  return shingles;
}

nb::tuple py_measure_long(const nb::bytes& a, const nb::bytes& b, const Shingler& shingler, std::uint64_t slices,
                          const std::optional<Array<std::uint64_t>>& ignored) {
  if (!can_be_sliced(shingler) || slices == 0) throw nb::value_error("only byte shingles without labels are sliced");
  const auto shingles = ignored_shingles(ignored);
  const std::string_view first = view(a), second = view(b);
  Measure measure;
  {
    const nb::gil_scoped_release free;
    measure = measure_long(first, second, shingler, shingles, slices);
  }
  return nb::make_tuple(measure.shared, measure.size_a, measure.size_b, measure.bytes);
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
  const auto shingles = ignored_shingles(ignored);
  UninitVector<Measure> measures;
  {
    const nb::gil_scoped_release free;
    measures = verify(views, pairs, shingler, {resemblance, containment}, shingles, threads);
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

template <class Row>
nb::tuple places(const std::vector<Row>& rows) {
  return nb::make_tuple(column<std::uint64_t>(rows, [](const Row& r) { return r.a_start; }),
                        column<std::uint64_t>(rows, [](const Row& r) { return r.a_end; }),
                        column<std::uint64_t>(rows, [](const Row& r) { return r.b_start; }),
                        column<std::uint64_t>(rows, [](const Row& r) { return r.b_end; }));
}

nb::tuple py_passages(const nb::bytes& a, const nb::bytes& b, std::uint64_t least, bool raw) {
  std::vector<ListedPassage> passages;
  {
    const nb::gil_scoped_release free;
    passages = common_passages(view(a), view(b), least, raw ? Reading::bytes : Reading::words);
  }
  return nb::make_tuple(places(passages), column<std::uint8_t>(passages, [](const ListedPassage& p) {
                          return static_cast<std::uint8_t>(p.kind);
                        }));
}

nb::object py_word_edits(const nb::bytes& a, const nb::bytes& b, std::uint32_t most) {
  std::optional<WordEdits> result;
  {
    const nb::gil_scoped_release free;
    result = word_edits(view(a), view(b), most);
  }
  if (!result) return nb::none();
  return nb::make_tuple(result->distance, places(result->edits));
}

nb::bytes py_holding(const nb::bytes& text, const std::vector<nb::bytes>& others, std::size_t window,
                     unsigned threads) {
  if (window == 0) throw nb::value_error("a window has at least one byte");
  std::vector<std::string_view> views;
  for (const auto& other : others) views.push_back(view(other));
  std::vector<std::uint8_t> shares;
  {
    const nb::gil_scoped_release free;
    shares = share_windows(view(text), views, window, threads);
  }
  return nb::bytes(shares.data(), shares.size());
}

}  // namespace

void register_verify(nb::module_& m) {
  // The overload for held texts comes first: they also pass for a list, but of bytes that would all be copied for it.
  m.def("verify", py_verify_held, "texts"_a, "a"_a, "b"_a, nb::kw_only(), "shingler"_a, "resemblance"_a,
        "containment"_a, "threads"_a, "ignored"_a = nb::none());
  m.def("verify", py_verify, "texts"_a, "a"_a, "b"_a, nb::kw_only(), "shingler"_a, "resemblance"_a,
        "containment"_a, "threads"_a, "ignored"_a = nb::none());
  m.def("measure_long", py_measure_long, "a"_a, "b"_a, nb::kw_only(), "shingler"_a, "slices"_a,
        "ignored"_a = nb::none());
  m.def("passages", py_passages, "a"_a, "b"_a, nb::kw_only(), "least"_a, "raw"_a);
  m.def("word_edits", py_word_edits, "a"_a, "b"_a, nb::kw_only(), "most"_a);
  m.def("holding", py_holding, "text"_a, "others"_a, nb::kw_only(), "window"_a, "threads"_a);
}

}  // namespace nearkin::bindings
