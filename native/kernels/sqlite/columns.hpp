// Columns into and out of SQLite. Rows go in by columns: SQLite reads them as a table, nearkin_rows(number), where
// Python's module would bind every value of every row by itself:
//
//     INSERT INTO content (id, digest) SELECT c0, c1 FROM nearkin_rows(?)
//
// Columns come out end to end: nearkin_gathered(value) aggregates what a query finds, whole numbers as eight bytes
// each, bytes as they are, nothing for NULL. Python would make an object of every value of every row:
//
//     SELECT nearkin_gathered(id), nearkin_gathered(digest) FROM content
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearkin {

// A value for SQLite. Text and bytes are read where they are.
struct Value {
  enum class Kind : std::uint8_t { nothing, integer, real, text, bytes };

  Kind kind = Kind::nothing;
  union {
    std::int64_t integer = 0;
    double real;  // NaN stands for NULL
    const char* data;
  };
  std::size_t size = 0;

  static Value of(std::int64_t number);
  static Value of(double number);
  static Value text(std::string_view text);
  static Value bytes(std::string_view bytes);
};

class Column {
 public:
  virtual ~Column() = default;
  virtual Value at(std::size_t row) const = 0;
};

using ColumnList = std::vector<std::shared_ptr<const Column>>;

// Makes a column whose values `get` returns, by row.
template <class Get>
std::shared_ptr<const Column> column_of(Get get) {
  class Computed : public Column {
   public:
    explicit Computed(Get get) : get_(std::move(get)) {}
    Value at(std::size_t row) const override { return get_(row); }

   private:
    Get get_;
  };
  return std::make_shared<const Computed>(std::move(get));
}

// Makes a column of numbers that somebody else owns.
template <class Number>
std::shared_ptr<const Column> column_of_numbers(std::span<const Number> numbers) {
  using SqlNumber = std::conditional_t<std::is_floating_point_v<Number>, double, std::int64_t>;
  return column_of([numbers](std::size_t row) { return Value::of(static_cast<SqlNumber>(numbers[row])); });
}

// Rows that SQLite finds by their number as long as this lives.
class RowSource {
 public:
  static constexpr std::size_t kMostColumns = 32;  // c0 to c31

  RowSource(ColumnList columns, std::size_t rows);
  ~RowSource();
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  std::int64_t number() const { return number_; }
  std::size_t rows() const { return rows_; }
  Value at(std::size_t row, std::size_t column) const {
    return column < columns_.size() ? columns_[column]->at(row) : Value{};
  }

 private:
  ColumnList columns_;
  std::size_t rows_;
  std::int64_t number_;
};

// The SQLite library that a module of Python's is linked with; `module` is its file, null if it is part of the program.
class SqliteLibrary {
 public:
  explicit SqliteLibrary(const char* module);

  // False if its functions are hidden in the module.
  bool is_available() const { return available_; }

  // Connections opened between these two calls have the table. Others that are opened meanwhile have it too, unused.
  void offer() const;
  void withdraw() const;

 private:
  bool available_;
};

}  // namespace nearkin
