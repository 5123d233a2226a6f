#include "hunt/schema.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "hunt/store.h"

namespace dissensus::hunt {

namespace {

/// What each version added, in words of both engines: {key} and {bytes} are types.
constexpr std::string_view kVersion1 = R"(
CREATE TABLE hunts (
  id {key},
  scenario_name TEXT NOT NULL,
  scenario TEXT NOT NULL,
  options TEXT NOT NULL,
  program TEXT NOT NULL
);
CREATE TABLE items (
  hunt BIGINT NOT NULL REFERENCES hunts (id),
  number BIGINT NOT NULL,
  seed BIGINT NOT NULL,
  hash TEXT NOT NULL,
  schedule {bytes} NOT NULL,
  outcome BIGINT NOT NULL,
  signature TEXT NOT NULL,
  violations BIGINT NOT NULL,
  objectives TEXT NOT NULL,
  disagreement_margin DOUBLE PRECISION NOT NULL,
  termination_margin DOUBLE PRECISION NOT NULL,
  new_states {bytes} NOT NULL,
  virtual_us BIGINT NOT NULL,
  events BIGINT NOT NULL,
  member TEXT NOT NULL,
  origin TEXT NOT NULL,
  stability BIGINT NOT NULL,
  UNIQUE (hunt, number)
);
CREATE TABLE findings (
  hunt BIGINT NOT NULL REFERENCES hunts (id),
  signature TEXT NOT NULL,
  first_item BIGINT NOT NULL,
  count BIGINT NOT NULL,
  folder TEXT NOT NULL DEFAULT '',
  UNIQUE (hunt, signature)
);
)";
constexpr std::string_view kVersion2 = R"(
ALTER TABLE hunts ADD COLUMN created BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hunts ADD COLUMN finished BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hunts ADD COLUMN unknown BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hunts ADD COLUMN virtual_us BIGINT NOT NULL DEFAULT 0;
UPDATE hunts SET created = {now}, unknown = (SELECT count(*) FROM items WHERE hunt = hunts.id AND outcome = 2),
  virtual_us = (SELECT CAST(coalesce(sum(virtual_us), 0) AS BIGINT) FROM items WHERE hunt = hunts.id);
ALTER TABLE findings ADD COLUMN first_seen BIGINT NOT NULL DEFAULT 0;
ALTER TABLE findings ADD COLUMN last_seen BIGINT NOT NULL DEFAULT 0;
CREATE TABLE batches (
  id {key},
  hunt BIGINT NOT NULL REFERENCES hunts (id),
  items {bytes} NOT NULL,
  owner TEXT NOT NULL DEFAULT '',
  deadline DOUBLE PRECISION NOT NULL DEFAULT 0,
  attempts BIGINT NOT NULL DEFAULT 0,
  done BIGINT NOT NULL DEFAULT 0,
  results {bytes} NOT NULL
);
CREATE INDEX batches_by_hunt ON batches (hunt, done, id);
CREATE TABLE mismatches (
  hunt BIGINT NOT NULL REFERENCES hunts (id),
  number BIGINT NOT NULL,
  hash TEXT NOT NULL,
  other_hash TEXT NOT NULL,
  owner TEXT NOT NULL
);
)";
/// Islands, examinations, and what an explorer asks of a million runs: sorted pages, runs of a
/// finding, and yields as sums over a thousand runs each.
constexpr std::string_view kVersion3 = R"(
ALTER TABLE hunts ADD COLUMN islands BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hunts ADD COLUMN unkept BIGINT NOT NULL DEFAULT 0;
CREATE TABLE yields (
  hunt BIGINT NOT NULL REFERENCES hunts (id),
  thousand BIGINT NOT NULL,
  member TEXT NOT NULL,
  origin TEXT NOT NULL,
  runs BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  new_states BIGINT NOT NULL,
  virtual_us BIGINT NOT NULL,
  last_seen BIGINT NOT NULL,
  UNIQUE (hunt, thousand, member, origin)
);
INSERT INTO yields SELECT hunt, number / 1000, member, origin, count(*),
  sum(CASE WHEN outcome = 1 THEN 1 ELSE 0 END), sum(CASE WHEN outcome = 2 THEN 1 ELSE 0 END),
  CAST(sum(length(new_states) / 8) AS BIGINT), CAST(sum(virtual_us) AS BIGINT), {now}
  FROM items GROUP BY hunt, number / 1000, member, origin;
