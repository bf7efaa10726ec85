#include "sqlite/columns.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "sqlite/abi.hpp"

namespace nearkin {
namespace {

using namespace sqlite;

std::mutex lock;
std::map<std::int64_t, const Feed*> feeds;
std::int64_t last_number = 0;

const Feed* find(std::int64_t number) {
  const std::lock_guard hold(lock);
  const auto found = feeds.find(number);
  return found == feeds.end() ? nullptr : found->second;
}

constexpr int kNumber = static_cast<int>(Feed::kMostColumns);  // the column that an argument is compared with

struct Cursor : sqlite3_vtab_cursor {
  const Feed* feed = nullptr;
  std::size_t row = 0;
};

Cursor& as_cursor(sqlite3_vtab_cursor* one) { return *static_cast<Cursor*>(one); }

// Nothing that is thrown may pass through SQLite, here and below.
int connect(sqlite3* connection, void*, int, const char* const*, sqlite3_vtab** table, char**) try {
  std::string declared = "CREATE TABLE rows (";
  for (std::size_t i = 0; i < Feed::kMostColumns; ++i) declared.append(1, 'c').append(std::to_string(i)).append(1, ',');
  const int code = functions.declare_vtab(connection, declared.append("number HIDDEN)").c_str());
  if (code == kOk) *table = new (std::nothrow) sqlite3_vtab{};
  return code == kOk && *table == nullptr ? kNoMemory : code;
} catch (...) {
  return kNoMemory;
}

int disconnect(sqlite3_vtab* table) {
  delete table;
  return kOk;
}

// Only as a function of a number: without one it is no table.
int best_index(sqlite3_vtab*, sqlite3_index_info* plan) {
  for (int i = 0; i < plan->nConstraint; ++i) {
    const auto& one = plan->aConstraint[i];
    if (one.iColumn != kNumber || one.op != kEqual || one.usable == 0) continue;
    plan->aConstraintUsage[i] = {1, 1};
    plan->estimatedCost = 1000;
    plan->estimatedRows = 1000;
    return kOk;
  }
  return kConstraint;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = new (std::nothrow) Cursor{};
  return *cursor == nullptr ? kNoMemory : kOk;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return kOk;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value** given) {
  as_cursor(cursor).feed = find(functions.value_int64(given[0]));
  as_cursor(cursor).row = 0;
  return kOk;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++as_cursor(cursor).row;
  return kOk;
}

int at_end(sqlite3_vtab_cursor* cursor) {
  const Cursor& at = as_cursor(cursor);
  return at.feed == nullptr || at.row >= at.feed->rows() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* to, int number) try {
  const Cursor& at = as_cursor(cursor);
  const Value value = at.feed->at(at.row, static_cast<std::size_t>(number));
  switch (value.kind) {
    case Value::Kind::nothing: break;
    case Value::Kind::integer: functions.result_int64(to, value.integer); break;
    case Value::Kind::real: functions.result_double(to, value.real); break;
    case Value::Kind::text: functions.result_text64(to, value.data, value.size, kStatic, kUtf8); break;
    case Value::Kind::bytes: functions.result_blob64(to, value.data, value.size, kStatic); break;
  }
  return kOk;
} catch (...) {
  return kError;
}

int row_id(sqlite3_vtab_cursor* cursor, std::int64_t* id) {
  *id = static_cast<std::int64_t>(as_cursor(cursor).row);
  return kOk;
}

// Never created by name (xCreate): it is there without that, and only so.
const sqlite3_module kModule{.iVersion = 0,
                             .xCreate = nullptr,
                             .xConnect = connect,
                             .xBestIndex = best_index,
                             .xDisconnect = disconnect,
                             .xDestroy = nullptr,
                             .xOpen = open,
                             .xClose = close,
                             .xFilter = filter,
                             .xNext = next,
                             .xEof = at_end,
                             .xColumn = column,
                             .xRowid = row_id,
                             .xUpdate = nullptr,
                             .xBegin = nullptr,
                             .xSync = nullptr,
                             .xCommit = nullptr,
                             .xRollback = nullptr,
                             .xFindFunction = nullptr,
                             .xRename = nullptr};

// Called for every connection that is opened while feeds are offered; what is gathered goes the other way.
int enter(sqlite3* connection, char**, const void*) {
  const int code = functions.create_module(connection, "nearkin_rows", &kModule, nullptr);
  return code == kOk ? add_gathered(connection) : code;
}

void (*entry())() { return reinterpret_cast<void (*)()>(static_cast<EntryPoint>(enter)); }

template <auto Slot>
void put(Functions& to, void* symbol) {
  to.*Slot = reinterpret_cast<std::remove_reference_t<decltype(to.*Slot)>>(symbol);
}

struct Needed {
  const char* name;
  void (*put)(Functions& to, void* symbol);
};

constexpr Needed kNeeded[] = {
    {"sqlite3_auto_extension", put<&Functions::auto_extension>},
    {"sqlite3_cancel_auto_extension", put<&Functions::cancel_auto_extension>},
    {"sqlite3_create_module", put<&Functions::create_module>},
    {"sqlite3_declare_vtab", put<&Functions::declare_vtab>},
    {"sqlite3_create_function", put<&Functions::create_function>},
    {"sqlite3_aggregate_context", put<&Functions::aggregate_context>},
    {"sqlite3_value_type", put<&Functions::value_type>},
    {"sqlite3_value_int64", put<&Functions::value_int64>},
    {"sqlite3_value_blob", put<&Functions::value_blob>},
    {"sqlite3_value_bytes", put<&Functions::value_bytes>},
    {"sqlite3_result_int64", put<&Functions::result_int64>},
    {"sqlite3_result_double", put<&Functions::result_double>},
    {"sqlite3_result_blob64", put<&Functions::result_blob64>},
    {"sqlite3_result_text64", put<&Functions::result_text64>},
    {"sqlite3_result_error", put<&Functions::result_error>},
    {"sqlite3_result_error_nomem", put<&Functions::result_error_nomem>},
};

// False, and nothing is changed, where one is missing.
bool look_up_all(const char* module) {
  // Searched with all that it is linked with, and with nothing else: there may be another SQLite in this process.
  void* const library = ::dlopen(module, RTLD_LAZY | RTLD_LOCAL);  // stays open, as the module does
  if (library == nullptr) return false;
  Functions found{};
  for (const auto& needed : kNeeded) {
    void* const symbol = ::dlsym(library, needed.name);
    if (symbol == nullptr) return false;
    needed.put(found, symbol);
  }
  functions = found;
  return true;
}

}  // namespace

Value Value::of(std::int64_t number) {
  Value value;
  value.kind = Kind::integer;
  value.integer = number;
  return value;
}

Value Value::of(double number) {
  Value value;
  value.kind = Kind::real;
  value.real = number;
  return value;
}

Value Value::text(std::string_view text) {
  Value value = bytes(text);
  value.kind = Kind::text;
  return value;
}

Value Value::bytes(std::string_view bytes) {
  Value value;
  value.kind = Kind::bytes;
  value.data = bytes.data() == nullptr ? "" : bytes.data();  // SQLite takes a null for no value
  value.size = bytes.size();
  return value;
}

Feed::Feed(FeedColumns columns, std::size_t rows) : columns_(std::move(columns)), rows_(rows) {
  if (columns_.size() > kMostColumns) throw std::length_error("more columns than a feed has");
  const std::lock_guard hold(lock);
  number_ = ++last_number;
  feeds.emplace(number_, this);
}

Feed::~Feed() {
  const std::lock_guard hold(lock);
  feeds.erase(number_);
}

FedSqlite::FedSqlite(const char* module) : lends_(look_up_all(module)) {}

void FedSqlite::offer() const {
  if (lends_) functions.auto_extension(entry());
}

void FedSqlite::withdraw() const {
  if (lends_) functions.cancel_auto_extension(entry());
}

}  // namespace nearkin
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
