#include "hunt/queue.h"

#include <fmt/format.h>

namespace dissensus::hunt {

/// Prepared when they are used first, and once more after a connection was lost.
struct WorkQueue::Queries {
  explicit Queries(sql::Connection& used) : connection(used) {}

  sql::Query& get(std::unique_ptr<sql::Query>& query, std::string_view text) const {
    if (!query) query = connection.prepare(text);
    query->reset();
    return *query;
  }

  sql::Connection& connection;
  std::unique_ptr<sql::Query> clear, put, done, remove, mismatches, open_hunts, lease, renew,
      complete, results, hash, report, state, shipments, put_examination, found, ship,
      lease_examination, renew_examinations, release_examination, complete_examination;
};

WorkQueue::WorkQueue(const std::string& location, Patience& patience)
    : patience_(patience),
      connection_(
          keep_trying(&patience, [&] { return sql::open(location, sql::Access::create); })) {
  prepare();
}

void WorkQueue::prepare() {
  queries_ = std::make_shared<Queries>(*connection_);
}

template <class Action>
auto WorkQueue::patiently(const Action& action) {
  return keep_trying(&patience_, action, [this] {
    connection_->reconnect();
    prepare();
  });
}

void WorkQueue::clear(std::int64_t hunt) {
  patiently([&] {
    queries_->get(queries_->clear, "DELETE FROM batches WHERE hunt = ?").bind(1, hunt).run();
  });
}

void WorkQueue::put(std::int64_t hunt, const std::string& items) {
  // A batch that was put twice because the answer was lost is done twice, which changes nothing.
  patiently([&] {
    queries_->get(queries_->put, "INSERT INTO batches (hunt, items, results) VALUES (?, ?, '')")
        .bind(1, hunt)
        .bind_bytes(2, items)
        .run();
  });
}

std::vector<DoneBatch> WorkQueue::done(std::int64_t hunt) {
  return patiently([&] {
    std::vector<DoneBatch> batches;
    sql::Query& row = queries_->get(
        queries_->done,
        "SELECT id, results FROM batches WHERE hunt = ? AND done = 1 ORDER BY id LIMIT 64");
    row.bind(1, hunt);
    while (row.step()) batches.push_back({row.integer(0), std::string(row.text(1))});
    return batches;
  });
}

void WorkQueue::remove(std::int64_t batch) {
  patiently([&] {
    queries_->get(queries_->remove, "DELETE FROM batches WHERE id = ?").bind(1, batch).run();
  });
}

std::uint64_t WorkQueue::mismatches(std::int64_t hunt) {
  return patiently([&] {
    sql::Query& row =
        queries_->get(queries_->mismatches, "SELECT count(*) FROM mismatches WHERE hunt = ?");
    row.bind(1, hunt).step();
    return static_cast<std::uint64_t>(row.integer(0));
  });
}

std::vector<OpenHunt> WorkQueue::open_hunts() {
  return patiently([&] {
    std::vector<OpenHunt> hunts;
    sql::Query& row = queries_->get(
        queries_->open_hunts,
        "SELECT id, scenario_name, scenario, options, program, finished, islands, waits FROM "
        "(SELECT hunts.*, CASE WHEN EXISTS (SELECT 1 FROM examinations WHERE hunt = hunts.id AND "
        "done = 0) THEN 1 ELSE 0 END AS waits FROM hunts) AS known WHERE waits = 1 OR "
        "(finished = 0 AND (islands = 1 OR EXISTS "
        "(SELECT 1 FROM batches WHERE hunt = known.id AND done = 0))) ORDER BY id");
    while (row.step()) {
      hunts.push_back({{row.integer(0), std::string(row.text(1)), std::string(row.text(2)),
                        std::string(row.text(3)), std::string(row.text(4)), row.integer(5) != 0,
                        row.integer(6) != 0},
                       row.integer(7) != 0});
    }
    return hunts;
  });
}

std::optional<Lease> WorkQueue::lease(std::int64_t hunt, const std::string& owner, double seconds) {
  return patiently([&]() -> std::optional<Lease> {
    sql::Query& row =
        queries_->get(queries_->lease,
                      "UPDATE batches SET owner = ?, attempts = attempts + 1, "
                      "deadline = extract(epoch FROM now()) + ? "
                      "WHERE id = (SELECT id FROM batches WHERE hunt = ? AND done = 0 "
                      "AND (owner = ? OR deadline < extract(epoch FROM now())) "
                      "ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) "
                      "RETURNING id, hunt, items");
    row.bind_text(1, owner).bind(2, seconds).bind(3, hunt).bind_text(4, owner);
    if (!row.step()) return std::nullopt;
    return Lease{row.integer(0), row.integer(1), std::string(row.text(2))};
  });
}

void WorkQueue::renew(const std::string& owner, double seconds) {
  patiently([&] {
    queries_
        ->get(queries_->renew,
              "UPDATE batches SET deadline = extract(epoch FROM now()) + ? "
              "WHERE owner = ? AND done = 0")
        .bind(1, seconds)
        .bind_text(2, owner)
        .run();
    queries_
        ->get(queries_->renew_examinations,
              "UPDATE examinations SET deadline = extract(epoch FROM now()) + ? "
              "WHERE owner = ? AND done = 0")
        .bind(1, seconds)
        .bind_text(2, owner)
        .run();
  });
}

bool WorkQueue::complete(const Lease& lease, const std::string& results) {
  return patiently([&] {
    sql::Query& update = queries_->get(
        queries_->complete, "UPDATE batches SET results = ?, done = 1 WHERE id = ? AND done = 0");
    update.bind_bytes(1, results).bind(2, lease.batch).run();
    return update.changes() == 1;
  });
}

std::string WorkQueue::results_of(std::int64_t batch) {
  return patiently([&] {
    sql::Query& row = queries_->get(queries_->results, "SELECT results FROM batches WHERE id = ?");
    row.bind(1, batch);
    return row.step() ? std::string(row.text(0)) : std::string();
  });
}

std::optional<std::string> WorkQueue::hash_of(std::int64_t hunt, std::uint64_t item) {
  return patiently([&]() -> std::optional<std::string> {
    sql::Query& row =
        queries_->get(queries_->hash, "SELECT hash FROM items WHERE hunt = ? AND number = ?");
    row.bind(1, hunt).bind(2, static_cast<std::int64_t>(item));
    if (!row.step()) return std::nullopt;
    return std::string(row.text(0));
  });
}

void WorkQueue::report_mismatch(std::int64_t hunt, std::uint64_t item, const std::string& hash,
                                const std::string& other, const std::string& owner) {
  patiently([&] {
    queries_
        ->get(queries_->report,
              "INSERT INTO mismatches (hunt, number, hash, other_hash, owner) "
              "VALUES (?, ?, ?, ?, ?)")
        .bind(1, hunt)
        .bind(2, static_cast<std::int64_t>(item))
        .bind_text(3, hash)
        .bind_text(4, other)
        .bind_text(5, owner)
        .run();
  });
}

std::vector<ArrivedShipment> WorkQueue::shipments(std::int64_t hunt) {
  return patiently([&] {
    std::vector<ArrivedShipment> arrived;
    sql::Query& row = queries_->get(
        queries_->shipments, "SELECT id, cargo FROM shipments WHERE hunt = ? ORDER BY id LIMIT 16");
    row.bind(1, hunt);
    while (row.step()) arrived.push_back({row.integer(0), std::string(row.text(1))});
    return arrived;
  });
}

std::int64_t WorkQueue::found_island(std::int64_t hunt, const std::string& owner) {
  // An island that was founded twice because the answer was lost stays empty once.
  return patiently([&] {
    sql::Query& row = queries_->get(queries_->found,
                                    "INSERT INTO islands (hunt, owner, last_seen) "
                                    "VALUES (?, ?, extract(epoch FROM now())) RETURNING id");
    row.bind(1, hunt).bind_text(2, owner).step();
    return row.integer(0);
  });
}

void WorkQueue::ship(std::int64_t hunt, std::int64_t island, std::uint64_t turn,
                     const std::string& cargo) {
  const auto number = static_cast<std::int64_t>(turn);
  patiently([&] {
    queries_
        ->get(queries_->ship,
              "WITH next AS (UPDATE islands SET turns = ?, last_seen = extract(epoch FROM now()) "
              "WHERE id = ? AND turns < ? RETURNING id) "
              "INSERT INTO shipments (hunt, island, cargo) SELECT CAST(? AS BIGINT), id, CAST(? AS "
              "BYTEA) FROM next")
        .bind(1, number)
        .bind(2, island)
        .bind(3, number)
        .bind(4, hunt)
        .bind_bytes(5, cargo)
        .run();
  });
}

std::vector<ItemRecord> WorkQueue::items_from(std::int64_t hunt, std::uint64_t first,
                                              std::size_t most) {
  return patiently([&] {
    std::vector<ItemRecord> items;
    ItemCursor cursor(*connection_, hunt, first);
    for (ItemRecord item; items.size() < most && cursor.next(item);) items.push_back(item);
    return items;
  });
}

void WorkQueue::put_examination(std::int64_t hunt, const std::string& signature,
                                std::uint64_t item) {
  patiently([&] {
    queries_
        ->get(queries_->put_examination,
              "INSERT INTO examinations (hunt, signature, item) VALUES (?, ?, ?) "
              "ON CONFLICT (hunt, signature) DO NOTHING")
        .bind(1, hunt)
        .bind_text(2, signature)
        .bind(3, static_cast<std::int64_t>(item))
        .run();
  });
}

std::optional<Examination> WorkQueue::lease_examination(std::int64_t hunt, const std::string& owner,
                                                        double seconds) {
  return patiently([&]() -> std::optional<Examination> {
    sql::Query& row =
        queries_->get(queries_->lease_examination,
                      "UPDATE examinations SET owner = ?, attempts = attempts + 1, "
                      "deadline = extract(epoch FROM now()) + ? "
                      "WHERE id = (SELECT id FROM examinations WHERE hunt = ? AND done = 0 "
                      "AND (owner = ? OR deadline < extract(epoch FROM now())) "
                      "ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) "
                      "RETURNING id, hunt, signature, item");
    row.bind_text(1, owner).bind(2, seconds).bind(3, hunt).bind_text(4, owner);
    if (!row.step()) return std::nullopt;
    return Examination{row.integer(0), row.integer(1), std::string(row.text(2)),
                       static_cast<std::uint64_t>(row.integer(3))};
  });
}

void WorkQueue::release_examination(std::int64_t examination) {
  patiently([&] {
    queries_
        ->get(queries_->release_examination,
              "UPDATE examinations SET deadline = 0 WHERE id = ? AND done = 0")
        .bind(1, examination)
        .run();
  });
}

bool WorkQueue::complete_examination(std::int64_t examination, const ExaminationResult& result) {
  return patiently([&] {
    sql::Query& update =
        queries_->get(queries_->complete_examination,
                      "UPDATE examinations SET scenario = ?, schedule = ?, seed = ?, shrink = ?, "
                      "curves = ?, done = 1 WHERE id = ? AND done = 0");
    update.bind_text(1, result.scenario)
        .bind_text(2, result.schedule)
        .bind(3, static_cast<std::int64_t>(result.seed))
        .bind_text(4, result.shrink)
        .bind_text(5, result.curves)
        .bind(6, examination)
        .run();
    return update.changes() == 1;
  });
}

std::optional<ExaminationResult> WorkQueue::examination_of(std::int64_t hunt, std::uint64_t item) {
  return patiently([&] { return read_examination(*connection_, hunt, item); });
}

QueueState WorkQueue::state(std::int64_t hunt) {
  return patiently([&] {
    sql::Query& row = queries_->get(
        queries_->state,
        "SELECT sum(CASE WHEN done = 0 AND deadline < extract(epoch FROM now()) THEN 1 ELSE 0 "
        "END), "
        "sum(CASE WHEN done = 0 AND deadline >= extract(epoch FROM now()) THEN 1 ELSE 0 END), "
        "sum(CASE WHEN done = 1 THEN 1 ELSE 0 END), "
        "count(DISTINCT CASE WHEN done = 0 AND deadline >= extract(epoch FROM now()) "
        "THEN owner END) + (SELECT count(*) FROM islands WHERE hunt = ? AND "
        "last_seen > extract(epoch FROM now()) - 60) FROM batches WHERE hunt = ?");
    row.bind(1, hunt).bind(2, hunt).step();
    const auto count = [&row](int column) {
      return static_cast<std::uint64_t>(row.integer(column));
    };
    return QueueState{count(0), count(1), count(2), count(3)};
  });
}

}  // namespace dissensus::hunt
