#include "hunt/store.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "dissensus/options.h"

#include "trace/trace.h"

namespace dissensus::hunt {

namespace {

constexpr const char* kSchema = R"(
CREATE TABLE hunts (
  id INTEGER PRIMARY KEY,
  scenario_name TEXT NOT NULL,
  scenario TEXT NOT NULL,
  options TEXT NOT NULL,
  program TEXT NOT NULL
);
CREATE TABLE items (
  hunt INTEGER NOT NULL REFERENCES hunts (id),
  number INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  hash TEXT NOT NULL,
  schedule BLOB NOT NULL,
  outcome INTEGER NOT NULL,
  signature TEXT NOT NULL,
  violations INTEGER NOT NULL,
  objectives TEXT NOT NULL,
  disagreement_margin REAL NOT NULL,
  termination_margin REAL NOT NULL,
  new_states BLOB NOT NULL,
  virtual_us INTEGER NOT NULL,
  events INTEGER NOT NULL,
  member TEXT NOT NULL,
  origin TEXT NOT NULL,
  stability INTEGER NOT NULL,
  UNIQUE (hunt, number)
);
CREATE TABLE findings (
  hunt INTEGER NOT NULL REFERENCES hunts (id),
  signature TEXT NOT NULL,
  first_item INTEGER NOT NULL,
  count INTEGER NOT NULL,
  folder TEXT NOT NULL DEFAULT '',
  UNIQUE (hunt, signature)
);
)";

void check_format(sqlite::Database& database) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  if (application != kStoreApplication) {
    throw InputError(fmt::format("{}: not a Dissensus store", database.path()));
  }
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version != kStoreVersion) {
    throw InputError(
        fmt::format("{}: a store of format version {}, expected {}; it was written by another "
                    "version of the program",
                    database.path(), version, kStoreVersion));
  }
}

bool is_empty(sqlite::Database& database) {
  return database.integer("SELECT count(*) FROM sqlite_schema") == 0 &&
         database.integer("PRAGMA application_id") == 0;
}

/// A file of somebody else is not touched.
void create_or_check(sqlite::Database& database) {
  const bool is_new = is_empty(database);
  if (!is_new) check_format(database);
  // A write-ahead log: commits survive the death of the program, and readers are not disturbed.
  database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  if (!is_new) return;
  database.execute("BEGIN IMMEDIATE");
  database.execute(kSchema);
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                               kStoreApplication, kStoreVersion)
                       .c_str());
  database.execute("COMMIT");
}

HuntRecord read_hunt(const sqlite::Statement& row) {
  return {row.integer(0), std::string(row.text(1)), std::string(row.text(2)),
          std::string(row.text(3)), std::string(row.text(4))};
}
constexpr std::string_view kSelectHunts =
    "SELECT id, scenario_name, scenario, options, program FROM hunts ORDER BY id";

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

ItemCursor::ItemCursor(sqlite::Database& database, std::int64_t hunt)
    : path_(database.path()),
      statement_(database,
                 "SELECT number, seed, hash, schedule, outcome, signature, violations, objectives, "
                 "disagreement_margin, termination_margin, new_states, virtual_us, events, member, "
                 "origin, stability FROM items WHERE hunt = ? ORDER BY number") {
  statement_.bind(1, hunt);
}

bool ItemCursor::next(ItemRecord& item) {
  if (!statement_.step()) return false;
  const auto count = [this](int column) {
    return static_cast<std::uint64_t>(statement_.integer(column));
  };
  item.number = count(0);
  item.seed = count(1);
  item.hash = parse_hash(statement_.text(2));
  item.schedule = statement_.text(3);
  const std::uint64_t outcome = count(4);
  const std::uint64_t stability = count(15);
  if (outcome > 2 || stability > 2) {
    throw InputError(fmt::format("{}: item {} is damaged", path_, item.number));
  }
  item.outcome = static_cast<oracle::Outcome>(outcome);
  item.signature = statement_.text(5);
  item.violations = count(6);
  item.objectives = parse_objectives(statement_.text(7));
  item.disagreement_margin = statement_.real(8);
  item.termination_margin = statement_.real(9);
  item.new_states = parse_states(statement_.text(10));
  item.virtual_time = Duration(statement_.integer(11));
  item.events = count(12);
  item.member = statement_.text(13);
  item.origin = statement_.text(14);
  item.stability = static_cast<Stability>(stability);
  return true;
}

StoreReader::StoreReader(const std::string& path) : database_(path, sqlite::Database::Mode::read) {
  check_format(database_);
}

std::vector<HuntRecord> StoreReader::hunts() {
  std::vector<HuntRecord> hunts;
  sqlite::Statement row(database_, kSelectHunts);
  while (row.step()) hunts.push_back(read_hunt(row));
  return hunts;
}

