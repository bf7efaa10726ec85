// Bindings of folders, ingest and contents in memory: they convert, release the GIL and raise.
#include <algorithm>
#include <cstring>
#include <utility>

#include "bindings/convert.hpp"
#include "ingest/files.hpp"
#include "ingest/ingest.hpp"
#include "ingest/text_contents.hpp"
#include "text/encoding.hpp"
#include "text/sniff.hpp"

namespace nearkin::bindings {
namespace {

constexpr int kFolder = -1, kWatched = -2;  // error numbers are positive

// Paths are joined here: Python would make each name once by itself and once more with its folder's.
nb::tuple py_list_folder(const nb::bytes& folder, const nb::bytes& prefix, bool hidden,
                         const std::vector<std::uint64_t>& watched, const std::vector<nb::bytes>& hints, bool ask) {
  const std::vector<std::string> endings = strings(hints);
  const FolderOptions options{hidden, watched, endings, ask};
  const Folder listed = from_system(folder.c_str(), [&] { return list_folder(folder.c_str(), options); });
  nb::list paths, apart;
  const auto before = view(prefix);
  std::string path(before);
  for (const auto& entry : listed.entries) {
    if (entry.kind != Entry::Kind::file) {
      const int what = entry.kind == Entry::Kind::folder    ? kFolder
                       : entry.kind == Entry::Kind::watched ? kWatched
                                                            : entry.error;
      apart.append(nb::make_tuple(nb::len(paths), what));
    }
    path.resize(before.size());
    path += listed.name(entry);
    paths.append(to_bytes(path));
  }
  return nb::make_tuple(std::move(paths), std::move(apart), nb::make_tuple(listed.links, listed.special));
}

// Lists the rows that pass a test.
template <class Test>
nb::list rows_where(const Batch& batch, Test&& test) {
  nb::list rows;
  for (std::size_t i = 0; i < batch.rows.size(); ++i)
    if (test(batch.rows[i])) rows.append(i);
  return rows;
}

Batch py_ingest_files(const nb::bytes& folder, const std::vector<nb::bytes>& paths, const Recipe& recipe,
                      const FormatFilter* filter, Copies* copies, std::uint64_t turn) {
  std::vector<std::string> sources;
  sources.reserve(paths.size());
  for (const auto& path : paths) sources.emplace_back(view(folder)).append(view(path));
  const nb::gil_scoped_release free;
  return ingest_files(sources, recipe, filter, copies, turn);
}

Batch py_ingest_texts(const std::vector<nb::bytes>& texts, const std::vector<bool>& html, const Recipe& recipe) {
  if (texts.size() != html.size()) throw nb::value_error("a text and its kind go together");
  std::vector<DecodedText> decoded;
  for (std::size_t i = 0; i < texts.size(); ++i) decoded.push_back({view(texts[i]), html[i]});
  const nb::gil_scoped_release free;
  return ingest_texts(decoded, recipe);
}

Batch py_ingest_bytes(const std::vector<nb::bytes>& bytes, const std::vector<bool>& named_html, const Recipe& recipe) {
  if (bytes.size() != named_html.size()) throw nb::value_error("bytes and their hint go together");
  std::vector<LooseBytes> documents;
  for (std::size_t i = 0; i < bytes.size(); ++i) documents.push_back({view(bytes[i]), named_html[i]});
  const nb::gil_scoped_release free;
  return ingest_bytes(documents, recipe);
}

nb::bytes py_unchanged(const std::vector<nb::bytes>& paths, const std::vector<std::uint64_t>& sizes,
                       const std::vector<std::int64_t>& mtimes, const std::vector<std::int64_t>& ctimes,
                       const std::vector<std::int64_t>& inodes, unsigned threads) {
  const std::size_t count = paths.size();
  if (sizes.size() != count || mtimes.size() != count || ctimes.size() != count || inodes.size() != count)
    throw nb::value_error("every path has a size, two times and an inode");
  std::vector<FileStamp> files;
  files.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i)
    files.push_back({paths[i].c_str(), sizes[i], mtimes[i], ctimes[i], static_cast<std::uint64_t>(inodes[i])});
  std::vector<std::uint8_t> same;
  {
    const nb::gil_scoped_release free;
    same = unchanged_files(files, threads);
  }
  return nb::bytes(same.data(), same.size());
}

// Makes a column of a batch a list, as it is used: slicing it in Python held the GIL much longer.
template <class Get>
nb::list column_list(const Batch& batch, Get&& get) {
  nb::list values;
  for (const auto& row : batch.rows) values.append(get(row));
  return values;
}

// Cuts what lies end to end into pieces, row i from ends[i-1] to ends[i]. Arrays of bytes go to SQLite as they are,
// which would have to copy bytes into them.
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

// Moves texts out of the batch, so that large ones are not held twice.
template <auto Column>
nb::list take_column(Batch& batch, const std::vector<std::uint64_t>& ends) {
  const std::string& texts = batch.*Column;
  if (!ends.empty() && ends.back() != texts.size()) throw nb::value_error("the texts were taken already");
  nb::list taken = pieces(texts.data(), ends);
  RecycledColumn<Column>::reclaim(batch);
  return taken;
}

nb::list take_texts(Batch& batch) { return take_column<&Batch::texts>(batch, batch.text_ends); }

nb::list take_canonical(Batch& batch) {
  std::vector<std::uint64_t> ends;
  for (const auto& row : batch.rows) ends.push_back((ends.empty() ? 0 : ends.back()) + (row.copy ? 0 : row.length));
  return take_column<&Batch::canonical>(batch, ends);
}

// Returns the bytes of a text. Nearly all strings are ASCII, and their memory is UTF-8 already.
std::string_view bytes_of(nb::handle text) {
  PyObject* const object = text.ptr();
  if (PyBytes_Check(object)) return {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))};
  if (PyUnicode_Check(object) && PyUnicode_IS_COMPACT_ASCII(object))
    return {static_cast<const char*>(PyUnicode_DATA(object)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(object))};
  throw nb::type_error("a text is bytes or a str of ASCII");
}