CREATE INDEX items_failed ON items (hunt, signature, number) WHERE outcome = 1;
CREATE INDEX items_failed_by_disagreement ON items (hunt, signature, disagreement_margin, number)
  WHERE outcome = 1;
CREATE INDEX items_failed_by_termination ON items (hunt, signature, termination_margin, number)
  WHERE outcome = 1;
CREATE INDEX items_unknown ON items (hunt, number) WHERE outcome = 2;
CREATE INDEX items_by_disagreement ON items (hunt, disagreement_margin, number);
CREATE INDEX items_by_termination ON items (hunt, termination_margin, number);
CREATE INDEX items_by_length ON items (hunt, virtual_us, number);
CREATE INDEX items_by_events ON items (hunt, events, number);
CREATE INDEX items_by_origin ON items (hunt, member, origin, number);
CREATE TABLE examinations (
  id {key},
  hunt BIGINT NOT NULL REFERENCES hunts (id),
  signature TEXT NOT NULL,
  item BIGINT NOT NULL,
  owner TEXT NOT NULL DEFAULT '',
  deadline DOUBLE PRECISION NOT NULL DEFAULT 0,
  attempts BIGINT NOT NULL DEFAULT 0,
  done BIGINT NOT NULL DEFAULT 0,
  scenario TEXT NOT NULL DEFAULT '',
  schedule TEXT NOT NULL DEFAULT '',
  seed BIGINT NOT NULL DEFAULT 0,
  shrink TEXT NOT NULL DEFAULT '',
  curves TEXT NOT NULL DEFAULT '',
  UNIQUE (hunt, signature)
);
CREATE TABLE islands (
  id {key},
  hunt BIGINT NOT NULL REFERENCES hunts (id),
  owner TEXT NOT NULL,
  turns BIGINT NOT NULL DEFAULT 0,
  last_seen DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE TABLE shipments (
  id {key},
  hunt BIGINT NOT NULL REFERENCES hunts (id),
  island BIGINT NOT NULL REFERENCES islands (id),
  cargo {bytes} NOT NULL
);
CREATE INDEX shipments_by_hunt ON shipments (hunt, id);
)";
/// A checksum for each row that stays. What is there by then is taken as it is.
constexpr std::string_view kVersion4 = R"(
ALTER TABLE hunts ADD COLUMN checksum BIGINT NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN checksum BIGINT NOT NULL DEFAULT 0;
ALTER TABLE findings ADD COLUMN checksum BIGINT NOT NULL DEFAULT 0;
ALTER TABLE yields ADD COLUMN checksum BIGINT NOT NULL DEFAULT 0;
ALTER TABLE examinations ADD COLUMN checksum BIGINT NOT NULL DEFAULT 0;
UPDATE hunts SET checksum = {hunts};
UPDATE items SET checksum = {items};
UPDATE findings SET checksum = {findings};
UPDATE yields SET checksum = {yields};
UPDATE examinations SET checksum = {examinations};
)";
constexpr std::array kVersions{kVersion1, kVersion2, kVersion3, kVersion4};
static_assert(kVersions.size() == kStoreVersion);

/// Columns that a checksum is made of, with their types.
struct CheckedColumn {
  std::string_view name;
  std::string_view type;
};
constexpr std::string_view kNumber = "BIGINT";
constexpr std::string_view kText = "TEXT";
constexpr std::string_view kReal = "DOUBLE PRECISION";
constexpr std::string_view kBytes = "{bytes}";

