// The part of SQLite's interface that a virtual table and an aggregate need. The library is the one that Python has
// loaded already; its headers are on few machines. These declarations have been the same since 3.9 of 2015, and current
// libraries keep them (sqlite.org/vtab.html, "The Virtual Table Mechanism of SQLite").
#pragma once

#include <cstdint>

extern "C" {

struct sqlite3;
struct sqlite3_context;
struct sqlite3_value;
struct sqlite3_module;

struct sqlite3_vtab {
  const sqlite3_module* pModule;
  int nRef;
  char* zErrMsg;
};

struct sqlite3_vtab_cursor {
  sqlite3_vtab* pVtab;
};

struct sqlite3_index_info {
  struct constraint {
    int iColumn;
    unsigned char op;
    unsigned char usable;
    int iTermOffset;
  };
  struct order_by {
    int iColumn;
    unsigned char desc;
  };
  struct constraint_usage {
    int argvIndex;
    unsigned char omit;
  };
  int nConstraint;
  constraint* aConstraint;
  int nOrderBy;
  order_by* aOrderBy;
  constraint_usage* aConstraintUsage;
  int idxNum;
  char* idxStr;
  int needToFreeIdxStr;
  int orderByConsumed;
  double estimatedCost;
  std::int64_t estimatedRows;
  // More members follow, which are not used here.
};

struct sqlite3_module {
  int iVersion;
  int (*xCreate)(sqlite3*, void*, int, const char* const*, sqlite3_vtab**, char**);
  int (*xConnect)(sqlite3*, void*, int, const char* const*, sqlite3_vtab**, char**);
  int (*xBestIndex)(sqlite3_vtab*, sqlite3_index_info*);
  int (*xDisconnect)(sqlite3_vtab*);
  int (*xDestroy)(sqlite3_vtab*);
  int (*xOpen)(sqlite3_vtab*, sqlite3_vtab_cursor**);
  int (*xClose)(sqlite3_vtab_cursor*);
  int (*xFilter)(sqlite3_vtab_cursor*, int, const char*, int, sqlite3_value**);
  int (*xNext)(sqlite3_vtab_cursor*);
  int (*xEof)(sqlite3_vtab_cursor*);
  int (*xColumn)(sqlite3_vtab_cursor*, sqlite3_context*, int);
  int (*xRowid)(sqlite3_vtab_cursor*, std::int64_t*);
  int (*xUpdate)(sqlite3_vtab*, int, sqlite3_value**, std::int64_t*);
  int (*xBegin)(sqlite3_vtab*);
  int (*xSync)(sqlite3_vtab*);
  int (*xCommit)(sqlite3_vtab*);
  int (*xRollback)(sqlite3_vtab*);
  int (*xFindFunction)(sqlite3_vtab*, int, const char*, void (**)(sqlite3_context*, int, sqlite3_value**), void**);
  int (*xRename)(sqlite3_vtab*, const char*);
};

}  // extern "C"

namespace nearkin::sqlite {

inline constexpr int kOk = 0, kError = 1, kNoMemory = 7, kConstraint = 19;
inline constexpr int kEqual = 2;          // SQLITE_INDEX_CONSTRAINT_EQ
inline constexpr int kInteger = 1, kBlob = 4, kNull = 5;  // types of values
inline constexpr unsigned char kUtf8 = 1;
using Destructor = void (*)(void*);
inline constexpr Destructor kStatic = nullptr;  // the value stays where it is until the next row

using EntryPoint = int (*)(sqlite3*, char**, const void*);

// Functions, found by their names in the library.
struct Functions {
  int (*auto_extension)(void (*)());
  int (*cancel_auto_extension)(void (*)());
  int (*create_module)(sqlite3*, const char*, const sqlite3_module*, void*);
  int (*declare_vtab)(sqlite3*, const char*);
  int (*create_function)(sqlite3*, const char*, int, int, void*, void (*)(sqlite3_context*, int, sqlite3_value**),
                         void (*)(sqlite3_context*, int, sqlite3_value**), void (*)(sqlite3_context*));
  void* (*aggregate_context)(sqlite3_context*, int);
  int (*value_type)(sqlite3_value*);
  std::int64_t (*value_int64)(sqlite3_value*);
  const void* (*value_blob)(sqlite3_value*);
  int (*value_bytes)(sqlite3_value*);
  void (*result_int64)(sqlite3_context*, std::int64_t);
  void (*result_double)(sqlite3_context*, double);
  void (*result_blob64)(sqlite3_context*, const void*, std::uint64_t, Destructor);
  void (*result_text64)(sqlite3_context*, const char*, std::uint64_t, Destructor, unsigned char);
  void (*result_error)(sqlite3_context*, const char*, int);
  void (*result_error_nomem)(sqlite3_context*);
};

inline Functions functions{};  // set once, before anything else here is called

}  // namespace nearkin::sqlite
