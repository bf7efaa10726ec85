// Bindings of columns and batches for SQLite: they convert, release the GIL and raise.
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

// A column for SQLite, opaque to Python.
struct ColumnObject {
  std::shared_ptr<const Column> column;
  std::size_t rows;
  nb::object owner;  // of the values it reads
};

// Converts a value as Python's own module does, without looking for an adapter (sqlite3.register_adapter).
Value value_of(nb::handle value) {
  PyObject* const object = value.ptr();
  if (object == Py_None) return {};
  if (PyFloat_Check(object)) return Value::of(PyFloat_AS_DOUBLE(object));
  if (PyLong_Check(object)) {
    const long long number = PyLong_AsLongLong(object);
    if (number == -1 && PyErr_Occurred()) throw nb::python_error();
    return Value::of(static_cast<std::int64_t>(number));
  }
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == nullptr) throw nb::python_error();
    return Value::text({text, static_cast<std::size_t>(size)});
  }
  if (PyBytes_Check(object))
    return Value::bytes({PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))});
  if (PyByteArray_Check(object))
    return Value::bytes({PyByteArray_AS_STRING(object), static_cast<std::size_t>(PyByteArray_GET_SIZE(object))});
  throw nb::type_error("SQLite takes numbers, texts and bytes");
}

// A column and its length.
struct SizedColumn {
  std::shared_ptr<const Column> column;
  std::size_t rows = 0;
};

SizedColumn of_list(nb::handle list) {
  const auto size = static_cast<std::size_t>(PyList_GET_SIZE(list.ptr()));
  std::vector<Value> values;
  values.reserve(size);
  for (std::size_t i = 0; i < size; ++i) values.push_back(value_of(PyList_GET_ITEM(list.ptr(), i)));
  return {column_of([values = std::move(values)](std::size_t row) { return values[row]; }), size};
}

template <class... Numbers>
SizedColumn of_numbers(nb::handle given) {
  SizedColumn column;
  const auto is = [&]<class Number>(Number) {
    Array<Number> array;
    if (column.column == nullptr && nb::try_cast(given, array, false))
      column = {column_of_numbers(span(array)), array.size()};
  };
  (is(Numbers{}), ...);
  if (column.column == nullptr)
    throw nb::type_error("a column is a list, an array of numbers, or one of the core's own");
  return column;
}

SizedColumn column_from(nb::handle given) {
  if (PyList_Check(given.ptr())) return of_list(given);
  if (const ColumnObject* own = nullptr; nb::try_cast(given, own, false)) return {own->column, own->rows};
  return of_numbers<std::int64_t, std::uint32_t, std::uint8_t, bool, double>(given);
}

// Rows that SQLite can read. It keeps the columns, whose values are read where they are.
class RowSourceObject {
 public:
  explicit RowSourceObject(const nb::list& columns) : columns_(columns) {
    ColumnList all;
    std::size_t rows = 0;
    for (const auto object : columns) {
      SizedColumn column = column_from(object);
      if (!all.empty() && column.rows != rows) throw nb::value_error("columns are of one length");
      rows = column.rows;
      all.push_back(std::move(column.column));
    }
    source_ = std::make_unique<RowSource>(std::move(all), rows);
  }

  std::int64_t number() const { return source_->number(); }

 private:
  nb::list columns_;
  std::unique_ptr<RowSource> source_;
};

Digest digest_of(const nb::bytes& bytes) {
  Digest digest;
  if (bytes.size() != digest.size()) throw nb::value_error("a digest has 32 bytes");
  std::memcpy(digest.data(), bytes.c_str(), digest.size());
  return digest;
}

template <class Number>
Value integer(Number number) {
  return Value::of(static_cast<std::int64_t>(number));
}

