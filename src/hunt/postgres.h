// PostgreSQL as the engine of a store. What libpq's environment variables, service files and
// password files say counts; a URL needs no more than the name of the database.
#pragma once

#include <memory>
#include <string>

#include "hunt/sql.h"

namespace dissensus::hunt::sql {

std::unique_ptr<Connection> open_postgres(const std::string& url, Access access);

}  // namespace dissensus::hunt::sql
