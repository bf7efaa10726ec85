#include "sqlite/gathered.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace nearkin::sqlite {
namespace {

// SQLite's own, all zeros at first.
struct Gathered {
  char* data;
  std::size_t size, room;
};

bool append(Gathered& all, const void* data, std::size_t size) {
  if (all.room - all.size < size) {
    const std::size_t room = std::max({2 * all.room, all.size + size, std::size_t{4096}});
    auto* const moved = static_cast<char*>(std::realloc(all.data, room));
    if (moved == nullptr) return false;
    all.data = moved;
    all.room = room;
  }
  if (size > 0) std::memcpy(all.data + all.size, data, size);
  all.size += size;
  return true;
}

void step(sqlite3_context* to, int, sqlite3_value** given) {
  auto* const all = static_cast<Gathered*>(functions.aggregate_context(to, sizeof(Gathered)));
  bool there = all != nullptr;
  const int kind = functions.value_type(given[0]);
  if (there && kind == kInteger) {
    const std::int64_t number = functions.value_int64(given[0]);
    there = append(*all, &number, sizeof number);
  } else if (there && kind == kBlob) {
    const void* const data = functions.value_blob(given[0]);
    there = append(*all, data, static_cast<std::size_t>(functions.value_bytes(given[0])));
  } else if (kind != kNull) {
    functions.result_error(to, "only whole numbers and bytes are gathered", -1);
  }
  if (!there) functions.result_error_nomem(to);
}

// Always called, also after an error.
void end(sqlite3_context* to) {
  auto* const all = static_cast<Gathered*>(functions.aggregate_context(to, 0));
  if (all == nullptr || all->data == nullptr)
    functions.result_blob64(to, "", 0, kStatic);
  else
    functions.result_blob64(to, all->data, all->size, std::free);
}

}  // namespace

int add_gathered(sqlite3* connection) {
  return functions.create_function(connection, "nearkin_gathered", 1, kUtf8, nullptr, nullptr, step, end);
}

}  // namespace nearkin::sqlite
