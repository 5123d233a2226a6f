#include "hunt/store_care.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "hunt/schema.h"
#include "hunt/sql.h"
#include "hunt/store.h"

namespace dissensus::hunt {

namespace {

/// A query that gives one number per hunt; a line for each hunt whose number is not 0.
void complain(sql::Connection& connection, std::string_view query, std::string_view words,
              std::vector<std::string>& troubles) {
  const auto row = connection.prepare(query);
  while (row->step()) {
    if (row->integer(1) == 0) continue;
    troubles.push_back(fmt::format("hunt {}: {} {}", row->integer(0), row->integer(1), words));
  }
}

std::int64_t remove_hunt(sql::Connection& connection, std::int64_t hunt) {
  std::int64_t items = 0;
  for (const std::string_view table : {"batches", "mismatches", "examinations", "shipments",
                                       "islands", "yields", "findings", "items"}) {
    const auto query = connection.prepare(fmt::format("DELETE FROM {} WHERE hunt = ?", table));
    query->bind(1, hunt).run();
    items = query->changes();
  }
  connection.prepare("DELETE FROM hunts WHERE id = ?")->bind(1, hunt).run();
  return items;
}

void copy_examinations(sql::Connection& from, std::int64_t old_id, sql::Connection& to,
                       std::int64_t new_id) {
  const auto row = from.prepare(
      "SELECT signature, item, done, scenario, schedule, seed, shrink, curves FROM examinations "
      "WHERE hunt = ? ORDER BY id");
  const auto insert = to.prepare(insert_sealed(to.engine(), "examinations"));
  row->bind(1, old_id);
  while (row->step()) {
    insert->bind(1, new_id)
        .bind_text(2, row->text(0))
        .bind(3, row->integer(1))
        .bind(4, row->integer(2))
        .bind_text(5, row->text(3))
        .bind_text(6, row->text(4))
        .bind(7, row->integer(5))
        .bind_text(8, row->text(6))
        .bind_text(9, row->text(7))
        .run();
    insert->reset();
  }
}

/// Sums over all runs, of which islands keep some.
void copy_sums(sql::Connection& from, std::int64_t old_id, sql::Connection& to,
               std::int64_t new_id) {
  to.prepare("DELETE FROM yields WHERE hunt = ?")->bind(1, new_id).run();
  const auto row = from.prepare(
      "SELECT thousand, member, origin, runs, failed, unknown, new_states, virtual_us, last_seen "
      "FROM yields WHERE hunt = ? ORDER BY thousand, member, origin");
  const auto insert = to.prepare(insert_sealed(to.engine(), "yields"));
  row->bind(1, old_id);
  while (row->step()) {
    insert->bind(1, new_id).bind(2, row->integer(0));
    insert->bind_text(3, row->text(1)).bind_text(4, row->text(2));
    for (int column = 3; column <= 8; ++column) insert->bind(column + 2, row->integer(column));
    insert->run();
    insert->reset();
  }
  const auto totals = from.prepare("SELECT unknown, virtual_us, unkept FROM hunts WHERE id = ?");
  totals->bind(1, old_id).step();
  to.prepare("UPDATE hunts SET unknown = ?, virtual_us = ?, unkept = ? WHERE id = ?")
      ->bind(1, totals->integer(0))
      .bind(2, totals->integer(1))
      .bind(3, totals->integer(2))
      .bind(4, new_id)
      .run();
  to.prepare(seal(to.engine(), "hunts", "id = ?"))->bind(1, new_id).run();
}

/// What a hunt has beside items and findings.
void copy_beside(sql::Connection& from, std::int64_t old_id, const std::string& location,
                 std::int64_t new_id) {
  if (version_of(from) < 3) return;
  const auto to = open_store(location);
  copy_examinations(from, old_id, *to, new_id);
  copy_sums(from, old_id, *to, new_id);
}

std::string quoted(const std::string& identifier) {
  std::string result = "\"";
  for (const char letter : identifier) result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + "\"";
}

/// What the tables of this version look like in a file of their own.
void check_schema(sql::Connection& connection, std::int64_t version,
                  std::vector<std::string>& troubles) {
  if (connection.engine() != sql::Engine::sqlite) return;
  const bool has_checksums =
      connection.integer(
          "SELECT count(*) FROM pragma_table_info('items') WHERE name = 'checksum'") != 0;
  if (version < kChecksumVersion) {
    if (has_checksums) {
      troubles.push_back(fmt::format(
          "it says that it is of version {}, and its rows have the checksums of a later one",
          version));
    }
    return;
  }
  // Tables of conformance checks come when they are used first.
  constexpr std::string_view kSchema =
      "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'conformance%' AND "
      "name NOT LIKE 'sqlite_%' ORDER BY name";
  const auto schema_of = [&](sql::Connection& store) {
    std::map<std::string, std::string> schema;
    const auto row = store.prepare(kSchema);
    while (row->step()) schema.emplace(row->text(0), row->text(1));
    return schema;
  };
  const auto fresh = sql::open(":memory:", sql::Access::create);
  migrate(*fresh);
  auto here = schema_of(connection);
  for (const auto& [name, sql] : schema_of(*fresh)) {
    const auto found = here.find(name);
    if (found == here.end()) {
      troubles.push_back(fmt::format("'{}' is missing", name));
    } else if (found->second != sql) {
      troubles.push_back(fmt::format("'{}' is not of version {}", name, version));
    }
  }
}

/// Rows that are not what was written, and rows of hunts that are not there.
void check_rows(sql::Connection& connection, std::int64_t version,
                std::vector<std::string>& troubles) {
  for (const std::string_view table : kCheckedTables) {
    if (table == "yields" && version < 3) continue;
    const bool is_examinations = table == "examinations";
    // In a database workers write to these, and it looks after its bytes itself.
    if (is_examinations && (version < 3 || connection.engine() != sql::Engine::sqlite)) continue;
    const std::string_view key = table == "hunts" ? "id" : "hunt";
    if (version >= kChecksumVersion) {
      complain(connection,
               fmt::format("SELECT {0}, count(*) FROM {1} WHERE checksum <> {2} GROUP BY {0} "
                           "ORDER BY {0}",
                           key, table, checksum_of(connection.engine(), table)),
               fmt::format("rows of {} are not what was written", table), troubles);
    }
    if (table == "hunts") continue;
    complain(connection,
             fmt::format("SELECT hunt, count(*) FROM {0} WHERE NOT EXISTS (SELECT 1 FROM hunts "
                         "WHERE hunts.id = {0}.hunt) GROUP BY hunt ORDER BY hunt",
                         table),
             fmt::format("rows of {} and no such hunt", table), troubles);
  }
}

}  // namespace

CopyResult copy_store(const std::string& from, const std::string& to) {
  StoreReader reader(from);
  Store store(to);
  CopyResult result;
  ItemRecord item;
  for (const HuntRecord& hunt : reader.hunts()) {
    store.begin(hunt);
    ItemCursor items = reader.items(hunt.id);
    for (; items.next(item); ++result.items) store.add(item);
    store.flush();
    for (const FindingRecord& finding : reader.findings(hunt.id)) store.describe(finding);
    copy_beside(reader.connection(), hunt.id, store.location(), store.hunt());
    if (hunt.finished) store.finish();
    ++result.hunts;
  }
  return result;
}

std::vector<std::string> check_store(const std::string& location) {
  StoreReader(location).hunts();  // says what it is, if it is no store
  const auto connection = sql::open(location, sql::Access::read);
  std::vector<std::string> troubles;
  if (connection->engine() == sql::Engine::sqlite) {
    const auto row = connection->prepare("PRAGMA integrity_check");
    while (row->step()) {
      if (row->text(0) != "ok") troubles.emplace_back(row->text(0));
    }
  }
  const std::int64_t version = version_of(*connection);
  check_schema(*connection, version, troubles);
  check_rows(*connection, version, troubles);
  complain(*connection,
           "SELECT hunt, max(number) + 1 - count(*) FROM items GROUP BY hunt ORDER BY hunt",
           "items are missing in the middle", troubles);
  complain(*connection,
           fmt::format(
               "SELECT hunts.id, (SELECT count(*) FROM findings WHERE findings.hunt = hunts.id AND "
               "(SELECT count(*) FROM items WHERE items.hunt = hunts.id AND outcome = 1 AND "
               "items.signature = findings.signature) NOT BETWEEN {} AND count) "
               "FROM hunts ORDER BY hunts.id",
               version < 3 ? "count" : "CASE WHEN hunts.islands = 1 THEN 1 ELSE count END"),
           "findings do not have the number of items that they say", troubles);
  complain(
      *connection,
      "SELECT hunts.id, (SELECT count(*) FROM items WHERE items.hunt = hunts.id AND outcome = 1 "
      "AND NOT EXISTS (SELECT 1 FROM findings WHERE findings.hunt = hunts.id AND "
      "findings.signature = items.signature)) FROM hunts ORDER BY hunts.id",
      "items that failed belong to no finding", troubles);
  if (version >= 3) {
    complain(*connection,
             "SELECT hunts.id, abs((SELECT CAST(coalesce(sum(runs), 0) AS BIGINT) FROM yields "
             "WHERE yields.hunt = hunts.id) - unkept - (SELECT count(*) FROM items WHERE "
             "items.hunt = hunts.id)) FROM hunts ORDER BY hunts.id",
             "runs more or fewer than the sums of yields say", troubles);
    complain(*connection,
             "SELECT hunts.id, abs((SELECT CAST(coalesce(sum(failed), 0) AS BIGINT) FROM yields "
             "WHERE yields.hunt = hunts.id) - (SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM "
             "findings WHERE findings.hunt = hunts.id)) FROM hunts ORDER BY hunts.id",
             "failing runs more or fewer than the findings count", troubles);
  }
  if (version >= 2) {
    complain(*connection, "SELECT hunt, count(*) FROM mismatches GROUP BY hunt ORDER BY hunt",
             "runs gave different hashes on different workers", troubles);
  }
  return troubles;
}

bool has_checksums(const std::string& location) {
  return version_of(StoreReader(location).connection()) >= kChecksumVersion;
}

std::vector<KnownFinding> list_findings(const std::string& location) {
  StoreReader reader(location);
  std::map<std::string, KnownFinding> findings;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    const auto place = std::lower_bound(names.begin(), names.end(), name);
    if (place == names.end() || *place != name) names.insert(place, name);
  };
  for (const HuntRecord& hunt : reader.hunts()) {
    for (const FindingRecord& record : reader.findings(hunt.id)) {
      KnownFinding& finding = findings[record.signature];
      const bool is_new = finding.count == 0;
      finding.signature = record.signature;
      finding.count += record.count;
      finding.first_seen =
          is_new ? record.first_seen : std::min(finding.first_seen, record.first_seen);
      finding.last_seen = std::max(finding.last_seen, record.last_seen);
      if (is_new || record.examined > finding.examined) {
        finding.examined = record.examined;
        finding.row = fmt::format("{}/{}", hunt.id, record.first_item + 1);
      }
      add(finding.scenarios, hunt.scenario_name);
      add(finding.programs, hunt.program);
    }
  }
  std::vector<KnownFinding> list;
  for (auto& [signature, finding] : findings) list.push_back(std::move(finding));
  std::stable_sort(list.begin(), list.end(), [](const KnownFinding& a, const KnownFinding& b) {
    return a.first_seen < b.first_seen;
  });
  return list;
}