Batch py_ingest_contents(const std::vector<nb::object>& texts, const Recipe& recipe) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (const auto& text : texts) views.push_back(bytes_of(text));
  const nb::gil_scoped_release free;
  return ingest_contents(views, recipe);
}

Batch py_ingest_column(const Array<std::int64_t>& offsets, const Array<std::uint8_t>& data, const Recipe& recipe) {
  const std::string_view all(reinterpret_cast<const char*>(data.data()), data.size());
  const auto at = [&](std::size_t place) { return static_cast<std::size_t>(offsets.data()[place]); };
  if (offsets.size() == 0 || offsets.data()[0] < 0) throw nb::index_error("a text begins nowhere");
  std::vector<std::string_view> views;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (at(i) < at(i - 1) || at(i) > all.size()) throw nb::index_error("a text ends nowhere");
    views.push_back(all.substr(at(i - 1), at(i) - at(i - 1)));
  }
  const nb::gil_scoped_release free;
  for (const auto text : views)
    if (!valid_utf8(text)) throw nb::value_error("a text is not UTF-8");
  return ingest_contents(views, recipe);
}

void py_add(TextContents& self, Batch& batch) {
  const nb::gil_scoped_release free;
  self.add(std::exchange(batch, {}));
}

void py_put_in_order(TextContents& self, bool weighted) {
  const nb::gil_scoped_release free;
  self.sort(weighted);
}

// Lends an array without a copy: its owner lives as long as the array.
template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> lent(nb::handle owner, std::span<const T> values) {
  return {values.data(), {values.size()}, owner};
}

bool py_put_in_order_of(TextContents& self, const std::vector<nb::bytes>& digests) {
  std::vector<Digest> wanted(digests.size());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    if (digests[i].size() != wanted[i].size()) throw nb::value_error("a digest has 32 bytes");
    std::memcpy(wanted[i].data(), digests[i].c_str(), wanted[i].size());
  }
  const nb::gil_scoped_release free;
  return self.sort_like(wanted);
}

