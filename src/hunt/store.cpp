#include "hunt/store.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "dissensus/options.h"

#include "trace/trace.h"

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
constexpr std::array kVersions{kVersion1, kVersion2};

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
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
  return result;
}

/// 0: there is nothing yet. Throws where it is not ours.
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

void set_version(sql::Connection& connection, std::int64_t version) {
  if (connection.engine() == sql::Engine::sqlite) {
    connection.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                   kStoreApplication, version));
  } else {
    connection.execute(
        fmt::format("DELETE FROM store_version; INSERT INTO store_version VALUES ({});", version));
  }
}

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
    connection.execute("ROLLBACK");
    throw;
  }
}

HuntRecord read_hunt(const sql::Query& row) {
  return {row.integer(0),           std::string(row.text(1)), std::string(row.text(2)),
          std::string(row.text(3)), std::string(row.text(4)), row.integer(5) != 0};
}

/// A store of version 1 can be read as it is.
std::string select_hunts(sql::Connection& connection) {
  return fmt::format(
      "SELECT id, scenario_name, scenario, options, program, {} FROM hunts ORDER BY id",
      version_of(connection) == 1 ? "0" : "finished");
}

/// Shortest digits that read back as the same number.
void append_objectives(const std::vector<double>& objectives, std::string& text) {
  text.clear();
  for (const double objective : objectives) {
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ",", objective);
  }
}

std::vector<double> parse_objectives(std::string_view text) {
  std::vector<double> objectives;
  const char* const end = text.data() + text.size();
  for (const char* position = text.data(); position < end;) {
    double value = 0;
    position = std::from_chars(position, end, value).ptr + 1;
    objectives.push_back(value);
  }
  return objectives;
}

std::vector<std::uint64_t> parse_states(std::string_view bytes) {
  std::vector<std::uint64_t> states(bytes.size() / sizeof(std::uint64_t));
  if (!states.empty())
    std::memcpy(states.data(), bytes.data(), states.size() * sizeof(std::uint64_t));
  return states;
}

std::uint64_t parse_hash(std::string_view text) {
  std::uint64_t hash = 0;
  std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  return hash;
}

/// Throws for the first thing that the results depend on and that differs.
void check_same_hunt(const HuntRecord& stored, const HuntRecord& now, const std::string& path) {
  const auto refuse = [&path](std::string_view what) {
    throw InputError(fmt::format("{}: cannot be resumed: {}", path, what));
  };
  if (stored.program != now.program) {
    refuse(fmt::format("it was made by {}, this is {}", stored.program, now.program));
  }
  if (stored.scenario != now.scenario) {
    refuse(fmt::format("the scenario is not the one that was hunted ({})", stored.scenario_name));
  }
  const auto before = nlohmann::ordered_json::parse(stored.options, nullptr, false);
  const auto after = nlohmann::ordered_json::parse(now.options);
  if (before.is_discarded()) refuse("its options are damaged");
  for (const auto& [key, value] : after.items()) {
    const auto found = before.find(key);
    if (found == before.end() || *found != value) {
      refuse(fmt::format("--{} was {}, now {}", key,
                         found == before.end() ? "not there" : found->dump(), value.dump()));
    }
  }
}

}  // namespace

/// Says that a hunt writes here. SQLite's own locks are held during a transaction only.
struct Store::Lock {
  explicit Lock(const std::string& path)
      : file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    // Where the file cannot be opened, SQLite says so in a better way.
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
      close(file);
      throw InputError(path + ": another hunt is writing to it");
    }
  }
  ~Lock() {
    if (file >= 0) close(file);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  int file;
};

ItemCursor::ItemCursor(sql::Connection& connection, std::int64_t hunt)
    : connection_(&connection), hunt_(hunt) {}

/// By pages: a result of a million rows need not fit into memory, and other statements may come in
/// between.
bool ItemCursor::next_row() {
  constexpr std::int64_t kPage = 1000;
  if (page_ && page_->step()) {
    ++row_of_page_;
    return true;
  }
  if (page_ && row_of_page_ < kPage) return false;
  if (!page_) {
    page_ = connection_->prepare(
        "SELECT number, seed, hash, schedule, outcome, signature, violations, objectives, "
        "disagreement_margin, termination_margin, new_states, virtual_us, events, member, "
        "origin, stability FROM items WHERE hunt = ? AND number >= ? ORDER BY number LIMIT ?");
  }
  page_->reset();
  page_->bind(1, hunt_).bind(2, next_number_).bind(3, kPage);
  row_of_page_ = 1;
  return page_->step();
}

