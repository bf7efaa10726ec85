// Rows and batches on their way into SQLite, as Python sees them. It converts, releases the GIL and raises; nothing
// else.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "bindings/convert.hpp"
#include "ingest/text_contents.hpp"
#include "sqlite/batch_insert.hpp"
#include "sqlite/columns.hpp"
#include "text/json.hpp"

namespace nearkin::bindings {
namespace {

// A column for SQLite as Python sees it: nothing but that it is one.
struct ColumnObject {
  std::shared_ptr<const Column> column;
  std::size_t rows;
  nb::object owner;  // of what it reads
};

// As Python's own module would give it to SQLite, without looking for an adapter (sqlite3.register_adapter).
Value value_of(nb::handle given) {
  PyObject* const one = given.ptr();
  if (one == Py_None) return {};
  if (PyFloat_Check(one)) return Value::of(PyFloat_AS_DOUBLE(one));
  if (PyLong_Check(one)) {
    const long long number = PyLong_AsLongLong(one);
    if (number == -1 && PyErr_Occurred()) throw nb::python_error();
    return Value::of(static_cast<std::int64_t>(number));
  }
  if (PyUnicode_Check(one)) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(one, &size);
    if (text == nullptr) throw nb::python_error();
    return Value::text({text, static_cast<std::size_t>(size)});
  }
  if (PyBytes_Check(one)) return Value::bytes({PyBytes_AS_STRING(one), static_cast<std::size_t>(PyBytes_GET_SIZE(one))});
  if (PyByteArray_Check(one))
    return Value::bytes({PyByteArray_AS_STRING(one), static_cast<std::size_t>(PyByteArray_GET_SIZE(one))});
  throw nb::type_error("SQLite takes numbers, texts and bytes");
}

// A column as Python gave it, and its length.
struct Given {
  std::shared_ptr<const Column> column;
  std::size_t rows = 0;
};

Given of_list(nb::handle list) {
  const auto size = static_cast<std::size_t>(PyList_GET_SIZE(list.ptr()));
  std::vector<Value> values;
  values.reserve(size);
  for (std::size_t i = 0; i < size; ++i) values.push_back(value_of(PyList_GET_ITEM(list.ptr(), i)));
  return {column_of([values = std::move(values)](std::size_t row) { return values[row]; }), size};
}

template <class... Numbers>
Given of_numbers(nb::handle given) {
  Given found;
  const auto is = [&]<class Number>(Number) {
    Array<Number> array;
    if (found.column == nullptr && nb::try_cast(given, array, false)) found = {column_of_numbers(span(array)), array.size()};
  };
  (is(Numbers{}), ...);
  if (found.column == nullptr) throw nb::type_error("a column is a list, an array of numbers, or one of the core's own");
  return found;
}

Given given_as(nb::handle given) {
  if (PyList_Check(given.ptr())) return of_list(given);
  if (const ColumnObject* own = nullptr; nb::try_cast(given, own, false)) return {own->column, own->rows};
  return of_numbers<std::int64_t, std::uint32_t, std::uint8_t, bool, double>(given);
}

// The columns themselves are kept with it: values are read where they are.
class FeedObject {
 public:
  explicit FeedObject(const nb::list& columns) : kept_(columns) {
    FeedColumns all;
    std::size_t rows = 0;
    for (const auto one : columns) {
      Given given = given_as(one);
      if (!all.empty() && given.rows != rows) throw nb::value_error("columns are of one length");
      rows = given.rows;
      all.push_back(std::move(given.column));
    }
    feed_ = std::make_unique<Feed>(std::move(all), rows);
  }

  std::int64_t number() const { return feed_->number(); }