HeldFeatures py_features_of(nb::handle owner, const Array<std::int64_t>& rows) {
  auto& self = nb::cast<TextContents&>(owner);
  const auto count = static_cast<std::int64_t>(self.moduli().size());
  for (const auto row : span(rows))
    if (row < -1 || row >= count) throw nb::index_error("a row names no content");
  return {nb::borrow(owner), self.features_of(span(rows))};
}

NumPy<std::int64_t> py_lengths(const TextContents& self) {
  std::vector<std::int64_t> lengths;
  for (const auto text : self.texts()) lengths.push_back(static_cast<std::int64_t>(text.size()));
  return array(std::move(lengths));
}

HeldTexts py_texts(nb::handle owner, const std::vector<std::uint32_t>& rows) {
  const auto all = nb::cast<const TextContents&>(owner).texts();
  HeldTexts texts{nb::borrow(owner), {}};
  for (const auto row : rows) {
    if (row >= all.size()) throw nb::index_error("a row names no content");
    texts.views.push_back(all[row]);
  }
  return texts;
}

}  // namespace

void register_ingest(nb::module_& m) {
  m.attr("FOLDER") = kFolder;
  m.attr("WATCHED") = kWatched;
  m.def("list_folder", py_list_folder, "folder"_a, "prefix"_a, nb::kw_only(), "hidden"_a, "watched"_a,
        "hints"_a = nb::list(), "ask"_a = false);
  m.attr("STORE_HEADER") = kStoreHeader;
  m.def("is_store_header", [](const nb::bytes& bytes) { return is_store_header(view(bytes)); }, "bytes"_a);
  nb::class_<Recipe>(m, "Recipe").def("__init__", [](Recipe* self, const Scheme& scheme, bool raw, unsigned ignored,
                                                     bool lines, std::uint64_t max_size) {
    check_ignored(ignored);
    new (self) Recipe{scheme, raw, ignored, lines, max_size};
  }, nb::kw_only(), "scheme"_a, "raw"_a, "ignore"_a, "lines"_a, "max_size"_a)
      .def_ro("raw", &Recipe::raw)
      .def_ro("max_size", &Recipe::max_size);
  nb::class_<FormatFilter>(m, "Suspects")
      .def("__init__", [](FormatFilter* self, const std::vector<nb::bytes>& endings,
                          const std::vector<nb::bytes>& marks) {
        new (self) FormatFilter(strings(endings), strings(marks));
      }, nb::kw_only(), "endings"_a, "marks"_a)
      .def("by_name", [](const FormatFilter& self, const nb::bytes& path) {
        return self.by_name(view(path));
      }, "path"_a)
      .def("by_content", [](const FormatFilter& self, const nb::bytes& bytes, int kind) {
        return self.by_content(view(bytes), static_cast<Kind>(kind));
      }, "bytes"_a, "kind"_a);
  const auto rows = [](auto get) { return [get](const Batch& batch) { return column_list(batch, get); }; };
  const auto with_hint = [](FormatHint hint) {
    return [hint](const Batch& batch) {
      return rows_where(batch, [hint](const BatchRow& r) { return r.hint == hint; });
    };
  };
  nb::class_<Batch>(m, "Batch")
      .def("__len__", [](const Batch& batch) { return batch.rows.size(); })
      .def_prop_ro("held", [](const Batch& batch) {
        return batch.texts.size() + batch.canonical.size() + batch.features.size() * sizeof(std::uint64_t);
      })
      .def_prop_ro("errors", rows([](const BatchRow& r) { return r.error; }))
      .def_prop_ro("kinds", rows([](const BatchRow& r) { return static_cast<int>(r.kind); }))
      .def_prop_ro("sizes", rows([](const BatchRow& r) { return r.size; }))
      .def_prop_ro("mtimes", rows([](const BatchRow& r) { return r.mtime_ns; }))
      .def_prop_ro("ctimes", rows([](const BatchRow& r) { return r.ctime_ns; }))
      .def_prop_ro("inodes", rows([](const BatchRow& r) { return static_cast<std::int64_t>(r.inode); }))
      .def_prop_ro("owners", rows([](const BatchRow& r) { return r.owner; }))
      .def_prop_ro("characters", rows([](const BatchRow& r) { return r.characters; }))
      .def_prop_ro("lengths", rows([](const BatchRow& r) { return r.length; }))
      .def_prop_ro("moduli", rows([](const BatchRow& r) { return r.modulus; }))
      .def_prop_ro("digests", rows([](const BatchRow& r) { return digest_or_none(r.has_digest(), r.digest); }))
      .def_prop_ro("contents",
                   rows([](const BatchRow& r) { return digest_or_none(r.has_content(), r.content_digest); }))
      .def_prop_ro("named", with_hint(FormatHint::by_name))
      .def_prop_ro("marked", with_hint(FormatHint::by_content))
      .def_prop_ro("stores", with_hint(FormatHint::store))
      .def_prop_ro("copies",
                   [](const Batch& batch) { return rows_where(batch, [](const BatchRow& r) { return r.copy; }); })
      .def("take_texts", take_texts)
      .def("lend_texts", [](Batch& batch) {
        const auto* const data = reinterpret_cast<const std::uint8_t*>(batch.texts.data());
        return nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(data, {batch.texts.size()}, nb::find(batch));
      })
      .def("drop_texts", drop_texts)
      .def("take_canonical", take_canonical)
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
  m.def("ingest_contents", py_ingest_contents, "texts"_a, "recipe"_a);
  m.def("ingest_column", py_ingest_column, "offsets"_a, "data"_a, "recipe"_a);
  nb::class_<HeldTexts>(m, "HeldTexts")
      .def("__len__", [](const HeldTexts& self) { return self.views.size(); })
      .def_prop_ro("complete",
                   [](const HeldTexts& self) { return std::ranges::none_of(self.views, &std::string_view::empty); })
      .def("__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); })
      .def("__getitem__", [](const HeldTexts& self, std::size_t at) {
        if (at >= self.views.size()) throw nb::index_error("there are no more texts");
        return to_bytes(self.views[at]);
      });
  nb::class_<HeldFeatures>(m, "HeldFeatures")
      .def("__len__", [](const HeldFeatures& self) { return self.views.size(); })
      .def("__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); })
      .def("__getitem__", [](const HeldFeatures& self, std::size_t at) {
        if (at >= self.views.size()) throw nb::index_error("there are no more contents");
        return lent(self.owner, self.views[at]);
      }, nb::rv_policy::automatic)
      .def("joined", [](const HeldFeatures& self) {
        std::vector<std::uint64_t> all;
        std::size_t size = 0;
        for (const auto features : self.views) size += features.size();
        all.reserve(size);
        for (const auto features : self.views) all.insert(all.end(), features.begin(), features.end());
        return array(std::move(all));
      });
  m.attr("NOTHING") = TextContents::kNothing;
  const auto lends = [](auto get) {
    return [get](nb::handle self) { return lent(self, get(nb::cast<TextContents&>(self))); };
  };
  constexpr auto as_it_is = nb::rv_policy::automatic;
  nb::class_<TextContents>(m, "TextContents")
      .def(nb::init<std::uint64_t, std::uint64_t>(), nb::kw_only(), "for_texts"_a = TextContents::kAny,
           "for_features"_a = TextContents::kAny)
      .def("add", py_add, "batch"_a)
      .def("put_in_order", py_put_in_order, nb::kw_only(), "weighted"_a)
      .def("put_in_order_of", py_put_in_order_of, "digests"_a)
      .def("features_of", py_features_of, "rows"_a)
      .def("texts", py_texts, "rows"_a)
      .def_prop_ro("lengths", py_lengths, as_it_is)
      .def_prop_ro("holding", lends([](const TextContents& self) { return self.content_of(); }), as_it_is)
      .def_prop_ro("offsets", lends([](const TextContents& self) { return self.offsets(); }), as_it_is)
      .def_prop_ro("features", lends([](TextContents& self) { return self.features(); }), as_it_is)
      .def_prop_ro("weights", lends([](const TextContents& self) { return self.weights(); }), as_it_is)
      .def_prop_ro("moduli", lends([](const TextContents& self) { return self.moduli(); }), as_it_is);
}

}  // namespace nearkin::bindings
