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
std::map<std::int64_t, const RowSource*> sources;
std::int64_t last_number = 0;

const RowSource* find(std::int64_t number) {
  const std::lock_guard hold(lock);
  const auto source = sources.find(number);
  return source == sources.end() ? nullptr : source->second;
}

constexpr int kNumber = static_cast<int>(RowSource::kMostColumns);  // the hidden column that takes the argument

struct Cursor : sqlite3_vtab_cursor {
  const RowSource* source = nullptr;
  std::size_t row = 0;
};

Cursor& as_cursor(sqlite3_vtab_cursor* cursor) { return *static_cast<Cursor*>(cursor); }

// No exception may pass through SQLite, here and below.
int connect(sqlite3* connection, void*, int, const char* const*, sqlite3_vtab** table, char**) try {
  std::string declared = "CREATE TABLE rows (";
  for (std::size_t i = 0; i < RowSource::kMostColumns; ++i)
    declared.append(1, 'c').append(std::to_string(i)).append(1, ',');
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

// The table exists only as a function of a number.
int best_index(sqlite3_vtab*, sqlite3_index_info* plan) {
  for (int i = 0; i < plan->nConstraint; ++i) {
    const auto& constraint = plan->aConstraint[i];
    if (constraint.iColumn != kNumber || constraint.op != kEqual || constraint.usable == 0) continue;
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

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value** arguments) {
  as_cursor(cursor).source = find(functions.value_int64(arguments[0]));
  as_cursor(cursor).row = 0;
  return kOk;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++as_cursor(cursor).row;
  return kOk;
}

int at_end(sqlite3_vtab_cursor* cursor) {
  const Cursor& at = as_cursor(cursor);
  return at.source == nullptr || at.row >= at.source->rows() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* to, int number) try {
  const Cursor& at = as_cursor(cursor);
  const Value value = at.source->at(at.row, static_cast<std::size_t>(number));
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

// Without xCreate it is an eponymous table only: it exists without being created.
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

// The state of the aggregate nearkin_gathered, in memory of SQLite's that starts zeroed.
struct GatheredValues {
  char* data;
  std::size_t size, capacity;
};

bool append(GatheredValues& values, const void* data, std::size_t size) {
  if (values.capacity - values.size < size) {
    const std::size_t capacity = std::max({2 * values.capacity, values.size + size, std::size_t{4096}});
    auto* const moved = static_cast<char*>(std::realloc(values.data, capacity));
    if (moved == nullptr) return false;
    values.data = moved;
    values.capacity = capacity;
  }
  if (size > 0) std::memcpy(values.data + values.size, data, size);
  values.size += size;
  return true;
}

void gather(sqlite3_context* to, int, sqlite3_value** arguments) {
  auto* const values = static_cast<GatheredValues*>(functions.aggregate_context(to, sizeof(GatheredValues)));
  bool has_memory = values != nullptr;
  const int kind = functions.value_type(arguments[0]);
  if (has_memory && kind == kInteger) {
    const std::int64_t number = functions.value_int64(arguments[0]);
    has_memory = append(*values, &number, sizeof number);
  } else if (has_memory && kind == kBlob) {
    const void* const data = functions.value_blob(arguments[0]);
    has_memory = append(*values, data, static_cast<std::size_t>(functions.value_bytes(arguments[0])));
  } else if (kind != kNull) {
    functions.result_error(to, "only whole numbers and bytes are gathered", -1);
  }
  if (!has_memory) functions.result_error_nomem(to);
}

// SQLite always calls this, also after an error.
void finish(sqlite3_context* to) {
  auto* const values = static_cast<GatheredValues*>(functions.aggregate_context(to, 0));
  if (values == nullptr || values->data == nullptr)
    functions.result_blob64(to, "", 0, kStatic);
  else
    functions.result_blob64(to, values->data, values->size, std::free);
}

// Called for every connection that is opened while the table is offered.
int enter(sqlite3* connection, char**, const void*) {
  const int code = functions.create_module(connection, "nearkin_rows", &kModule, nullptr);
  if (code != kOk) return code;
  return functions.create_function(connection, "nearkin_gathered", 1, kUtf8, nullptr, nullptr, gather, finish);
}

void (*entry())() { return reinterpret_cast<void (*)()>(static_cast<EntryPoint>(enter)); }

template <auto Slot>
void put(Functions& to, void* symbol) {
  to.*Slot = reinterpret_cast<std::remove_reference_t<decltype(to.*Slot)>>(symbol);
}

struct Import {
  const char* name;
  void (*put)(Functions& to, void* symbol);
};

constexpr Import kImports[] = {
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

// Looks up all functions. Returns false, and changes nothing, if one is missing.
bool look_up_all(const char* module) {
  // The search covers the module and what it is linked with, nothing else: the process may hold another SQLite.
  void* const library = ::dlopen(module, RTLD_LAZY | RTLD_LOCAL);  // it stays open, as the module does
  if (library == nullptr) return false;
  Functions imported{};
  for (const auto& import : kImports) {
    void* const symbol = ::dlsym(library, import.name);
    if (symbol == nullptr) return false;
    import.put(imported, symbol);
  }
  functions = imported;
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
  value.data = bytes.data() == nullptr ? "" : bytes.data();  // SQLite takes a null pointer for NULL
  value.size = bytes.size();
  return value;
}

RowSource::RowSource(ColumnList columns, std::size_t rows) : columns_(std::move(columns)), rows_(rows) {
  if (columns_.size() > kMostColumns) throw std::length_error("more columns than a source of rows has");
  const std::lock_guard hold(lock);
  number_ = ++last_number;
  sources.emplace(number_, this);
}

RowSource::~RowSource() {
  const std::lock_guard hold(lock);
  sources.erase(number_);
}

SqliteLibrary::SqliteLibrary(const char* module) : available_(look_up_all(module)) {}

void SqliteLibrary::offer() const {
  if (available_) functions.auto_extension(entry());
}

void SqliteLibrary::withdraw() const {
  if (available_) functions.cancel_auto_extension(entry());
}

}  // namespace nearkin