 private:
  nb::list kept_;
  std::unique_ptr<Feed> feed_;
};

Digest digest_of(const nb::bytes& given) {
  Digest digest;
  if (given.size() != digest.size()) throw nb::value_error("a digest has 32 bytes");
  std::memcpy(digest.data(), given.c_str(), digest.size());
  return digest;
}

Value bytes_of(const Digest& digest) {
  return Value::bytes({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// Row i's piece of what lies end to end.
template <class T>
Value piece(const T* data, const std::vector<std::uint64_t>& ends, std::size_t i) {
  const std::uint64_t start = i == 0 ? 0 : ends[i - 1];
  return Value::bytes({reinterpret_cast<const char*>(data + start), (ends[i] - start) * sizeof(T)});
}

void py_tell(Batch& batch, const nb::callable& as_json) {
  tell(batch, [&](std::string_view told, std::string& to) {
    const nb::object json = as_json(to_bytes(told));
    if (!json.is_none()) to += nb::cast<std::string>(json);
  });
}

// What `tell` has made.
nb::list told(const Batch& batch) {
  nb::list values;
  std::uint64_t start = 0;
  for (const auto end : batch.json_ends) {
    values.append(end == start ? nb::none() : nb::object(nb::str(batch.json.data() + start, end - start)));
    start = end;
  }
  return values;
}

// Some bytes of Python's, which stay where they are as long as this lives. The GIL is held where it ends.
class HeldBuffer {
 public:
  explicit HeldBuffer(nb::handle given) {
    if (PyObject_GetBuffer(given.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~HeldBuffer() { PyBuffer_Release(&buffer_); }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)}; }

 private:
  Py_buffer buffer_;
};

// Compressed texts, by row; read where Python holds them.
struct Packed {
  explicit Packed(nb::bytes empty) : empty(std::move(empty)) {}
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  std::deque<HeldBuffer> kept;
  nb::bytes empty;
  std::vector<std::string_view> texts;
  std::size_t bytes = 0;
};

std::unique_ptr<Packed> py_packed(const Batch& batch, bool raw, const nb::object& texts, const nb::bytes& empty) {
  auto all = std::make_unique<Packed>(empty);
  std::vector<std::string_view> given;
  for (std::size_t i = 0, count = nb::len(texts); i < count; ++i) given.push_back(all->kept.emplace_back(texts[i]).bytes());
  all->texts = packed_by_row(batch, raw, given, view(empty));
  for (const auto text : all->texts) all->bytes += text.size();
  return all;
}

nb::list listed(const Packed& all) {
  nb::list values;
  for (const auto text : all.texts) values.append(text.data() == nullptr ? nb::none() : nb::object(to_bytes(text)));
  return values;
}

// Rows of a batch that were filed away, as columns. Some are of documents, some of new contents, some of new texts.
class FiledBatch {
 public:
  FiledBatch(nb::object owner, Filed filed) : owner_(std::move(owner)), batch_(nb::cast<const Batch&>(owner_)) {
    filed_ = std::make_shared<const Filed>(std::move(filed));
  }

  const Filed& filed() const { return *filed_; }
  const Batch& batch() const { return batch_; }

  // `get` is asked by rows of the batch.
  template <class Get>
  ColumnObject column(Rows Filed::* which, Get get) const {
    const std::size_t rows = ((*filed_).*which).size();
    auto of = [filed = filed_, which, get = std::move(get)](std::size_t row) { return get(((*filed).*which)[row]); };
    return {column_of(std::move(of)), rows, owner_};
  }

  template <class Get>
  ColumnObject of_rows(Rows Filed::* which, Get get) const {
    return column(which, [rows = batch_.rows.data(), get](std::size_t i) { return get(rows[i]); });
  }

  // Ids, as Filed tells them.
  ColumnObject ids(Rows Filed::* which, std::vector<std::int64_t> Filed::* ids) const {
    return column(which, [ids = ((*filed_).*ids).data()](std::size_t i) {
      return ids[i] == 0 ? Value{} : Value::of(ids[i]);
    });
  }

  // A name for each value of some number of a row; None: no value.
  template <class Number>
  ColumnObject named(Rows Filed::* which, const nb::list& names, Number number) const {
    std::vector<Value> values;
    for (const auto name : names) {
      Py_ssize_t size = 0;
      const char* const text = name.is_none() ? nullptr : PyUnicode_AsUTF8AndSize(name.ptr(), &size);
      if (text == nullptr && !name.is_none()) throw nb::python_error();
      values.push_back(text == nullptr ? Value{} : Value::text({text, static_cast<std::size_t>(size)}));
    }
    ColumnObject found = of_rows(which, [values = std::move(values), number](const Ingested& row) {
      return values.at(number(row));
    });
    found.owner = nb::make_tuple(owner_, names);
    return found;
  }

 private:
  nb::object owner_;
  const Batch& batch_;
  std::shared_ptr<const Filed> filed_;
};

FiledBatch py_file_away(const nb::object& owner, bool raw, const std::vector<std::string>& extractors, ContentIds& contents,
                        TextIds& texts, std::int64_t next_content, std::int64_t next_text) {
  if (extractors.size() <= static_cast<std::size_t>(Kind::other)) throw nb::value_error("an extractor for each kind");
  std::vector<std::uint32_t> numbers;
  for (const auto& name : extractors) numbers.push_back(texts.extractor(name));
  const auto& batch = nb::cast<const Batch&>(owner);
  Filed filed;
  {
    const nb::gil_scoped_release free;
    filed = file_away(batch, raw, numbers, contents, texts, next_content, next_text);
  }
  return {owner, std::move(filed)};
}

std::size_t kind_of(const Ingested& row) { return static_cast<std::size_t>(row.kind); }

// Those of a row's owner, by their numbers in `known`.
ColumnObject owners(const FiledBatch& self, const std::vector<std::uint32_t>& known, const nb::list& names) {
  return self.named(&Filed::documents, names, [known](const Ingested& row) {
    return static_cast<std::size_t>(std::find(known.begin(), known.end(), row.owner) - known.begin());
  });
}

TextIds::Key key_of(TextIds& self, const nb::tuple& key) {
  return {digest_of(nb::cast<nb::bytes>(key[0])), self.extractor(nb::cast<std::string>(key[1])), nb::cast<std::int64_t>(key[2])};
}

void register_ids(nb::module_& m) {
  nb::class_<ContentIds>(m, "ContentIds")
      .def(nb::init<>())
      .def("__len__", [](const ContentIds& self) { return self.size(); })
      .def("get", [](const ContentIds& self, const nb::bytes& digest) -> std::optional<std::int64_t> {
        const std::int64_t* const found = self.find(digest_of(digest));
        return found == nullptr ? std::nullopt : std::optional(*found);
      }, "digest"_a)
      .def("__setitem__", [](ContentIds& self, const nb::bytes& digest, std::int64_t id) { self[digest_of(digest)] = id; });
  nb::class_<TextIds>(m, "TextIds")
      .def(nb::init<>())
      .def("__len__", [](const TextIds& self) { return self.ids.size(); })
      .def("get", [](TextIds& self, const nb::tuple& key) -> std::optional<std::int64_t> {
        const std::int64_t* const found = self.ids.find(key_of(self, key));
        return found == nullptr ? std::nullopt : std::optional(*found);
      }, "key"_a)
      .def("__setitem__", [](TextIds& self, const nb::tuple& key, std::int64_t id) { self.ids[key_of(self, key)] = id; });
}

}  // namespace

void register_sqlite(nb::module_& m) {
  nb::class_<ColumnObject>(m, "Column").def("__len__", [](const ColumnObject& one) { return one.rows; });
  nb::class_<FeedObject>(m, "Feed").def(nb::init<nb::list>(), "columns"_a).def_prop_ro("number", &FeedObject::number);
  nb::class_<FedSqlite>(m, "FedSqlite")
      .def("__init__", [](FedSqlite* self, const std::optional<std::string>& module) {
        new (self) FedSqlite(module ? module->c_str() : nullptr);
      }, "module"_a = nb::none())
      .def_prop_ro("lends", &FedSqlite::lends)
      .def("offer", &FedSqlite::offer)
      .def("withdraw", &FedSqlite::withdraw);
  m.attr("FEED_COLUMNS") = Feed::kMostColumns;

  register_ids(m);
  m.def("tell", py_tell, "batch"_a, "as_json"_a);
  m.def("told", told, "batch"_a);
  m.def("title_as_json", [](const nb::bytes& told) -> std::optional<std::string> {
    std::string json;
    return title_as_json(view(told), json) ? std::optional(json) : std::nullopt;
  }, "told"_a);
  m.def("rows_apart", rows_apart, "batch"_a, "raw"_a);
  m.def("chosen_rows", [](const Batch& batch, const std::vector<std::size_t>& rows) { return chosen_rows(batch, rows); },
        "batch"_a, "rows"_a);
  m.def("text_places", [](const Batch& batch, bool raw) { return array(text_places(batch, raw)); }, "batch"_a, "raw"_a);
  m.def("distinct_owners", distinct_owners, "batch"_a);
  nb::class_<Packed>(m, "Packed")
      .def_ro("bytes", &Packed::bytes)
      .def("__iter__", [](const Packed& self) { return nb::iter(listed(self)); });
  m.def("packed", py_packed, "batch"_a, "raw"_a, "texts"_a, "empty"_a);
  m.def("file_away", py_file_away, "batch"_a, "raw"_a, "extractors"_a, "contents"_a, "texts"_a, "next_content"_a, "next_text"_a);

  constexpr auto contents = &Filed::contents, texts = &Filed::texts, documents = &Filed::documents;
  const auto rows = [](auto which, auto get) { return [=](const FiledBatch& self) { return self.of_rows(which, get); }; };
  nb::class_<FiledBatch>(m, "Filed")
      .def_prop_ro("contents", [](const FiledBatch& self) { return self.filed().contents.size(); })
      .def_prop_ro("texts", [](const FiledBatch& self) { return self.filed().texts.size(); })
      .def_prop_ro("documents", [](const FiledBatch& self) { return self.filed().documents.size(); })
      .def_prop_ro("content_ids", [=](const FiledBatch& self) { return self.ids(contents, &Filed::content_of); })
      .def_prop_ro("content_digests", rows(contents, [](const Ingested& r) { return bytes_of(r.content_digest); }))
      .def_prop_ro("content_lengths", rows(contents, [](const Ingested& r) { return Value::of(static_cast<std::int64_t>(r.length)); }))
      .def_prop_ro("moduli", rows(contents, [](const Ingested& r) { return Value::of(static_cast<std::int64_t>(r.modulus)); }))
      .def_prop_ro("features", [=](const FiledBatch& self) {
        return self.column(contents, [&b = self.batch()](std::size_t i) { return piece(b.features.data(), b.feature_ends, i); });
      })
      .def_prop_ro("weights", [=](const FiledBatch& self) -> std::optional<ColumnObject> {
        if (self.batch().weights.empty()) return std::nullopt;
        return self.column(contents, [&b = self.batch()](std::size_t i) { return piece(b.weights.data(), b.feature_ends, i); });
      })
      .def_prop_ro("text_ids", [=](const FiledBatch& self) { return self.ids(texts, &Filed::text_of); })
      .def_prop_ro("text_digests", rows(texts, [](const Ingested& r) { return bytes_of(r.digest); }))
      .def("extractors", [=](const FiledBatch& self, const nb::list& by_kind) { return self.named(texts, by_kind, kind_of); }, "by_kind"_a)
      .def_prop_ro("text_contents", [=](const FiledBatch& self) { return self.ids(texts, &Filed::content_of); })
      .def_prop_ro("characters", rows(texts, [](const Ingested& r) { return Value::of(static_cast<std::int64_t>(r.characters)); }))
      .def("packed", [=](const FiledBatch& self, const nb::object& all) {
        ColumnObject found = self.column(texts, [&p = nb::cast<const Packed&>(all)](std::size_t i) { return Value::bytes(p.texts[i]); });
        found.owner = nb::make_tuple(found.owner, all);
        return found;
      }, "texts"_a)
      .def_prop_ro("sizes", rows(documents, [](const Ingested& r) { return Value::of(static_cast<std::int64_t>(r.size)); }))
      .def_prop_ro("mtimes", rows(documents, [](const Ingested& r) { return Value::of(r.mtime_ns); }))
      .def_prop_ro("ctimes", rows(documents, [](const Ingested& r) { return Value::of(r.ctime_ns); }))
      .def_prop_ro("inodes", rows(documents, [](const Ingested& r) { return Value::of(static_cast<std::int64_t>(r.inode)); }))
      .def("owners", owners, "known"_a, "names"_a)
      .def("by_kind", [=](const FiledBatch& self, const nb::list& names) { return self.named(documents, names, kind_of); }, "names"_a)
      .def_prop_ro("digests", rows(documents, [](const Ingested& r) { return bytes_of(r.digest); }))
      .def_prop_ro("document_texts", [=](const FiledBatch& self) { return self.ids(documents, &Filed::text_of); })
      .def_prop_ro("properties", [=](const FiledBatch& self) {
        return self.column(documents, [&b = self.batch()](std::size_t i) {
          Value json = piece(b.json.data(), b.json_ends, i);
          json.kind = json.size == 0 ? Value::Kind::nothing : Value::Kind::text;
          return json;
        });
      });
}

}  // namespace nearkin::bindings
