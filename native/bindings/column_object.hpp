// A column for SQLite as Python sees it: nothing but that it is one.
#pragma once

#include <memory>

#include "bindings/convert.hpp"
#include "sqlite/columns.hpp"

namespace nearkin::bindings {

struct ColumnObject {
  std::shared_ptr<const Column> column;
  std::size_t rows;
  nb::object owner;  // of what it reads
};

}  // namespace nearkin::bindings