std::uint64_t StoreReader::item_count(std::int64_t hunt) {
  sqlite::Statement row(database_, "SELECT count(*) FROM items WHERE hunt = ?");
  row.bind(1, hunt).step();
  return static_cast<std::uint64_t>(row.integer(0));
}

std::vector<FindingRecord> StoreReader::findings(std::int64_t hunt) {
  std::vector<FindingRecord> findings;
  sqlite::Statement row(database_,
                        "SELECT signature, first_item, count, folder FROM findings WHERE hunt = ? "
                        "ORDER BY first_item");
  row.bind(1, hunt);
  while (row.step()) {
    findings.push_back({std::string(row.text(0)), static_cast<std::uint64_t>(row.integer(1)),
                        static_cast<std::uint64_t>(row.integer(2)), std::string(row.text(3))});
  }
  return findings;
}

Store::Store(const std::string& path)
    : lock_(std::make_shared<Lock>(path)), database_(path, sqlite::Database::Mode::create) {
  create_or_check(database_);
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
  insert_item_ = sqlite::Statement(
      database_,
      "INSERT INTO items (hunt, number, seed, hash, schedule, outcome, signature, violations, "
      "objectives, disagreement_margin, termination_margin, new_states, virtual_us, events, "
      "member, origin, stability) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert_finding_ = sqlite::Statement(
      database_,
      "INSERT INTO findings (hunt, signature, first_item, count) VALUES (?, ?, ?, 1) "
      "ON CONFLICT (hunt, signature) DO UPDATE SET count = count + 1");
}

void Store::begin(const HuntRecord& hunt) {
  sqlite::Statement insert(
      database_,
      "INSERT INTO hunts (scenario_name, scenario, options, program) VALUES (?, ?, ?, ?)");
  insert.bind_text(1, hunt.scenario_name)
      .bind_text(2, hunt.scenario)
      .bind_text(3, hunt.options)
      .bind_text(4, hunt.program)
      .run();
  hunt_ = database_.last_row();
  known_count_ = 0;
}

void Store::resume(const HuntRecord& hunt) {
  HuntRecord last;
  sqlite::Statement row(database_, kSelectHunts);
  while (row.step()) last = read_hunt(row);
  if (last.id == 0) return begin(hunt);  // interrupted before it had begun
  check_same_hunt(last, hunt, path());
  hunt_ = last.id;
  sqlite::Statement count(
      database_, "SELECT count(*), coalesce(max(number) + 1, 0) FROM items WHERE hunt = ?");
  count.bind(1, hunt_).step();
  known_count_ = static_cast<std::uint64_t>(count.integer(0));
  if (count.integer(0) != count.integer(1)) {
    throw InputError(path() + ": cannot be resumed: items are missing in the middle");
  }
}

void Store::add(const ItemRecord& item) {
  if (!in_transaction_) {
    database_.execute("BEGIN IMMEDIATE");
    in_transaction_ = true;
  }
  append_objectives(item.objectives, objectives_);
  states_.assign(reinterpret_cast<const char*>(item.new_states.data()),
                 item.new_states.size() * sizeof(std::uint64_t));
  const std::string hash = trace::to_hex(item.hash);
  insert_item_.bind(1, hunt_)
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
      .bind_bytes(12, states_)
      .bind(13, std::int64_t{item.virtual_time.count()})
      .bind(14, static_cast<std::int64_t>(item.events))
      .bind_text(15, item.member)
      .bind_text(16, item.origin)
      .bind(17, static_cast<std::int64_t>(item.stability))
      .run();
  if (item.outcome == oracle::Outcome::fail) {
    insert_finding_.bind(1, hunt_)
        .bind_text(2, item.signature)
        .bind(3, static_cast<std::int64_t>(item.number))
        .run();
  }
  // Slow runs are committed one by one, fast ones share a commit.
  ++uncommitted_;
  if (uncommitted_ >= kBatchItems || Clock::now() - last_commit_ >= kBatchTime) flush();
}

void Store::flush() {
  if (!in_transaction_) return;
  in_transaction_ = false;
  uncommitted_ = 0;
  database_.execute("COMMIT");
  last_commit_ = Clock::now();
}

void Store::set_folder(const std::string& signature, const std::string& folder) {
  flush();
  sqlite::Statement(database_, "UPDATE findings SET folder = ? WHERE hunt = ? AND signature = ?")
      .bind_text(1, folder)
      .bind(2, hunt_)
      .bind_text(3, signature)
      .run();
}

std::string Store::folder_of(const std::string& signature) {
  sqlite::Statement row(database_, "SELECT folder FROM findings WHERE hunt = ? AND signature = ?");
  row.bind(1, hunt_).bind_text(2, signature);
  return row.step() ? std::string(row.text(0)) : std::string();
}

void Store::limit_pages_for_tests(int pages) {
  database_.execute(fmt::format("PRAGMA max_page_count = {}", pages).c_str());
}

}  // namespace dissensus::hunt
