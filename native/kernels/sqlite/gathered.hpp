// Columns on their way out of SQLite. nearkin_gathered(value) is what a query finds, end to end: whole numbers as eight bytes
// each, bytes as they are, nothing for NULL. Python would make an object of every value of every row:
//
//     SELECT nearkin_gathered(id), nearkin_gathered(digest) FROM content
#pragma once

#include "sqlite/abi.hpp"

namespace nearkin::sqlite {

// To this connection.
int add_gathered(sqlite3* connection);

}  // namespace nearkin::sqlite
