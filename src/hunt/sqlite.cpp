#include "hunt/sqlite.h"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>

#include "dissensus/digest.h"
#include "dissensus/options.h"

#include "core/file.h"

namespace dissensus::hunt::sqlite {

namespace {
constexpr int kBusyMs = 2000;

std::string explain(int code) {
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      return "not a Dissensus store";
    case SQLITE_CORRUPT:
      return "damaged: the file is no longer a readable store";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program keeps it locked";
    case SQLITE_FULL:
      return "cannot be written: the disk is full";
    case SQLITE_READONLY:
      return "cannot be written: it is read-only";
    case SQLITE_CANTOPEN:
      return "cannot be opened";
    default:
      return "";
  }
}
/// row_checksum(...): of values and their types. What reads back as the same number is the same:
/// SQLite keeps no negative zero.
void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  std::string bytes;
  const auto append = [&bytes](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  for (int i = 0; i < count; ++i) {
    const int type = sqlite3_value_type(values[i]);
    bytes += static_cast<char>(type);
    if (type == SQLITE_INTEGER) {
      const std::int64_t number = sqlite3_value_int64(values[i]);
      append(&number, sizeof number);
    } else if (type == SQLITE_FLOAT) {
      const double number = sqlite3_value_double(values[i]) + 0.0;
      append(&number, sizeof number);
    } else if (type != SQLITE_NULL) {
      const void* const data = sqlite3_value_blob(values[i]);
      const std::int64_t size = sqlite3_value_bytes(values[i]);
      append(&size, sizeof size);
      if (size > 0) append(data, static_cast<std::size_t>(size));
    }
  }
  sqlite3_result_int64(context, static_cast<std::int64_t>(digest_of_text(bytes).low));
}

/// The machine's fault: no room, no memory, a write that failed.
bool is_of_machine(int code) {
  switch (code) {
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_TRUNCATE:
    case SQLITE_IOERR_SHMSIZE:
    case SQLITE_IOERR_SHMMAP:
    case SQLITE_IOERR_NOMEM:
      return true;
    default:
      return (code & 0xFF) == SQLITE_FULL || (code & 0xFF) == SQLITE_NOMEM;
  }
}
}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}
void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Database::Database(const std::string& path, Mode mode) : path_(path) {
  std::error_code error;
  if (mode != Mode::create && !std::filesystem::exists(path, error)) {
    throw InputError(
        fmt::format("{}: cannot be opened: no such file{}", path, missing_path_hint(path)));
  }
  int flags = SQLITE_OPEN_READONLY;
  if (mode != Mode::read) flags = SQLITE_OPEN_READWRITE;
  if (mode == Mode::create) flags |= SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle, kBusyMs);
  sqlite3_create_function_v2(handle, "row_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                             nullptr, row_checksum, nullptr, nullptr, nullptr);
}

void Database::fail(int code) const {
  // Shared memory that finds no room is no SQLITE_FULL.
  const bool is_full =
      (code & 0xFF) == SQLITE_IOERR && handle_ && sqlite3_system_errno(handle_.get()) == ENOSPC;
  const std::string words = explain(is_full ? SQLITE_FULL : code);
  const char* const detail = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  const std::string text = words.empty() ? fmt::format("{}: cannot be used: {}", path_, detail)
                                         : fmt::format("{}: {} ({})", path_, words, detail);
  if (is_full || is_of_machine(handle_ ? sqlite3_extended_errcode(handle_.get()) : code)) {
    throw EnvironmentError(text);
  }
  throw InputError(text);
}

void Database::execute(const char* text) {
  const int code = sqlite3_exec(handle_.get(), text, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(std::string_view query) {
  Statement statement(*this, query);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(handle_.get());
}

Statement::Statement(Database& database, std::string_view text) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(database.handle(), text.data(), static_cast<int>(text.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  statement_.reset(statement);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_->fail(code);
}

Statement& Statement::bind(int position, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), position, value));
  return *this;
}
Statement& Statement::bind(int position, double value) {
  check(sqlite3_bind_double(statement_.get(), position, value));
  return *this;
}
Statement& Statement::bind_text(int position, std::string_view text) {
  // A null pointer would be bound as NULL, which an empty text is not.
  check(sqlite3_bind_text(statement_.get(), position, text.empty() ? "" : text.data(),
                          static_cast<int>(text.size()), SQLITE_STATIC));
  return *this;
}
Statement& Statement::bind_bytes(int position, std::string_view bytes) {
  check(sqlite3_bind_blob(statement_.get(), position, bytes.empty() ? "" : bytes.data(),
                          static_cast<int>(bytes.size()), SQLITE_STATIC));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3_reset(statement_.get());
  database_->fail(code);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}
std::string_view Statement::text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

}  // namespace dissensus::hunt::sqlite
