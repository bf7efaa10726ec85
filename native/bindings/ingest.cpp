// Files and texts on their way to signatures, as Python sees them. It converts, releases the GIL and raises; nothing else.
#include <utility>

#include "bindings/convert.hpp"
#include "ingest/files.hpp"
#include "ingest/ingest.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

// Which rows are such.
template <class Test>
nb::list chosen(const Batch& batch, Test&& test) {
  nb::list rows;
  for (std::size_t i = 0; i < batch.rows.size(); ++i)
    if (test(batch.rows[i])) rows.append(i);
  return rows;
}

Batch py_ingest_files(const nb::bytes& folder, const std::vector<nb::bytes>& paths, const Recipe& recipe,
                      const Suspects* suspects, Copies* copies, std::uint64_t turn) {
  std::vector<std::string> sources;
  sources.reserve(paths.size());
  for (const auto& path : paths) sources.emplace_back(view(folder)).append(view(path));
  const nb::gil_scoped_release free;
  return ingest_files(sources, recipe, suspects, copies, turn);
}

Batch py_ingest_texts(const std::vector<nb::bytes>& texts, const std::vector<bool>& html, const Recipe& recipe) {
  if (texts.size() != html.size()) throw nb::value_error("a text and its kind go together");
  std::vector<Decoded> decoded;
  for (std::size_t i = 0; i < texts.size(); ++i) decoded.push_back({view(texts[i]), html[i]});
  const nb::gil_scoped_release free;
  return ingest_texts(decoded, recipe);
}

Batch py_ingest_bytes(const std::vector<nb::bytes>& bytes, const std::vector<bool>& named_html, const Recipe& recipe) {
  if (bytes.size() != named_html.size()) throw nb::value_error("bytes and their hint go together");
  std::vector<Held> held;
  for (std::size_t i = 0; i < bytes.size(); ++i) held.push_back({view(bytes[i]), named_html[i]});
  const nb::gil_scoped_release free;
  return ingest_bytes(held, recipe);
}

nb::bytes py_unchanged(const std::vector<nb::bytes>& paths, const std::vector<std::uint64_t>& sizes,
                       const std::vector<std::int64_t>& mtimes, const std::vector<std::int64_t>& ctimes,
                       const std::vector<std::int64_t>& inodes, unsigned threads) {
  if (sizes.size() != paths.size() || mtimes.size() != paths.size() || ctimes.size() != paths.size() || inodes.size() != paths.size())
    throw nb::value_error("every path has a size, two times and an inode");
  std::vector<FileStamp> files;
  files.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i)
    files.push_back({paths[i].c_str(), sizes[i], mtimes[i], ctimes[i], static_cast<std::uint64_t>(inodes[i])});
  std::vector<std::uint8_t> same;
  {
    const nb::gil_scoped_release free;
    same = unchanged(files, threads);
  }
  return nb::bytes(same.data(), same.size());
}

// Columns of a batch as the lists they are used as: slicing them in Python held the GIL much longer.
template <class Get>
nb::list listed(const Batch& batch, Get&& get) {
  nb::list values;
  for (const auto& row : batch.rows) values.append(get(row));
  return values;
}

// What lies end to end, row i from ends[i-1] to ends[i]. Arrays of bytes where SQLite is given them as they are: it takes
// these at once, and would have to have bytes made into them.
template <class Bytes = nb::bytes, class T>
nb::list pieces(const T* data, const std::vector<std::uint64_t>& ends) {
  nb::list values;
  std::uint64_t start = 0;
  for (const auto end : ends) {
    values.append(Bytes(reinterpret_cast<const char*>(data + start), (end - start) * sizeof(T)));
    start = end;
  }
  return values;
}

nb::object digest_or_none(bool known, const Digest& digest) {
  return known ? nb::object(nb::bytes(digest.data(), digest.size())) : nb::none();
}

// Texts are given away, not lent: what is large is not held twice.
template <auto Column>
nb::list given_away(Batch& batch, const std::vector<std::uint64_t>& ends) {
  const std::string& texts = batch.*Column;
  if (!ends.empty() && ends.back() != texts.size()) throw nb::value_error("the texts were taken already");
  nb::list given = pieces(texts.data(), ends);
  Recycled<Column>::give_back(batch);
  return given;
}

nb::list take_texts(Batch& batch) { return given_away<&Batch::texts>(batch, batch.text_ends); }

nb::list take_canonical(Batch& batch) {
  std::vector<std::uint64_t> ends;
  for (const auto& row : batch.rows) ends.push_back((ends.empty() ? 0 : ends.back()) + (row.copy ? 0 : row.length));
  return given_away<&Batch::canonical>(batch, ends);
}

}  // namespace