bool ItemCursor::next(ItemRecord& item) {
  if (!next_row()) return false;
  const auto count = [this](int column) {
    return static_cast<std::uint64_t>(page_->integer(column));
  };
  item.number = count(0);
  next_number_ = page_->integer(0) + 1;
  item.seed = count(1);
  item.hash = parse_hash(page_->text(2));
  item.schedule = page_->text(3);
  const std::uint64_t outcome = count(4);
  const std::uint64_t stability = count(15);
  if (outcome > 2 || stability > 2) {
    throw InputError(fmt::format("{}: item {} is damaged", connection_->name(), item.number));
  }
  item.outcome = static_cast<oracle::Outcome>(outcome);
  item.signature = page_->text(5);
  item.violations = count(6);
  item.objectives = parse_objectives(page_->text(7));
  item.disagreement_margin = page_->real(8);
  item.termination_margin = page_->real(9);
  item.new_states = parse_states(page_->text(10));
  item.virtual_time = Duration(page_->integer(11));
  item.events = count(12);
  item.member = page_->text(13);
  item.origin = page_->text(14);
  item.stability = static_cast<Stability>(stability);
  return true;
}

StoreReader::StoreReader(const std::string& location)
    : connection_(sql::open(location, sql::Access::read)) {
  check_version(*connection_, version_of(*connection_));
}

std::vector<HuntRecord> StoreReader::hunts() {
  std::vector<HuntRecord> hunts;
  const auto row = connection_->prepare(select_hunts(*connection_));
  while (row->step()) hunts.push_back(read_hunt(*row));
  return hunts;
}

std::uint64_t StoreReader::item_count(std::int64_t hunt) {
  const auto row = connection_->prepare("SELECT count(*) FROM items WHERE hunt = ?");
  row->bind(1, hunt).step();
  return static_cast<std::uint64_t>(row->integer(0));
}

HuntTotals StoreReader::totals(std::int64_t hunt) {
  const auto row = connection_->prepare(fmt::format(
      "SELECT (SELECT coalesce(max(number) + 1, 0) FROM items WHERE hunt = hunts.id), "
      "(SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM findings WHERE hunt = hunts.id), {} "
      "FROM hunts WHERE id = ?",
      version_of(*connection_) > 1
          ? "unknown, virtual_us, (SELECT count(*) FROM mismatches WHERE hunt = hunts.id)"
          : "0, 0, 0"));
  row->bind(1, hunt);
  if (!row->step()) return {};
  const auto count = [&row](int column) {
    return static_cast<std::uint64_t>(row->integer(column));
  };
  return {count(0), count(1), count(2), Duration(row->integer(3)), count(4)};
}

std::vector<FindingRecord> StoreReader::findings(std::int64_t hunt) {
  std::vector<FindingRecord> findings;
  const bool has_times = version_of(*connection_) > 1;
  const auto row = connection_->prepare(
      fmt::format("SELECT signature, first_item, count, folder, {} FROM findings WHERE hunt = ? "
                  "ORDER BY first_item",
                  has_times ? "first_seen, last_seen" : "0, 0"));
  row->bind(1, hunt);
  while (row->step()) {
    findings.push_back({std::string(row->text(0)), static_cast<std::uint64_t>(row->integer(1)),
                        static_cast<std::uint64_t>(row->integer(2)), std::string(row->text(3)),
                        row->integer(4), row->integer(5)});
  }
  return findings;
}

