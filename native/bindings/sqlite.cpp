// Rows on their way into SQLite, as Python sees them. It converts and raises; nothing else.
#include "bindings/column_object.hpp"
#include "bindings/convert.hpp"
#include "sqlite/columns.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

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

}  // namespace

void register_feeds(nb::module_& m) {
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
}

}  // namespace nearkin::bindings
