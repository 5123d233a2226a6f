// SQLite behind two small types. Failures throw InputError with the file and SQLite's own words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace dissensus::hunt::sqlite {

class Database;

/// A prepared statement: bind everything, step, read columns, reset.
class Statement {
 public:
  Statement() = default;
  Statement(Database& database, std::string_view text);

  Statement& bind(int position, std::int64_t value);
  Statement& bind(int position, double value);
  /// The bytes must stay valid until reset().
  Statement& bind_text(int position, std::string_view text);
  Statement& bind_bytes(int position, std::string_view bytes);

  /// True: there is a row to read. False: done.
  bool step();
  void reset();
  /// For statements that give no rows.
  void run() {
    step();
    reset();
  }

  std::int64_t integer(int column) const;
  double real(int column) const;
  /// Valid until the next step or reset.
  std::string_view text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int code) const;
  Database* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Mode : std::uint8_t { read, write, create };
  Database(const std::string& path, Mode mode);

  void execute(const char* text);
  std::int64_t integer(std::string_view query);
  /// Rows that the last statement has changed.
  std::int64_t changes() const;
  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace dissensus::hunt::sqlite
