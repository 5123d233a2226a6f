#include <algorithm>

#include <fmt/format.h>

#include "conform/night.h"
#include "hunt/schema.h"
#include "hunt/sql.h"
#include "hunt/store.h"

namespace dissensus::conform {
namespace {

constexpr std::string_view kNightTables = R"(
CREATE TABLE IF NOT EXISTS conformance_nights (
  id BIGINT NOT NULL PRIMARY KEY, identity TEXT NOT NULL UNIQUE, created BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS conformance_traces (
  night BIGINT NOT NULL, number BIGINT NOT NULL, hash BIGINT NOT NULL, is_new BIGINT NOT NULL,
  is_partly BIGINT NOT NULL, steps BIGINT NOT NULL, generate_seconds DOUBLE PRECISION NOT NULL,
  verify_seconds DOUBLE PRECISION NOT NULL, PRIMARY KEY (night, number)
);
CREATE TABLE IF NOT EXISTS conformance_findings (
  night BIGINT NOT NULL, signature TEXT NOT NULL, types TEXT NOT NULL, first_trace BIGINT NOT NULL,
  traces BIGINT NOT NULL, value TEXT NOT NULL, length BIGINT NOT NULL,
  generate_seconds DOUBLE PRECISION NOT NULL, verify_seconds DOUBLE PRECISION NOT NULL,
  finding TEXT NOT NULL, PRIMARY KEY (night, signature)
);
)";

}  // namespace

bool SeenTraces::contains(std::uint64_t hash) const {
  const std::lock_guard lock(mutex_);
  return hashes_.contains(hash);
}

bool SeenTraces::add(std::uint64_t hash) {
  const std::lock_guard lock(mutex_);
  return hashes_.insert(hash).second;
}

struct NightRecord::Implementation {
  void open(const std::string& location, const std::string& identity) {
    connection = hunt::open_store(location);
    connection->execute(std::string(kNightTables));
    const auto known = connection->prepare("SELECT id FROM conformance_nights WHERE identity = ?");
    known->bind_text(1, identity);
    if (known->step()) {
      night = known->integer(0);
      read();
    } else {
      night = connection->integer("SELECT coalesce(max(id), 0) + 1 FROM conformance_nights");
      const auto insert = connection->prepare(
          "INSERT INTO conformance_nights (id, identity, created) VALUES (?, ?, ?)");
      insert->bind(1, night).bind_text(2, identity).bind(3, hunt::seconds_now());
      insert->run();
    }
    insert_trace = connection->prepare(
        "INSERT INTO conformance_traces (night, number, hash, is_new, is_partly, steps, "
        "generate_seconds, verify_seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    write_finding = connection->prepare(
        "INSERT INTO conformance_findings (night, signature, types, first_trace, traces, value, "
        "length, generate_seconds, verify_seconds, finding) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (night, signature) DO UPDATE SET types = excluded.types, traces = "
        "excluded.traces");
  }

  void read() {
    const auto trace = connection->prepare(
        "SELECT number, hash, is_new, is_partly, steps, generate_seconds, verify_seconds FROM "
        "conformance_traces WHERE night = ? ORDER BY number");
    trace->bind(1, night);
    while (trace->step()) {
      count(static_cast<std::uint64_t>(trace->integer(0)) % 2 == 1, trace->integer(2) != 0,
            trace->integer(3) != 0, static_cast<std::uint64_t>(trace->integer(4)), trace->real(5),
            trace->real(6));
      seen.add(static_cast<std::uint64_t>(trace->integer(1)));
    }
    const auto finding = connection->prepare(
        "SELECT signature, types, first_trace, traces, value, length, generate_seconds, "
        "verify_seconds, finding FROM conformance_findings WHERE night = ? ORDER BY first_trace, "
        "signature");
    finding->bind(1, night);
    while (finding->step()) {
      NightFinding one;
      one.signature = finding->text(0);
      one.types = finding->text(1);
      one.first_trace = static_cast<std::uint64_t>(finding->integer(2));
      one.traces = static_cast<std::uint64_t>(finding->integer(3));
      one.value = finding->text(4);
      one.length = static_cast<std::size_t>(finding->integer(5));
      one.generate_seconds = finding->real(6);
      one.verify_seconds = finding->real(7);
      one.file = finding->text(8);
      findings.push_back(std::move(one));
    }
    first_trace = totals.traces;
  }