std::vector<CheckedColumn> checked_columns(std::string_view table) {
  if (table == "hunts") {
    return {{"id", kNumber},       {"scenario_name", kText}, {"scenario", kText},
            {"options", kText},    {"program", kText},       {"created", kNumber},
            {"finished", kNumber}, {"unknown", kNumber},     {"virtual_us", kNumber},
            {"islands", kNumber},  {"unkept", kNumber}};
  }
  if (table == "items") {
    return {{"hunt", kNumber},
            {"number", kNumber},
            {"seed", kNumber},
            {"hash", kText},
            {"schedule", kBytes},
            {"outcome", kNumber},
            {"signature", kText},
            {"violations", kNumber},
            {"objectives", kText},
            {"disagreement_margin", kReal},
            {"termination_margin", kReal},
            {"new_states", kBytes},
            {"virtual_us", kNumber},
            {"events", kNumber},
            {"member", kText},
            {"origin", kText},
            {"stability", kNumber}};
  }
  if (table == "findings") {
    return {{"hunt", kNumber}, {"signature", kText},    {"first_item", kNumber}, {"count", kNumber},
            {"folder", kText}, {"first_seen", kNumber}, {"last_seen", kNumber}};
  }
  if (table == "yields") {
    return {{"hunt", kNumber},     {"thousand", kNumber},   {"member", kText},
            {"origin", kText},     {"runs", kNumber},       {"failed", kNumber},
            {"unknown", kNumber},  {"new_states", kNumber}, {"virtual_us", kNumber},
            {"last_seen", kNumber}};
  }
  // Not who works on it, and until when.
  return {{"hunt", kNumber}, {"signature", kText}, {"item", kNumber},
          {"done", kNumber}, {"scenario", kText},  {"schedule", kText},
          {"seed", kNumber}, {"shrink", kText},    {"curves", kText}};
}

/// Of a list of values. PostgreSQL's functions say the same in all of its versions.
std::string checksum_of_list(sql::Engine engine, const std::string& list) {
  return engine == sql::Engine::sqlite
             ? fmt::format("row_checksum({})", list)
             : fmt::format(
                   "CAST(CAST('x' || substr(md5(CAST(ROW({}) AS TEXT)), 1, 16) AS "
                   "BIT(64)) AS BIGINT)",
                   list);
}

std::string in_words_of(sql::Engine engine, std::string_view text) {
  const bool is_sqlite = engine == sql::Engine::sqlite;
  std::string result(text);
  const auto replace = [&result](std::string_view word, std::string_view type) {
    for (std::size_t at = 0; (at = result.find(word, at)) != std::string::npos;) {
      result.replace(at, word.size(), type);
    }
  };
  replace("{key}",
          is_sqlite ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY");
  replace("{bytes}", is_sqlite ? "BLOB" : "BYTEA");
  replace("{now}", std::to_string(seconds_now()));
  for (const std::string_view table : kCheckedTables) {
    replace(fmt::format("{{{}}}", table), checksum_of(engine, table));
  }
  return result;
}

}  // namespace

std::string checksum_of(sql::Engine engine, std::string_view table) {
  std::string names;
  for (const CheckedColumn& column : checked_columns(table)) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", column.name);
  }
  return checksum_of_list(engine, names);
}

std::string seal(sql::Engine engine, std::string_view table, std::string_view condition) {
  return fmt::format("UPDATE {} SET checksum = {} WHERE {}", table, checksum_of(engine, table),
                     condition);
}

