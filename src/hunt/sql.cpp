#include "hunt/sql.h"

#include <utility>

#include "hunt/postgres.h"
#include "hunt/sqlite.h"

namespace dissensus::hunt::sql {

namespace {

class SqliteQuery final : public Query {
 public:
  SqliteQuery(sqlite::Database& database, std::string_view text)
      : database_(database), statement_(database, text) {}
  Query& bind(int position, std::int64_t value) override {
    statement_.bind(position, value);
    return *this;
  }
  Query& bind(int position, double value) override {
    statement_.bind(position, value);
    return *this;
  }
  Query& bind_text(int position, std::string_view text) override {
    statement_.bind_text(position, text);
    return *this;
  }
  Query& bind_bytes(int position, std::string_view bytes) override {
    statement_.bind_bytes(position, bytes);
    return *this;
  }
  bool step() override { return statement_.step(); }
  void reset() override { statement_.reset(); }
  std::int64_t changes() const override { return database_.changes(); }
  void run() override { statement_.run(); }
  std::int64_t integer(int column) const override { return statement_.integer(column); }
  double real(int column) const override { return statement_.real(column); }
  std::string_view text(int column) const override { return statement_.text(column); }

 private:
  sqlite::Database& database_;
  sqlite::Statement statement_;
};

class SqliteConnection final : public Connection {
 public:
  SqliteConnection(const std::string& path, Access access)
      : database_(path, access == Access::read ? sqlite::Database::Mode::read
                                               : sqlite::Database::Mode::create) {}
  Engine engine() const override { return Engine::sqlite; }
  const std::string& name() const override { return database_.path(); }
  std::unique_ptr<Query> prepare(std::string_view text) override {
    return std::make_unique<SqliteQuery>(database_, text);
  }
  void execute(const std::string& text) override { database_.execute(text.c_str()); }
  void begin() override { database_.execute("BEGIN IMMEDIATE"); }
  void commit() override { database_.execute("COMMIT"); }
  void give_up() override {
    try {
      database_.execute("ROLLBACK");
    } catch (const std::runtime_error&) {
      // There was none.
    }
  }
  void reconnect() override {}  // a file does not go away

 private:
  sqlite::Database database_;
};

}  // namespace

std::int64_t Connection::integer(std::string_view query) {
  const std::unique_ptr<Query> row = prepare(query);
  return row->step() ? row->integer(0) : 0;
}

bool is_url(std::string_view location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

std::string without_password(const std::string& url) {
  std::string shown = url;
  const std::size_t start = shown.find("://") + 3;
  const std::size_t at = shown.find('@', start);
  const std::size_t slash = shown.find('/', start);
  if (at != std::string::npos && (slash == std::string::npos || at < slash)) {
    const std::size_t colon = shown.find(':', start);
    if (colon < at) shown.erase(colon, at - colon);
  }
  constexpr std::string_view kKey = "password=";  // "sslpassword=", too
  for (std::size_t at_key = shown.find(kKey); at_key != std::string::npos;) {
    const std::size_t value = at_key + kKey.size();
    const std::size_t end = shown.find('&', value);
    shown.erase(value, (end == std::string::npos ? shown.size() : end) - value);
    at_key = shown.find(kKey, value);
  }
  return shown;
}

std::unique_ptr<Connection> open(const std::string& location, Access access) {
  if (is_url(location)) return open_postgres(location, access);
  return std::make_unique<SqliteConnection>(location, access);
}

}  // namespace dissensus::hunt::sql