  void count(bool is_walk, bool is_new, bool is_partly, std::uint64_t steps, double generate,
             double verify) {
    ++totals.traces;
    totals.walks += is_walk ? 1 : 0;
    totals.new_traces += is_new ? 1 : 0;
    totals.partly += is_partly ? 1 : 0;
    (is_walk ? totals.walk_steps : totals.run_steps) += steps;
    totals.generate_seconds += generate;
    totals.verify_seconds += verify;
  }

  void begin() {
    if (!connection || is_writing) return;
    connection->begin();
    is_writing = true;
  }

  std::unique_ptr<hunt::sql::Connection> connection;
  std::unique_ptr<hunt::sql::Query> insert_trace, write_finding;
  std::int64_t night = 1;
  bool is_writing = false;
  NightTotals totals;
  std::uint64_t first_trace = 0;
  std::vector<NightFinding> findings;
  std::unordered_set<std::string> changed;  ///< signatures; never iterated
  SeenTraces seen;
};

NightRecord::NightRecord(const std::string& location, const std::string& identity)
    : implementation_(std::make_unique<Implementation>()) {
  if (!location.empty()) implementation_->open(location, identity);
}
NightRecord::~NightRecord() = default;

const NightTotals& NightRecord::totals() const {
  return implementation_->totals;
}
const std::vector<NightFinding>& NightRecord::findings() const {
  return implementation_->findings;
}
SeenTraces& NightRecord::seen() {
  return implementation_->seen;
}
std::uint64_t NightRecord::first_trace() const {
  return implementation_->first_trace;
}

void NightRecord::add(const NightTrace& trace, bool& is_new) {
  Implementation& all = *implementation_;
  is_new = all.seen.add(trace.hash);
  const std::uint64_t number = all.totals.traces;
  // Whether a worker knew already that it was seen depends on its pace: it does not count twice.
  const std::uint64_t steps = is_new ? trace.steps : 0;
  const bool is_partly = is_new && trace.is_partly;
  all.count(trace.workflow == 2, is_new, is_partly, steps, trace.generate_seconds,
            trace.verify_seconds);
  if (!all.connection) return;
  all.begin();
  all.insert_trace->bind(1, all.night)
      .bind(2, static_cast<std::int64_t>(number))
      .bind(3, static_cast<std::int64_t>(trace.hash))
      .bind(4, std::int64_t{is_new})
      .bind(5, std::int64_t{is_partly})
      .bind(6, static_cast<std::int64_t>(steps))
      .bind(7, trace.generate_seconds)
      .bind(8, trace.verify_seconds);
  all.insert_trace->run();
  all.insert_trace->reset();
}

NightFinding* NightRecord::find(const std::string& signature) {
  std::vector<NightFinding>& findings = implementation_->findings;
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const NightFinding& one) {
    return one.signature == signature;
  });
  if (found == findings.end()) return nullptr;
  implementation_->changed.insert(signature);
  return &*found;
}

NightFinding& NightRecord::add(NightFinding finding) {
  implementation_->changed.insert(finding.signature);
  return implementation_->findings.emplace_back(std::move(finding));
}

void NightRecord::commit() {
  Implementation& all = *implementation_;
  if (!all.connection) return;
  all.begin();
  for (const NightFinding& finding : all.findings) {
    if (!all.changed.contains(finding.signature)) continue;
    all.write_finding->bind(1, all.night)
        .bind_text(2, finding.signature)
        .bind_text(3, finding.types)
        .bind(4, static_cast<std::int64_t>(finding.first_trace))
        .bind(5, static_cast<std::int64_t>(finding.traces))
        .bind_text(6, finding.value)
        .bind(7, static_cast<std::int64_t>(finding.length))
        .bind(8, finding.generate_seconds)
        .bind(9, finding.verify_seconds)
        .bind_text(10, finding.file);
    all.write_finding->run();
    all.write_finding->reset();
  }
  all.changed.clear();
  all.connection->commit();
  all.is_writing = false;
}

}  // namespace dissensus::conform