void register_ingest(nb::module_& m) {
  nb::class_<Recipe>(m, "Recipe").def("__init__", [](Recipe* self, const Scheme& scheme, bool raw, unsigned ignored,
                                                     bool lines, std::uint64_t max_size) {
    check_ignored(ignored);
    new (self) Recipe{scheme, raw, ignored, lines, max_size};
  }, nb::kw_only(), "scheme"_a, "raw"_a, "ignore"_a, "lines"_a, "max_size"_a)
      .def_ro("raw", &Recipe::raw)
      .def_ro("max_size", &Recipe::max_size);
  nb::class_<Suspects>(m, "Suspects")
      .def("__init__", [](Suspects* self, const std::vector<nb::bytes>& endings, const std::vector<nb::bytes>& marks) {
        new (self) Suspects(strings(endings), strings(marks));
      }, nb::kw_only(), "endings"_a, "marks"_a)
      .def("by_name", [](const Suspects& self, const nb::bytes& path) { return self.by_name(view(path)); }, "path"_a)
      .def("by_content", [](const Suspects& self, const nb::bytes& bytes, int kind) {
        return self.by_content(view(bytes), static_cast<Kind>(kind));
      }, "bytes"_a, "kind"_a);
  const auto rows = [](auto get) { return [get](const Batch& batch) { return listed(batch, get); }; };
  nb::class_<Batch>(m, "Batch")
      .def("__len__", [](const Batch& batch) { return batch.rows.size(); })
      .def_prop_ro("held", [](const Batch& batch) {
        return batch.texts.size() + batch.canonical.size() + batch.features.size() * sizeof(std::uint64_t);
      })
      .def_prop_ro("errors", rows([](const Ingested& r) { return r.error; }))
      .def_prop_ro("kinds", rows([](const Ingested& r) { return static_cast<int>(r.kind); }))
      .def_prop_ro("sizes", rows([](const Ingested& r) { return r.size; }))
      .def_prop_ro("mtimes", rows([](const Ingested& r) { return r.mtime_ns; }))
      .def_prop_ro("ctimes", rows([](const Ingested& r) { return r.ctime_ns; }))
      .def_prop_ro("inodes", rows([](const Ingested& r) { return static_cast<std::int64_t>(r.inode); }))
      .def_prop_ro("owners", rows([](const Ingested& r) { return r.owner; }))
      .def_prop_ro("characters", rows([](const Ingested& r) { return r.characters; }))
      .def_prop_ro("lengths", rows([](const Ingested& r) { return r.length; }))
      .def_prop_ro("moduli", rows([](const Ingested& r) { return r.modulus; }))
      .def_prop_ro("digests", rows([](const Ingested& r) { return digest_or_none(r.has_digest(), r.digest); }))
      .def_prop_ro("contents", rows([](const Ingested& r) { return digest_or_none(r.has_content(), r.content_digest); }))
      .def_prop_ro("named", [](const Batch& batch) { return chosen(batch, [](const Ingested& r) { return r.suspect == Suspect::by_name; }); })
      .def_prop_ro("marked", [](const Batch& batch) { return chosen(batch, [](const Ingested& r) { return r.suspect == Suspect::by_content; }); })
      .def_prop_ro("stores", [](const Batch& batch) { return chosen(batch, [](const Ingested& r) { return r.suspect == Suspect::store; }); })
      .def_prop_ro("copies", [](const Batch& batch) { return chosen(batch, [](const Ingested& r) { return r.copy; }); })
      .def("take_texts", take_texts)
      .def("lend_texts", [](Batch& batch) {
        return nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(reinterpret_cast<const std::uint8_t*>(batch.texts.data()), {batch.texts.size()}, nb::find(batch));
      })
      .def("drop_texts", drop_texts)
      .def("take_canonical", take_canonical)
      .def_prop_ro("properties", [](const Batch& b) { return pieces(b.properties.data(), b.property_ends); })
      .def_prop_ro("features", [](const Batch& b) { return pieces<nb::bytearray>(b.features.data(), b.feature_ends); })
      .def_prop_ro("weights", [](const Batch& b) -> nb::object {
        if (b.weights.empty()) return nb::none();
        return pieces<nb::bytearray>(b.weights.data(), b.feature_ends);
      });
  m.attr("NO_OWNER") = kNoOwner;
  nb::class_<Copies>(m, "Copies").def(nb::init<>());
  m.def("ingest_files", py_ingest_files, "folder"_a, "paths"_a, "recipe"_a, "suspects"_a = nb::none(),
        "copies"_a = nb::none(), "turn"_a = 0);
  m.def("ingest_bytes", py_ingest_bytes, "bytes"_a, "named_html"_a, "recipe"_a);
  m.def("unchanged", py_unchanged, "paths"_a, "sizes"_a, "mtimes"_a, "ctimes"_a, "inodes"_a, "threads"_a);
  m.def("ingest_texts", py_ingest_texts, "texts"_a, "html"_a, "recipe"_a);
}

}  // namespace nearkin::bindings
