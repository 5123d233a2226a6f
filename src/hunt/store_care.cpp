#include "hunt/store_care.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

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
  for (const std::string_view table : {"batches", "mismatches", "findings", "items"}) {
    const auto query = connection.prepare(fmt::format("DELETE FROM {} WHERE hunt = ?", table));
    query->bind(1, hunt).run();
    items = query->changes();
  }
  connection.prepare("DELETE FROM hunts WHERE id = ?")->bind(1, hunt).run();
  return items;
}

std::string quoted(const std::string& identifier) {
  std::string result = "\"";
  for (const char letter : identifier) result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + "\"";
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
  complain(*connection,
           "SELECT hunt, max(number) + 1 - count(*) FROM items GROUP BY hunt ORDER BY hunt",
           "items are missing in the middle", troubles);
  complain(*connection,
           "SELECT hunts.id, (SELECT count(*) FROM findings WHERE findings.hunt = hunts.id AND "
           "count <> (SELECT count(*) FROM items WHERE items.hunt = hunts.id AND outcome = 1 AND "
           "items.signature = findings.signature)) FROM hunts ORDER BY hunts.id",
           "findings do not have the number of items that they say", troubles);
  complain(
      *connection,
      "SELECT hunts.id, (SELECT count(*) FROM items WHERE items.hunt = hunts.id AND outcome = 1 "
      "AND NOT EXISTS (SELECT 1 FROM findings WHERE findings.hunt = hunts.id AND "
      "findings.signature = items.signature)) FROM hunts ORDER BY hunts.id",
      "items that failed belong to no finding", troubles);
  complain(*connection, "SELECT hunt, count(*) FROM mismatches GROUP BY hunt ORDER BY hunt",
           "runs gave different hashes on different workers", troubles);
  return troubles;
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
                  "GRANT SELECT ON store_version, hunts, batches TO {0}; "
                  "GRANT UPDATE (owner, deadline, attempts, done, results) ON batches TO {0}; "
                  "GRANT SELECT (hunt, number, hash) ON items TO {0}; "
                  "GRANT INSERT ON mismatches TO {0}; COMMIT",
                  name));
}

}  // namespace dissensus::hunt
