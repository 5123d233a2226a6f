// The two engines of a store behind one small interface: SQLite for one machine, PostgreSQL for
// many. Statements mark their parameters with '?'. Failures throw InputError with the store's name
// (without a password) and the engine's own words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dissensus/options.h"

namespace dissensus::hunt::sql {

enum class Engine : std::uint8_t { sqlite, postgresql };

/// The server went away, or cannot be reached: what was not committed is not in the store, and the
/// same may work later.
class ConnectionLost : public InputError {
 public:
  using InputError::InputError;
};

/// A prepared statement: bind everything, step, read columns, reset. Bytes that are bound must stay
/// valid until reset().
class Query {
 public:
  virtual ~Query() = default;
  virtual Query& bind(int position, std::int64_t value) = 0;
  virtual Query& bind(int position, double value) = 0;
  virtual Query& bind_text(int position, std::string_view text) = 0;
  virtual Query& bind_bytes(int position, std::string_view bytes) = 0;

  /// True: there is a row to read. False: done.
  virtual bool step() = 0;
  virtual void reset() = 0;
  /// Rows that the last statement without results has changed.
  virtual std::int64_t changes() const = 0;
  /// For statements that give no rows. Inside of a transaction, PostgreSQL may report a failure
  /// when it is committed.
  virtual void run() = 0;

  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  /// Valid until the next step or reset.
  virtual std::string_view text(int column) const = 0;
};

enum class Access : std::uint8_t { read, create };

/// One thread at a time.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual Engine engine() const = 0;
  /// Of the store, for messages.
  virtual const std::string& name() const = 0;
  virtual std::unique_ptr<Query> prepare(std::string_view text) = 0;
  /// Statements without parameters or results.
  virtual void execute(const std::string& text) = 0;
  virtual void begin() = 0;
  virtual void commit() = 0;
  /// Ends a transaction that has failed, if there is one; the failure is known, so nothing is
  /// thrown.
  virtual void give_up() = 0;
  /// After ConnectionLost. Queries have to be prepared again.
  virtual void reconnect() = 0;

  /// The first column of the first row; 0 where there is none.
  std::int64_t integer(std::string_view query);
};

/// True for "postgresql://..." and "postgres://...".
bool is_url(std::string_view location);
/// A URL as it may be shown: without what could be a password.
std::string without_password(const std::string& url);
/// A path is a SQLite file, a URL a PostgreSQL database.
std::unique_ptr<Connection> open(const std::string& location, Access access);

}  // namespace dissensus::hunt::sql
