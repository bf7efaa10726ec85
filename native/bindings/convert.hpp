// Conversions between Python and the kernels that several files of bindings share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/containers.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace nearkin::bindings {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NumPy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

inline std::string_view view(const nb::bytes& data) { return {data.c_str(), data.size()}; }

inline std::vector<std::string> strings(const std::vector<nb::bytes>& list) {
  std::vector<std::string> result;
  for (const auto& bytes : list) result.emplace_back(view(bytes));
  return result;
}

inline void check_ignored(unsigned ignored) {
  if (ignored > 15) throw nb::value_error("ignore is a sum of the IGNORE_ constants, 0 to 15");
}

inline nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

template <class T>
std::span<const T> span(const Array<T>& array) {
  return {array.data(), array.size()};
}

// Hands a vector over to NumPy without copying it.
template <class T>
NumPy<T> array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumPy<T>(kept->data(), {kept->size()}, owner);
}

// Copies one column of a list of rows.
template <class T, class Row, class Get>
NumPy<T> column(const std::vector<Row>& rows, Get&& get) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<T>(get(row)));
  return array(std::move(values));
}

// Columns of a list of rows, read where they are. They own the list together.
template <class Row>
class Columns {
 public:
  explicit Columns(UninitVector<Row>&& rows) : rows_(new UninitVector<Row>(std::move(rows))), owner_(rows_, remove) {}

  template <class T>
  NumPy<T> operator()(T Row::* member) const {
    static_assert(sizeof(Row) % sizeof(T) == 0);
    T* const first = rows_->empty() ? nullptr : &(rows_->front().*member);
    return NumPy<T>(first, {rows_->size()}, owner_, {static_cast<std::int64_t>(sizeof(Row) / sizeof(T))});
  }

 private:
  static void remove(void* rows) noexcept { delete static_cast<UninitVector<Row>*>(rows); }

  UninitVector<Row>* rows_;
  nb::capsule owner_;
};

// Calls work() without the GIL. An error of the system becomes an OSError with its number, about a file.
template <class Work>
auto from_system(const std::string& about, Work&& work) {
  try {
    const nb::gil_scoped_release free;
    return work();
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, about.c_str());
    throw nb::python_error();
  }
}

// Texts and signatures that a native object holds. Native readers need no copy.
struct HeldTexts {
  nb::object owner;
  std::vector<std::string_view> views;
};

struct HeldFeatures {
  nb::object owner;
  std::vector<std::span<const std::uint64_t>> views;  // by content
};

// Each file of bindings registers its own part of the module.
void register_text(nb::module_& m);
void register_sign(nb::module_& m);
void register_join(nb::module_& m);
void register_verify(nb::module_& m);
void register_group(nb::module_& m);
void register_keep(nb::module_& m);
void register_index(nb::module_& m);
void register_ingest(nb::module_& m);
void register_sqlite(nb::module_& m);

}  // namespace nearkin::bindings
