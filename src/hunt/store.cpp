#include "hunt/store.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "dissensus/options.h"

#include "hunt/schema.h"
#include "trace/trace.h"

namespace dissensus::hunt {

namespace {

/// Yields are sums over so many runs each.
constexpr std::uint64_t kYieldRuns = 1000;

HuntRecord read_hunt(const sql::Query& row) {
  return {row.integer(0),           std::string(row.text(1)), std::string(row.text(2)),
          std::string(row.text(3)), std::string(row.text(4)), row.integer(5) != 0,
          row.integer(6) != 0};
}

/// A store of an earlier version can be read as it is.
std::string select_hunts(sql::Connection& connection) {
  const std::int64_t version = version_of(connection);
  return fmt::format(
      "SELECT id, scenario_name, scenario, options, program, {}, {} FROM hunts ORDER BY id",
      version > 1 ? "finished" : "0", version > 2 ? "islands" : "0");
}

HuntTotals read_totals(sql::Connection& connection, std::int64_t hunt) {
  const std::int64_t version = version_of(connection);
  const auto row = connection.prepare(fmt::format(
      "SELECT (SELECT coalesce(max(number) + 1, 0) FROM items WHERE hunt = hunts.id), "
      "(SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM findings WHERE hunt = hunts.id), {}, "
      "{} "
      "FROM hunts WHERE id = ?",
      version > 1 ? "unknown, virtual_us, (SELECT count(*) FROM mismatches WHERE hunt = hunts.id)"
                  : "0, 0, 0",
      version > 2 ? "unkept" : "0"));
  row->bind(1, hunt);
  if (!row->step()) return {};
  const auto count = [&row](int column) {
    return static_cast<std::uint64_t>(row->integer(column));
  };
  return {count(0), count(1), count(2), Duration(row->integer(3)), count(4), count(5)};
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

ItemCursor::ItemCursor(sql::Connection& connection, std::int64_t hunt, std::uint64_t first)
    : connection_(&connection), hunt_(hunt), next_number_(static_cast<std::int64_t>(first)) {}

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
    const std::string is_whole = version_of(*connection_) < kChecksumVersion
                                     ? "1"
                                     : fmt::format("CASE WHEN checksum = {} THEN 1 ELSE 0 END",
                                                   checksum_of(connection_->engine(), "items"));
    page_ = connection_->prepare(fmt::format(
        "SELECT number, seed, hash, schedule, outcome, signature, violations, objectives, "
        "disagreement_margin, termination_margin, new_states, virtual_us, events, member, "
        "origin, stability, {} FROM items WHERE hunt = ? AND number >= ? ORDER BY number LIMIT ?",
        is_whole));
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
  if (outcome > 2 || stability > 2 || page_->integer(16) == 0) {
    throw InputError(
        fmt::format("{}: item {} of hunt {} is damaged", connection_->name(), item.number, hunt_));
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
  return read_totals(*connection_, hunt);
}

std::vector<FindingRecord> StoreReader::findings(std::int64_t hunt) {
  std::vector<FindingRecord> findings;
  const std::int64_t version = version_of(*connection_);
  const auto row = connection_->prepare(fmt::format(
      "SELECT signature, first_item, count, folder, {}, {} FROM findings WHERE hunt = ? "
      "ORDER BY first_item",
      version > 1 ? "first_seen, last_seen" : "0, 0",
      version > 2 ? "coalesce((SELECT done + 1 FROM examinations WHERE examinations.hunt = "
                    "findings.hunt AND examinations.signature = findings.signature), 0)"
                  : "0"));
  row->bind(1, hunt);
  while (row->step()) {
    findings.push_back({std::string(row->text(0)), static_cast<std::uint64_t>(row->integer(1)),
                        static_cast<std::uint64_t>(row->integer(2)), std::string(row->text(3)),
                        row->integer(4), row->integer(5),
                        static_cast<Examined>(std::clamp<std::int64_t>(row->integer(6), 0, 2))});
  }
  return findings;
}

Store::Store(const std::string& location, Patience* patience)
    : location_(location),
      patience_(patience),
      lock_(sql::is_url(location) ? nullptr : std::make_shared<Lock>(location)) {
  connection_ = keep_trying(patience_, [&] { return open_store(location); });
  prepare();
}

Store::~Store() {
  try {
    flush();
  } catch (const std::exception&) {
    // The hunt that met the error has reported it.
  }
}

void Store::prepare() {
  const sql::Engine engine = connection_->engine();
  insert_item_ = connection_->prepare(insert_sealed(engine, "items"));
  seal_hunt_ = connection_->prepare(seal(engine, "hunts", "id = ?"));
  seal_finding_ = connection_->prepare(seal(engine, "findings", "hunt = ? AND signature = ?"));
  seal_yield_ = connection_->prepare(
      seal(engine, "yields", "hunt = ? AND thousand = ? AND member = ? AND origin = ?"));
  update_totals_ = connection_->prepare(
      "UPDATE hunts SET unknown = unknown + ?, virtual_us = virtual_us + ?, unkept = unkept + ? "
      "WHERE id = ?");
  insert_finding_ = connection_->prepare(
      "INSERT INTO findings (hunt, signature, first_item, count, first_seen, last_seen) "
      "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (hunt, signature) DO UPDATE "
      "SET count = findings.count + excluded.count, last_seen = excluded.last_seen");
  insert_yield_ = connection_->prepare(
      "INSERT INTO yields (hunt, thousand, member, origin, runs, failed, unknown, new_states, "
      "virtual_us, last_seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (hunt, thousand, member, origin) DO UPDATE SET runs = yields.runs + "
      "excluded.runs, failed = yields.failed + excluded.failed, unknown = yields.unknown + "
      "excluded.unknown, new_states = yields.new_states + excluded.new_states, virtual_us = "
      "yields.virtual_us + excluded.virtual_us, last_seen = excluded.last_seen");
  if (connection_->engine() == sql::Engine::postgresql) {
    remove_shipment_ = connection_->prepare("DELETE FROM shipments WHERE id = ?");
  }
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

template <class Action>
void Store::in_transaction(const Action& action) {
  try {
    connection_->begin();
    action();
    connection_->commit();
  } catch (const sql::ConnectionLost&) {
    throw;  // nothing is open any more
  } catch (...) {
    connection_->give_up();
    throw;
  }
}

void Store::begin(const HuntRecord& hunt) {
  // RETURNING is understood by both.
  const auto insert = connection_->prepare(
      "INSERT INTO hunts (scenario_name, scenario, options, program, created, islands) "
      "VALUES (?, ?, ?, ?, ?, ?) RETURNING id");
  // A database reads no rows in the middle of a transaction.
  const bool is_file = connection_->engine() == sql::Engine::sqlite;
  const auto write = [&] {
    insert->step();
    hunt_ = insert->integer(0);
    insert->reset();
    seal_hunt_->bind(1, hunt_).run();
  };
  insert->bind_text(1, hunt.scenario_name)
      .bind_text(2, hunt.scenario)
      .bind_text(3, hunt.options)
      .bind_text(4, hunt.program)
      .bind(5, seconds_now())
      .bind(6, std::int64_t{hunt.islands ? 1 : 0});
  if (is_file) {
    in_transaction(write);
  } else {
    write();
  }
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
  in_transaction([&] {
    reopen->bind(1, hunt_).run();
    seal_hunt_->bind(1, hunt_).run();
  });
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
}

void Store::write_finding(const std::string& signature, std::uint64_t item, std::uint64_t count) {
  const std::int64_t now = seconds_now();
  insert_finding_->bind(1, hunt_)
      .bind_text(2, signature)
      .bind(3, static_cast<std::int64_t>(item))
      .bind(4, static_cast<std::int64_t>(count))
      .bind(5, now)
      .bind(6, now)
      .run();
}

void Store::seal_finding(const std::string& signature) {
  seal_finding_->bind(1, hunt_).bind_text(2, signature).run();
}

void Store::write_yield(std::uint64_t thousand, const std::string& member,
                        const std::string& origin, const RunSums& sums) {
  insert_yield_->bind(1, hunt_)
      .bind(2, static_cast<std::int64_t>(thousand))
      .bind_text(3, member)
      .bind_text(4, origin)
      .bind(5, static_cast<std::int64_t>(sums.runs))
      .bind(6, static_cast<std::int64_t>(sums.failed))
      .bind(7, static_cast<std::int64_t>(sums.unknown))
      .bind(8, static_cast<std::int64_t>(sums.new_states))
      .bind(9, std::int64_t{sums.virtual_time.count()})
      .bind(10, seconds_now())
      .run();
  seal_yield_->bind(1, hunt_)
      .bind(2, static_cast<std::int64_t>(thousand))
      .bind_text(3, member)
      .bind_text(4, origin)
      .run();
}

void Store::write_totals(const RunSums& total, std::size_t unkept) {
  update_totals_->bind(1, static_cast<std::int64_t>(total.unknown))
      .bind(2, std::int64_t{total.virtual_time.count()})
      .bind(3, static_cast<std::int64_t>(unkept))
      .bind(4, hunt_)
      .run();
  seal_hunt_->bind(1, hunt_).run();
}

void Store::write_pending() {
  std::map<std::uint64_t, RunSumsByOrigin> thousands;
  std::set<std::string> signatures;
  RunSums total;
  for (std::size_t i = 0; i < pending_count_; ++i) {
    const ItemRecord& item = pending_[i];
    write(item);
    if (item.outcome == oracle::Outcome::fail) {
      write_finding(item.signature, item.number, 1);
      signatures.insert(item.signature);
    }
    thousands[item.number / kYieldRuns][{item.member, item.origin}].add(item);
    total.add(item);
  }
  for (const std::string& signature : signatures) seal_finding(signature);
  for (const auto& [thousand, origins] : thousands) {
    for (const auto& [key, sums] : origins) write_yield(thousand, key.first, key.second, sums);
  }
  write_totals(total, 0);
}

void Store::write_arrival(const Arrival& arrival) {
  std::map<std::string, std::uint64_t> first;
  for (const ItemRecord& item : arrival.items) {
    write(item);
    if (item.outcome == oracle::Outcome::fail) first.try_emplace(item.signature, item.number);
  }
  for (const auto& [signature, count] : arrival.sent.failures) {
    // Where none is kept the finding is there already, and its first item stays.
    write_finding(signature, first.contains(signature) ? first[signature] : 0, count);
    seal_finding(signature);
  }
  RunSums total;
  for (const auto& [key, sums] : arrival.sent.sums) {
    write_yield(arrival.runs_before / kYieldRuns, key.first, key.second, sums);
    total.add(sums);
  }
  write_totals(total, total.runs - arrival.items.size());
  remove_shipment_->bind(1, arrival.shipment).run();
}

void Store::add(const Arrival& arrival) {
  bool is_first = true;
  patiently([&] {
    // The answer to a commit may have been lost with the connection.
    if (!is_first &&
        !exists("SELECT count(*) FROM shipments WHERE hunt = ? AND id = ?", arrival.shipment)) {
      return;
    }
    is_first = false;
    in_transaction([&] { write_arrival(arrival); });
  });
}

bool Store::exists(std::string_view query, std::int64_t number) {
  const auto row = connection_->prepare(query);
  row->bind(1, hunt_).bind(2, number).step();
  return row->integer(0) != 0;
}

void Store::recover() {
  connection_->reconnect();
  prepare();
  take_hunt();
}

template <class Action>
void Store::patiently(const Action& action) {
  keep_trying(patience_, action, [this] { recover(); });
}

void Store::flush() {
  if (pending_count_ == 0) return;
  bool is_first = true;
  patiently([&] {
    // The answer to a commit may have been lost with the connection: all of it is there, or
    // nothing.
    if (!is_first && exists("SELECT count(*) FROM items WHERE hunt = ? AND number = ?",
                            static_cast<std::int64_t>(pending_.front().number))) {
      return;
    }
    is_first = false;
    in_transaction([this] { write_pending(); });
  });
  pending_count_ = 0;
  last_commit_ = Clock::now();
}

void Store::finish() {
  flush();
  patiently([&] {
    const auto update = connection_->prepare("UPDATE hunts SET finished = 1 WHERE id = ?");
    in_transaction([&] {
      update->bind(1, hunt_).run();
      seal_hunt_->bind(1, hunt_).run();
    });
  });
}

void Store::set_folder(const std::string& signature, const std::string& folder) {
  flush();
  patiently([&] {
    const auto update =
        connection_->prepare("UPDATE findings SET folder = ? WHERE hunt = ? AND signature = ?");
    in_transaction([&] {
      update->bind_text(1, folder).bind(2, hunt_).bind_text(3, signature).run();
      seal_finding(signature);
    });
  });
}

void Store::describe(const FindingRecord& finding) {
  patiently([&] {
    const auto update = connection_->prepare(
        "UPDATE findings SET folder = ?, first_seen = ?, last_seen = ?, count = ? "
        "WHERE hunt = ? AND signature = ?");
    in_transaction([&] {
      update->bind_text(1, finding.folder)
          .bind(2, finding.first_seen)
          .bind(3, finding.last_seen)
          .bind(4, static_cast<std::int64_t>(finding.count))
          .bind(5, hunt_)
          .bind_text(6, finding.signature)
          .run();
      seal_finding(finding.signature);
    });
  });
}

HuntTotals Store::totals() {
  HuntTotals totals;
  patiently([&] { totals = read_totals(*connection_, hunt_); });
  return totals;
}

std::uint64_t Store::count_of(const std::string& signature) {
  std::uint64_t count = 0;
  patiently([&] {
    const auto row =
        connection_->prepare("SELECT count FROM findings WHERE hunt = ? AND signature = ?");
    row->bind(1, hunt_).bind_text(2, signature);
    count = row->step() ? static_cast<std::uint64_t>(row->integer(0)) : 0;
  });
  return count;
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
