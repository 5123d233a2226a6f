// The tables of a store, and how those of an earlier version become ours (docs/formats/store.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "hunt/sql.h"

namespace dissensus::hunt {

/// 0: there is nothing yet. Throws where it is not ours.
std::int64_t version_of(sql::Connection& connection);
/// Throws where there is no store, or one of a later version.
void check_version(sql::Connection& connection, std::int64_t version);
/// Makes what is missing, in one transaction.
void migrate(sql::Connection& connection);

/// Tables whose rows carry a checksum, from kChecksumVersion on.
inline constexpr std::int64_t kChecksumVersion = 4;
inline constexpr std::array<std::string_view, 5> kCheckedTables{"hunts", "items", "findings",
                                                                "yields", "examinations"};
/// What the column `checksum` of a row must be: an expression over its other columns. SQLite has
/// it from our connections (sqlite.cpp), PostgreSQL from its own functions.
std::string checksum_of(sql::Engine engine, std::string_view table);
/// UPDATE that sets it; `condition` says in which rows.
std::string seal(sql::Engine engine, std::string_view table, std::string_view condition);
/// INSERT of one row with its checksum; every column is a parameter.
std::string insert_sealed(sql::Engine engine, std::string_view table);

/// Seconds since 1970.
std::int64_t seconds_now();

}  // namespace dissensus::hunt