PruneResult prune_store(const std::string& location, const PrunePlan& plan) {
  StoreReader reader(location);
  const auto connection = open_store(location);
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  constexpr double kDay = 86'400;
  auto left = static_cast<std::uint64_t>(connection->integer("SELECT count(*) FROM items"));
  PruneResult result;
  std::vector<std::int64_t> hunts;
  const auto row =
      connection->prepare("SELECT id, created FROM hunts WHERE finished = 1 ORDER BY id");
  while (row->step()) {
    const double age = (now - static_cast<double>(row->integer(1))) / kDay;
    if (plan.older_than_days < 0 || age >= plan.older_than_days) hunts.push_back(row->integer(0));
  }
  row->reset();
  for (const std::int64_t hunt : hunts) {
    if (plan.keep_items != 0 && left <= plan.keep_items) break;
    const auto items = static_cast<std::uint64_t>(remove_hunt(*connection, hunt));
    left -= items;
    result.items += items;
    ++result.hunts;
  }
  return result;
}

void allow_worker(const std::string& location, const std::string& role) {
  if (!sql::is_url(location)) {
    throw InputError(location + ": a file has no roles; expected a URL of PostgreSQL");
  }
  const auto connection = open_store(location);
  const std::string name = quoted(role);
  connection->execute(
      fmt::format("BEGIN; GRANT USAGE ON SCHEMA dissensus TO {0}; "
                  "GRANT SELECT ON store_version, hunts, batches, items, examinations TO {0}; "
                  "GRANT UPDATE (owner, deadline, attempts, done, results) ON batches TO {0}; "
                  "GRANT UPDATE (owner, deadline, attempts, done, scenario, schedule, seed, "
                  "shrink, curves) ON examinations TO {0}; "
                  "GRANT SELECT (id, turns), INSERT (hunt, owner, last_seen), "
                  "UPDATE (turns, last_seen) ON islands TO {0}; "
                  "GRANT INSERT (hunt, island, cargo) ON shipments TO {0}; "
                  "GRANT INSERT ON mismatches TO {0}; COMMIT",
                  name));
}

}  // namespace dissensus::hunt
