// Rows on their way into SQLite, as Python sees them. It converts and raises; nothing else.
#include <memory>

#include "convert.hpp"
#include "feed.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

// As Python's own module would give it to SQLite, without asking whether someone would like it adapted.
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

// Of a list or a tuple.
std::unique_ptr<Column> listed(nb::handle given, std::size_t& size) {
  size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(given.ptr()));
  PyObject** const items = PySequence_Fast_ITEMS(given.ptr());
  std::vector<Value> values;
  values.reserve(size);
  for (std::size_t i = 0; i < size; ++i) values.push_back(value_of(items[i]));
  return std::make_unique<MixedColumn>(std::move(values));
}

template <class... Numbers>
std::unique_ptr<Column> numbers(nb::handle given, std::size_t& size) {
  std::unique_ptr<Column> column;
  const auto is = [&]<class Number>(Number) {
    Array<Number> array;
    if (column != nullptr || !nb::try_cast(given, array, false)) return;
    column = std::make_unique<NumberColumn<Number>>(span(array));
    size = array.size();
  };
  (is(Numbers{}), ...);
  if (column == nullptr) throw nb::type_error("a column is a list or an array of numbers");
  return column;
}

// The columns themselves are kept with it: values are read where they are.
class PyFeed {
 public:
  explicit PyFeed(const nb::list& columns) : kept_(columns) {
    std::vector<std::unique_ptr<Column>> all;
    std::size_t rows = 0;
    for (const auto given : columns) {
      std::size_t size = 0;
      if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) {
        all.push_back(listed(given, size));
      } else {
        all.push_back(numbers<std::int64_t, std::uint32_t, std::uint8_t, bool, double>(given, size));
      }
      if (all.size() > 1 && size != rows) throw nb::value_error("columns of one length");
      rows = size;
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
  nb::class_<PyFeed>(m, "Feed").def(nb::init<nb::list>(), "columns"_a).def_prop_ro("number", &PyFeed::number);
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