std::string insert_sealed(sql::Engine engine, std::string_view table) {
  std::string names, values, columns;
  std::size_t count = 0;
  for (const CheckedColumn& column : checked_columns(table)) {
    const std::string_view comma = count == 0 ? "" : ", ";
    names += fmt::format("{}{}", comma, column.name);
    values += fmt::format("{}CAST(? AS {})", comma, column.type);
    columns += fmt::format("{}column{}", comma, ++count);
  }
  return in_words_of(
      engine, fmt::format("INSERT INTO {} ({}, checksum) SELECT {}, {} FROM (VALUES ({})) AS "
                          "given",
                          table, names, columns, checksum_of_list(engine, columns), values));
}

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t version_of(sql::Connection& connection) {
  const auto not_ours = [&connection] {
    return InputError(fmt::format("{}: not a Dissensus store", connection.name()));
  };
  if (connection.engine() == sql::Engine::sqlite) {
    const std::int64_t application = connection.integer("PRAGMA application_id");
    if (application == kStoreApplication) return connection.integer("PRAGMA user_version");
    if (application != 0 || connection.integer("SELECT count(*) FROM sqlite_schema") != 0) {
      throw not_ours();
    }
    return 0;
  }
  // A database may have other tenants: ours is a schema of its own.
  if (connection.integer("SELECT count(*) FROM pg_namespace WHERE nspname = 'dissensus'") == 0) {
    return 0;
  }
  if (connection.integer("SELECT count(*) FROM pg_tables WHERE schemaname = 'dissensus' "
                         "AND tablename = 'store_version'") == 0) {
    throw not_ours();
  }
  return connection.integer("SELECT version FROM dissensus.store_version");
}

void check_version(sql::Connection& connection, std::int64_t version) {
  if (version == 0) {
    throw InputError(fmt::format("{}: not a Dissensus store", connection.name()));
  }
  if (version > kStoreVersion || version < 0) {
    throw InputError(
        fmt::format("{}: a store of format version {}, expected at most {}; it was written by "
                    "another version of the program",
                    connection.name(), version, kStoreVersion));
  }
}

namespace {

void set_version(sql::Connection& connection, std::int64_t version) {
  if (connection.engine() == sql::Engine::sqlite) {
    connection.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                   kStoreApplication, version));
  } else {
    connection.execute(
        fmt::format("DELETE FROM store_version; INSERT INTO store_version VALUES ({});", version));
  }
}

}  // namespace

/// Statements that are sent one by one in a transaction: no pipeline, so that a failure is seen at
/// once.
void migrate(sql::Connection& connection) {
  const bool is_sqlite = connection.engine() == sql::Engine::sqlite;
  connection.execute(is_sqlite ? "BEGIN IMMEDIATE"
                               : "BEGIN; SELECT pg_advisory_xact_lock(1147761523)");
  try {
    std::int64_t version = version_of(connection);
    if (version != 0) check_version(connection, version);
    if (!is_sqlite) {
      connection.execute(
          "CREATE SCHEMA IF NOT EXISTS dissensus; "
          "CREATE TABLE IF NOT EXISTS dissensus.store_version (version BIGINT NOT NULL)");
    }
    for (; version < kStoreVersion; ++version) {
      connection.execute(
          in_words_of(connection.engine(), kVersions[static_cast<std::size_t>(version)]));
      set_version(connection, version + 1);
    }
    connection.execute("COMMIT");
  } catch (...) {
    try {
      connection.execute("ROLLBACK");
    } catch (const std::runtime_error&) {
      // A full disk has ended it already, and is what is to be told.
    }
    throw;
  }
}

namespace {

std::unique_ptr<sql::Connection> open_and_migrate(const std::string& location) {
  auto connection = sql::open(location, sql::Access::create);
  const std::int64_t version = version_of(*connection);
  if (version != 0) check_version(*connection, version);
  if (connection->engine() == sql::Engine::sqlite) {
    // A write-ahead log: commits survive the death of the program, and readers are not disturbed.
    connection->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  }
  if (version < kStoreVersion) migrate(*connection);
  return connection;
}

}  // namespace

std::unique_ptr<sql::Connection> open_store(const std::string& location) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_new = !sql::is_url(location) &&
                      (!fs::exists(location, error) || fs::file_size(location, error) == 0);
  try {
    return open_and_migrate(location);
  } catch (...) {
    // Half a store is none: on a full disk nothing is left that has the name of one.
    if (is_new) {
      for (const char* const ending : {"", "-wal", "-shm", "-journal"}) {
        fs::remove(location + ending, error);
      }
    }
    throw;
  }
}

}  // namespace dissensus::hunt
