// Rows on their way into SQLite, by columns. SQLite reads them as a table, nearkin_rows(number), where Python's module
// would bind every value of every row by itself:
//
//     INSERT INTO content (id, digest) SELECT c0, c1 FROM nearkin_rows(?)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sqlite/abi.hpp"

namespace nearkin {

// One value as SQLite is given it. Text and bytes are read where they are.
struct Value {
  enum class Kind : std::uint8_t { nothing, integer, real, text, bytes };

  Kind kind = Kind::nothing;
  union {
    std::int64_t integer = 0;
    double real;  // NaN: nothing
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

using FeedColumns = std::vector<std::shared_ptr<const Column>>;

// One whose values `get` tells, by row.
template <class Get>
std::shared_ptr<const Column> column_of(Get get) {
  class Told : public Column {
   public:
    explicit Told(Get get) : get_(std::move(get)) {}
    Value at(std::size_t row) const override { return get_(row); }

   private:
    Get get_;
  };
  return std::make_shared<const Told>(std::move(get));
}

// Numbers that others hold.
template <class Number>
std::shared_ptr<const Column> column_of_numbers(std::span<const Number> numbers) {
  using Given = std::conditional_t<std::is_floating_point_v<Number>, double, std::int64_t>;
  return column_of([numbers](std::size_t row) { return Value::of(static_cast<Given>(numbers[row])); });
}

// As long as it lives SQLite finds it by its number.
class Feed {
 public:
  static constexpr std::size_t kMostColumns = 32;  // c0 to c31

  Feed(FeedColumns columns, std::size_t rows);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  std::int64_t number() const { return number_; }
  std::size_t rows() const { return rows_; }
  Value at(std::size_t row, std::size_t column) const {
    return column < columns_.size() ? columns_[column]->at(row) : Value{};
  }

 private:
  FeedColumns columns_;
  std::size_t rows_;
  std::int64_t number_;
};

// The SQLite that a module of Python's is linked with; `module` is its file, null where it is part of the program.
class FedSqlite {
 public:
  explicit FedSqlite(const char* module);

  // Whether it lends its functions: not where they are hidden in the module.
  bool lends() const { return lends_; }

  // Connections opened between these two know the table. Others that are opened then know it too, and never ask for it.
  void offer() const;
  void withdraw() const;

 private:
  bool lends_;
};

}  // namespace nearkin
namespace nearkin::sqlite {

// Columns on their way out of SQLite. nearkin_gathered(value) is what a query finds, end to end: whole numbers as eight
// bytes each, bytes as they are, nothing for NULL. Python would make an object of every value of every row:
//
//     SELECT nearkin_gathered(id), nearkin_gathered(digest) FROM content

// To this connection.
int add_gathered(sqlite3* connection);

}  // namespace nearkin::sqlite
