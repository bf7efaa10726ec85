// Bindings of digests, encodings, canonical text, pages, JSON and terms: they convert, release the GIL and raise.
#include "base/parallel.hpp"
#include "base/sha256.hpp"
#include "bindings/convert.hpp"
#include "text/canon.hpp"
#include "text/encoding.hpp"
#include "text/html.hpp"
#include "text/json.hpp"
#include "text/sniff.hpp"
#include "text/soundex.hpp"
#include "text/terms.hpp"

namespace nearkin::bindings {
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
  for (const auto& message : data) views.push_back(view(message));
  std::vector<Digest> digests;
  {
    const nb::gil_scoped_release free;
    digests = portable ? sha256_all_portable(views) : sha256_all(views);
  }
  std::vector<nb::bytes> result;
  for (const Digest& digest : digests) result.emplace_back(digest.data(), digest.size());
  return result;
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

nb::bytes py_visible_text(const nb::bytes& html, bool xml) {
  std::string text;
  {
    const nb::gil_scoped_release free;
    visible_text(view(html), text, nullptr, xml);
  }
  return to_bytes(text);
}

nb::tuple py_page(const nb::bytes& html) {
  std::string text, properties;
  {
    const nb::gil_scoped_release free;
    visible_text(view(html), text, &properties);
  }
  return nb::make_tuple(to_bytes(text), to_bytes(properties));
}

nb::bytes py_unescaped_json(const nb::bytes& text) {
  std::string out;
  bool is_json = false;
  {
    const nb::gil_scoped_release free;
    is_json = unescaped_json(view(text), out);
  }
  return is_json ? to_bytes(out) : text;
}

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

}  // namespace

void register_text(nb::module_& m) {
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
  m.attr("EMPTY") = static_cast<int>(Kind::empty);
  m.attr("TEXT") = static_cast<int>(Kind::text);
  m.attr("HTML") = static_cast<int>(Kind::html);
  m.attr("BINARY") = static_cast<int>(Kind::binary);
  m.attr("UNREAD") = static_cast<int>(Kind::unread);
  m.attr("OTHER") = static_cast<int>(Kind::other);
  m.def("sniff", [](const nb::bytes& data, bool named_html) { return static_cast<int>(sniff(view(data), named_html)); },
        "data"_a, "named_html"_a);
  m.def("is_named_html", [](const nb::bytes& path) { return is_named_html(view(path)); }, "path"_a);
  m.def("is_html", [](const nb::bytes& text, bool named_html) { return is_html(view(text), named_html); }, "text"_a,
        "named_html"_a);
  m.def("detect_wide", [](const nb::bytes& data) { return static_cast<int>(detect_wide(view(data))); },
        "data"_a);
  m.def("visible_text", py_visible_text, "html"_a, nb::kw_only(), "xml"_a = false);
  m.def("page_json", [](const nb::bytes& properties) -> std::optional<std::string> {
    if (needs_python(view(properties))) return std::nullopt;
    std::string json;
    append_property_json(view(properties), json);
    return json;
  }, "properties"_a);
  m.def("page", py_page, "html"_a);
  m.def("unescaped_json", py_unescaped_json, "text"_a);
  m.def("terms", py_terms, "text"_a);
  m.def("letter_counts", py_letter_counts, "text"_a);
}

}  // namespace nearkin::bindings