Value bytes_of(const Digest& digest) {
  return Value::bytes({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// Returns row i's piece of what lies end to end.
template <class T>
Value piece(const T* data, const std::vector<std::uint64_t>& ends, std::size_t i) {
  const std::uint64_t start = i == 0 ? 0 : ends[i - 1];
  return Value::bytes({reinterpret_cast<const char*>(data + start), (ends[i] - start) * sizeof(T)});
}

nb::list py_properties_for_python(const Batch& batch) {
  nb::list pages;
  for (const std::string_view properties : properties_for_python(batch)) pages.append(to_bytes(properties));
  return pages;
}

// Lists what fill_property_json has made, row by row.
nb::list property_json(const Batch& batch) {
  nb::list values;
  std::uint64_t start = 0;
  for (const auto end : batch.json_ends) {
    values.append(end == start ? nb::none() : nb::object(nb::str(batch.json.data() + start, end - start)));
    start = end;
  }
  return values;
}

// A buffer of Python's that stays where it is as long as this lives. The GIL is held when it is destroyed.
class HeldBuffer {
 public:
  explicit HeldBuffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~HeldBuffer() { PyBuffer_Release(&buffer_); }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;

  std::string_view bytes() const {
    return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
  }

 private:
  Py_buffer buffer_;
};

// Compressed texts, by row, read where Python holds them.
struct Packed {
  explicit Packed(nb::bytes empty) : empty(std::move(empty)) {}
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  std::deque<HeldBuffer> buffers;
  nb::bytes empty;
  std::vector<std::string_view> texts;
  std::size_t bytes = 0;
};

std::unique_ptr<Packed> py_packed(const Batch& batch, bool raw, const nb::object& texts, const nb::bytes& empty) {
  auto all = std::make_unique<Packed>(empty);
  std::vector<std::string_view> packed;
  for (std::size_t i = 0, count = nb::len(texts); i < count; ++i)
    packed.push_back(all->buffers.emplace_back(texts[i]).bytes());
  all->texts = packed_by_row(batch, raw, packed, view(empty));
  for (const auto text : all->texts) all->bytes += text.size();
  return all;
}

nb::list listed(const Packed& all) {
  nb::list values;
  for (const auto text : all.texts) values.append(text.data() == nullptr ? nb::none() : nb::object(to_bytes(text)));
  return values;
}

// The rows of a batch with their ids, as columns: of all documents, of new contents, and of new texts.
class AssignedBatch {
 public:
  AssignedBatch(nb::object owner, AssignedIds assigned)
      : owner_(std::move(owner)), batch_(nb::cast<const Batch&>(owner_)) {
    assigned_ = std::make_shared<const AssignedIds>(std::move(assigned));
  }

  const AssignedIds& assigned() const { return *assigned_; }
  const Batch& batch() const { return batch_; }

  // Makes a column of some rows; `get` returns the value of a row of the batch.
  template <class Get>
  ColumnObject column(Rows AssignedIds::* which, Get get) const {
    const std::size_t rows = ((*assigned_).*which).size();
    auto of = [assigned = assigned_, which, get = std::move(get)](std::size_t row) {
      return get(((*assigned).*which)[row]);
    };
    return {column_of(std::move(of)), rows, owner_};
  }

  template <class Get>
  ColumnObject of_rows(Rows AssignedIds::* which, Get get) const {
    return column(which, [rows = batch_.rows.data(), get](std::size_t i) { return get(rows[i]); });
  }

  // Makes a column of ids.
  ColumnObject ids(Rows AssignedIds::* which, std::vector<std::int64_t> AssignedIds::* ids) const {
    return column(which, [ids = ((*assigned_).*ids).data()](std::size_t i) {
      return ids[i] == 0 ? Value{} : Value::of(ids[i]);
    });
  }

  // Makes a column of names, looked up by a number of each row; None stands for NULL.
  template <class Number>
  ColumnObject named(Rows AssignedIds::* which, const nb::list& names, Number number) const {
    std::vector<Value> values;
    for (const auto name : names) {
      Py_ssize_t size = 0;
      const char* const text = name.is_none() ? nullptr : PyUnicode_AsUTF8AndSize(name.ptr(), &size);
      if (text == nullptr && !name.is_none()) throw nb::python_error();
      values.push_back(text == nullptr ? Value{} : Value::text({text, static_cast<std::size_t>(size)}));
    }
    ColumnObject column = of_rows(which, [values = std::move(values), number](const BatchRow& row) {
      return values.at(number(row));
    });
    column.owner = nb::make_tuple(owner_, names);
    return column;
  }

 private:
  nb::object owner_;
  const Batch& batch_;
  std::shared_ptr<const AssignedIds> assigned_;
};

AssignedBatch py_assign_ids(const nb::object& owner, bool raw, const std::vector<std::string>& extractors,
                            ContentIds& contents, TextIds& texts, std::int64_t next_content, std::int64_t next_text) {
  if (extractors.size() <= static_cast<std::size_t>(Kind::other)) throw nb::value_error("an extractor for each kind");
  std::vector<std::uint32_t> numbers;
  for (const auto& name : extractors) numbers.push_back(texts.extractor(name));
  const auto& batch = nb::cast<const Batch&>(owner);
  AssignedIds assigned;
  {
    const nb::gil_scoped_release free;
    assigned = assign_ids(batch, raw, numbers, contents, texts, next_content, next_text);
  }
  return {owner, std::move(assigned)};
}

std::size_t kind_of(const BatchRow& row) { return static_cast<std::size_t>(row.kind); }

// Makes a column of the names of owners, whose numbers are in `known`.
ColumnObject owners(const AssignedBatch& self, const std::vector<std::uint32_t>& known, const nb::list& names) {
  return self.named(&AssignedIds::documents, names, [known](const BatchRow& row) {
    return static_cast<std::size_t>(std::find(known.begin(), known.end(), row.owner) - known.begin());
  });
}

TextIds::Key key_of(TextIds& self, const nb::tuple& key) {
  return {digest_of(nb::cast<nb::bytes>(key[0])), self.extractor(nb::cast<std::string>(key[1])),
          nb::cast<std::int64_t>(key[2])};
}

void register_ids(nb::module_& m) {
  nb::class_<ContentIds>(m, "ContentIds")
      .def(nb::init<>())
      .def("__len__", [](const ContentIds& self) { return self.size(); })
      .def("get", [](const ContentIds& self, const nb::bytes& digest) -> std::optional<std::int64_t> {
        const std::int64_t* const id = self.find(digest_of(digest));
        return id == nullptr ? std::nullopt : std::optional(*id);
      }, "digest"_a)
      .def("__setitem__",
           [](ContentIds& self, const nb::bytes& digest, std::int64_t id) { self[digest_of(digest)] = id; });
  nb::class_<TextIds>(m, "TextIds")
      .def(nb::init<>())
      .def("__len__", [](const TextIds& self) { return self.ids.size(); })
      .def("get", [](TextIds& self, const nb::tuple& key) -> std::optional<std::int64_t> {
        const std::int64_t* const id = self.ids.find(key_of(self, key));
        return id == nullptr ? std::nullopt : std::optional(*id);
      }, "key"_a)
      .def("__setitem__",
           [](TextIds& self, const nb::tuple& key, std::int64_t id) { self.ids[key_of(self, key)] = id; });
}

}  // namespace

void register_sqlite(nb::module_& m) {
  nb::class_<ColumnObject>(m, "Column").def("__len__", [](const ColumnObject& column) { return column.rows; });
  nb::class_<RowSourceObject>(m, "Feed")
      .def(nb::init<nb::list>(), "columns"_a)
      .def_prop_ro("number", &RowSourceObject::number);
  nb::class_<SqliteLibrary>(m, "FedSqlite")
      .def("__init__", [](SqliteLibrary* self, const std::optional<std::string>& module) {
        new (self) SqliteLibrary(module ? module->c_str() : nullptr);
      }, "module"_a = nb::none())
      .def_prop_ro("lends", &SqliteLibrary::is_available)
      .def("offer", &SqliteLibrary::offer)
      .def("withdraw", &SqliteLibrary::withdraw);
  m.attr("FEED_COLUMNS") = RowSource::kMostColumns;

  register_ids(m);
  m.def("properties_for_python", py_properties_for_python, "batch"_a);
  m.def("fill_property_json", [](Batch& batch, const std::vector<std::string>& from_python) {
    fill_property_json(batch, from_python);
  }, "batch"_a, "from_python"_a);
  m.def("property_json", property_json, "batch"_a);
  m.def("rows_apart", rows_for_python, "batch"_a, "raw"_a);
  m.def("chosen_rows", [](const Batch& batch, const std::vector<std::size_t>& rows) {
    return chosen_rows(batch, rows);
  }, "batch"_a, "rows"_a);
  m.def("text_places", [](const Batch& batch, bool raw) { return array(text_places(batch, raw)); }, "batch"_a, "raw"_a);
  m.def("distinct_owners", distinct_owners, "batch"_a);
  nb::class_<Packed>(m, "Packed")
      .def_ro("bytes", &Packed::bytes)
      .def("__iter__", [](const Packed& self) { return nb::iter(listed(self)); });
  m.def("packed", py_packed, "batch"_a, "raw"_a, "texts"_a, "empty"_a);
  m.def("file_away", py_assign_ids, "batch"_a, "raw"_a, "extractors"_a, "contents"_a, "texts"_a, "next_content"_a,
        "next_text"_a);

  constexpr auto contents = &AssignedIds::contents, texts = &AssignedIds::texts, documents = &AssignedIds::documents;
  const auto rows = [](auto which, auto get) {
    return [=](const AssignedBatch& self) { return self.of_rows(which, get); };
  };
  const auto ids = [](auto which, auto column) {
    return [=](const AssignedBatch& self) { return self.ids(which, column); };
  };
  nb::class_<AssignedBatch>(m, "Filed")
      .def_prop_ro("contents", [](const AssignedBatch& self) { return self.assigned().contents.size(); })
      .def_prop_ro("texts", [](const AssignedBatch& self) { return self.assigned().texts.size(); })
      .def_prop_ro("documents", [](const AssignedBatch& self) { return self.assigned().documents.size(); })
      .def_prop_ro("content_ids", ids(contents, &AssignedIds::content_of))
      .def_prop_ro("content_digests", rows(contents, [](const BatchRow& r) { return bytes_of(r.content_digest); }))
      .def_prop_ro("content_lengths", rows(contents, [](const BatchRow& r) { return integer(r.length); }))
      .def_prop_ro("moduli", rows(contents, [](const BatchRow& r) { return integer(r.modulus); }))
      .def_prop_ro("features", [=](const AssignedBatch& self) {
        return self.column(contents, [&b = self.batch()](std::size_t i) {
          return piece(b.features.data(), b.feature_ends, i);
        });
      })
      .def_prop_ro("weights", [=](const AssignedBatch& self) -> std::optional<ColumnObject> {
        if (self.batch().weights.empty()) return std::nullopt;
        return self.column(contents, [&b = self.batch()](std::size_t i) {
          return piece(b.weights.data(), b.feature_ends, i);
        });
      })
      .def_prop_ro("text_ids", ids(texts, &AssignedIds::text_of))
      .def_prop_ro("text_digests", rows(texts, [](const BatchRow& r) { return bytes_of(r.digest); }))
      .def("extractors", [=](const AssignedBatch& self, const nb::list& by_kind) {
        return self.named(texts, by_kind, kind_of);
      }, "by_kind"_a)
      .def_prop_ro("text_contents", ids(texts, &AssignedIds::content_of))
      .def_prop_ro("characters", rows(texts, [](const BatchRow& r) { return integer(r.characters); }))
      .def("packed", [=](const AssignedBatch& self, const nb::object& all) {
        ColumnObject column = self.column(
            texts, [&p = nb::cast<const Packed&>(all)](std::size_t i) { return Value::bytes(p.texts[i]); });
        column.owner = nb::make_tuple(column.owner, all);
        return column;
      }, "texts"_a)
      .def_prop_ro("sizes", rows(documents, [](const BatchRow& r) { return integer(r.size); }))
      .def_prop_ro("mtimes", rows(documents, [](const BatchRow& r) { return Value::of(r.mtime_ns); }))
      .def_prop_ro("ctimes", rows(documents, [](const BatchRow& r) { return Value::of(r.ctime_ns); }))
      .def_prop_ro("inodes", rows(documents, [](const BatchRow& r) { return integer(r.inode); }))
      .def("owners", owners, "known"_a, "names"_a)
      .def("by_kind", [=](const AssignedBatch& self, const nb::list& names) {
        return self.named(documents, names, kind_of);
      }, "names"_a)
      .def_prop_ro("digests", rows(documents, [](const BatchRow& r) { return bytes_of(r.digest); }))
      .def_prop_ro("document_texts", ids(documents, &AssignedIds::text_of))
      .def_prop_ro("properties", [=](const AssignedBatch& self) {
        return self.column(documents, [&b = self.batch()](std::size_t i) {
          Value json = piece(b.json.data(), b.json_ends, i);
          json.kind = json.size == 0 ? Value::Kind::nothing : Value::Kind::text;
          return json;
        });
      });
}

}  // namespace nearkin::bindings