std::unique_ptr<sql::Connection> open_store(const std::string& location) {
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

Store::Store(const std::string& location, Patience* patience)
    : location_(location),
      patience_(patience),
      lock_(sql::is_url(location) ? nullptr : std::make_shared<Lock>(location)) {
  for (;;) {
    try {
      connection_ = open_store(location);
      break;
    } catch (const sql::ConnectionLost& lost) {
      if (patience_ == nullptr || !patience_->wait(lost.what())) throw;
    }
  }
  prepare();
}

Store::~Store() {
  try {
    flush();
  } catch (const InputError&) {
    // The hunt that met the error has reported it.
  }
}

void Store::prepare() {
  insert_item_ = connection_->prepare(
      "INSERT INTO items (hunt, number, seed, hash, schedule, outcome, signature, violations, "
      "objectives, disagreement_margin, termination_margin, new_states, virtual_us, events, "
      "member, origin, stability) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  update_totals_ = connection_->prepare(
      "UPDATE hunts SET unknown = unknown + ?, virtual_us = virtual_us + ? WHERE id = ?");
  insert_finding_ = connection_->prepare(
      "INSERT INTO findings (hunt, signature, first_item, count, first_seen, last_seen) "
      "VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (hunt, signature) DO UPDATE "
      "SET count = findings.count + 1, last_seen = excluded.last_seen");
}

/// In a database, one coordinator has a hunt for as long as its connection lasts.
void Store::take_hunt() {
  if (connection_->engine() == sql::Engine::sqlite) return;
  const auto lock =
      connection_->prepare("SELECT pg_try_advisory_lock(1147761523, CAST(? AS INTEGER))");
  // A coordinator that was killed may take a moment to be noticed.
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    lock->bind(1, hunt_);
    const bool is_ours = lock->step() && lock->integer(0) != 0;
    lock->reset();
    if (is_ours) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw InputError(fmt::format("{}: another program coordinates hunt {}", path(), hunt_));
}

void Store::begin(const HuntRecord& hunt) {
  // RETURNING is understood by both.
  const auto insert = connection_->prepare(
      "INSERT INTO hunts (scenario_name, scenario, options, program, created) "
      "VALUES (?, ?, ?, ?, ?) RETURNING id");
  insert->bind_text(1, hunt.scenario_name)
      .bind_text(2, hunt.scenario)
      .bind_text(3, hunt.options)
      .bind_text(4, hunt.program)
      .bind(5, seconds_now());
  insert->step();
  hunt_ = insert->integer(0);
  insert->reset();
  known_count_ = 0;
  take_hunt();
}

void Store::resume(const HuntRecord& hunt) {
  const bool is_shared = connection_->engine() == sql::Engine::postgresql;
  HuntRecord last;
  const auto row = connection_->prepare(select_hunts(*connection_));
  while (row->step()) {
    HuntRecord stored = read_hunt(*row);
    const bool agrees = stored.scenario == hunt.scenario && stored.options == hunt.options &&
                        stored.program == hunt.program;
    if (!is_shared || agrees) last = std::move(stored);
  }
  if (last.id == 0 && is_shared) {
    throw InputError(path() +
                     ": no hunt to resume: none has this scenario, these options and this program");
  }
  if (last.id == 0) return begin(hunt);  // interrupted before it had begun
  check_same_hunt(last, hunt, path());
  hunt_ = last.id;
  take_hunt();
  const auto reopen = connection_->prepare("UPDATE hunts SET finished = 0 WHERE id = ?");
  reopen->bind(1, hunt_).run();
  const auto count = connection_->prepare("SELECT count(*) FROM items WHERE hunt = ?");
  count->bind(1, hunt_).step();
  known_count_ = static_cast<std::uint64_t>(count->integer(0));
}

void Store::add(const ItemRecord& item) {
  if (pending_count_ == pending_.size()) pending_.emplace_back();
  pending_[pending_count_++] = item;
  // Slow runs are committed one by one, fast ones share a commit.
  if (pending_count_ >= kBatchItems || Clock::now() - last_commit_ >= kBatchTime) flush();
}

void Store::write(const ItemRecord& item) {
  append_objectives(item.objectives, objectives_);
  const std::string_view states(reinterpret_cast<const char*>(item.new_states.data()),
                                item.new_states.size() * sizeof(std::uint64_t));
  const std::string hash = trace::to_hex(item.hash);
  insert_item_->bind(1, hunt_)
      .bind(2, static_cast<std::int64_t>(item.number))
      .bind(3, static_cast<std::int64_t>(item.seed))
      .bind_text(4, hash)
      .bind_bytes(5, item.schedule)
      .bind(6, static_cast<std::int64_t>(item.outcome))
      .bind_text(7, item.signature)
      .bind(8, static_cast<std::int64_t>(item.violations))
      .bind_text(9, objectives_)
      .bind(10, item.disagreement_margin)
      .bind(11, item.termination_margin)
      .bind_bytes(12, states)
      .bind(13, std::int64_t{item.virtual_time.count()})
      .bind(14, static_cast<std::int64_t>(item.events))
      .bind_text(15, item.member)
      .bind_text(16, item.origin)
      .bind(17, static_cast<std::int64_t>(item.stability))
      .run();
  if (item.outcome != oracle::Outcome::fail) return;
  const std::int64_t now = seconds_now();
  insert_finding_->bind(1, hunt_)
      .bind_text(2, item.signature)
      .bind(3, static_cast<std::int64_t>(item.number))
      .bind(4, now)
      .bind(5, now)
      .run();
}

void Store::write_pending() {
  try {
    connection_->begin();
    write_transaction();
    connection_->commit();
  } catch (const sql::ConnectionLost&) {
    throw;  // nothing is open any more
  } catch (const InputError&) {
    connection_->give_up();
    throw;
  }
}

void Store::write_transaction() {
  std::int64_t unknown = 0;
  std::int64_t virtual_us = 0;
  for (std::size_t i = 0; i < pending_count_; ++i) {
    write(pending_[i]);
    unknown += pending_[i].outcome == oracle::Outcome::unknown ? 1 : 0;
    virtual_us += pending_[i].virtual_time.count();
  }
  update_totals_->bind(1, unknown).bind(2, virtual_us).bind(3, hunt_).run();
}

bool Store::was_written(const ItemRecord& item) {
  const auto row = connection_->prepare("SELECT count(*) FROM items WHERE hunt = ? AND number = ?");
  row->bind(1, hunt_).bind(2, static_cast<std::int64_t>(item.number)).step();
  return row->integer(0) != 0;
}

/// Waits until the server is there again; throws where nobody wants to wait.
void Store::recover(const sql::ConnectionLost& lost) {
  std::string trouble = lost.what();
  for (;;) {
    if (patience_ == nullptr || !patience_->wait(trouble)) throw sql::ConnectionLost(trouble);
    try {
      connection_->reconnect();
      prepare();
      take_hunt();
      return;
    } catch (const sql::ConnectionLost& again) {
      trouble = again.what();
    }
  }
}

template <class Action>
void Store::patiently(const Action& action) {
  for (;;) {
    try {
      action();
      return;
    } catch (const sql::ConnectionLost& lost) {
      recover(lost);
    }
  }
}

void Store::flush() {
  if (pending_count_ == 0) return;
  bool is_first = true;
  patiently([&] {
    // The answer to a commit may have been lost with the connection: all of it is there, or
    // nothing.
    if (is_first || !was_written(pending_.front())) {
      is_first = false;
      write_pending();
    }
  });
  pending_count_ = 0;
  last_commit_ = Clock::now();
}

void Store::finish() {
  flush();
  patiently([&] {
    const auto update = connection_->prepare("UPDATE hunts SET finished = 1 WHERE id = ?");
    update->bind(1, hunt_).run();
  });
}

void Store::set_folder(const std::string& signature, const std::string& folder) {
  flush();
  patiently([&] {
    const auto update =
        connection_->prepare("UPDATE findings SET folder = ? WHERE hunt = ? AND signature = ?");
    update->bind_text(1, folder).bind(2, hunt_).bind_text(3, signature).run();
  });
}

void Store::describe(const FindingRecord& finding) {
  patiently([&] {
    const auto update = connection_->prepare(
        "UPDATE findings SET folder = ?, first_seen = ?, last_seen = ? "
        "WHERE hunt = ? AND signature = ?");
    update->bind_text(1, finding.folder)
        .bind(2, finding.first_seen)
        .bind(3, finding.last_seen)
        .bind(4, hunt_)
        .bind_text(5, finding.signature)
        .run();
  });
}

std::string Store::folder_of(const std::string& signature) {
  std::string folder;
  patiently([&] {
    const auto row =
        connection_->prepare("SELECT folder FROM findings WHERE hunt = ? AND signature = ?");
    row->bind(1, hunt_).bind_text(2, signature);
    folder = row->step() ? std::string(row->text(0)) : std::string();
  });
  return folder;
}

void Store::limit_pages_for_tests(int pages) {
  connection_->execute(fmt::format("PRAGMA max_page_count = {}", pages));
}

}  // namespace dissensus::hunt
