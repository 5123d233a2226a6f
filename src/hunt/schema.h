// The tables of a store, and how those of an earlier version become ours (docs/formats/store.md).
#pragma once

#include <cstdint>

#include "hunt/sql.h"

namespace dissensus::hunt {

/// 0: there is nothing yet. Throws where it is not ours.
std::int64_t version_of(sql::Connection& connection);
/// Throws where there is no store, or one of a later version.
void check_version(sql::Connection& connection, std::int64_t version);
/// Makes what is missing, in one transaction.
void migrate(sql::Connection& connection);

/// Seconds since 1970.
std::int64_t seconds_now();

}  // namespace dissensus::hunt
