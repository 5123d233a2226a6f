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
      complete, results, hash, report, state;
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

std::vector<HuntRecord> WorkQueue::open_hunts() {
  return patiently([&] {
    std::vector<HuntRecord> hunts;
    sql::Query& row = queries_->get(
        queries_->open_hunts,
        "SELECT id, scenario_name, scenario, options, program FROM hunts "
        "WHERE finished = 0 AND EXISTS (SELECT 1 FROM batches WHERE hunt = hunts.id AND done = 0) "
        "ORDER BY id");
    while (row.step()) {
      hunts.push_back({row.integer(0), std::string(row.text(1)), std::string(row.text(2)),
                       std::string(row.text(3)), std::string(row.text(4)), false});
    }
    return hunts;
  });
}

std::optional<Lease> WorkQueue::lease(std::int64_t hunt, const std::string& owner, double seconds) {
  return patiently([&]() -> std::optional<Lease> {
    sql::Query& row = queries_->get(
        queries_->lease,
        "UPDATE batches SET owner = ?, attempts = attempts + 1, "
        "deadline = extract(epoch FROM now()) + ? "
        "WHERE id = (SELECT id FROM batches WHERE hunt = ? AND done = 0 "
        "AND deadline < extract(epoch FROM now()) ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) "
        "RETURNING id, hunt, items");
    row.bind_text(1, owner).bind(2, seconds).bind(3, hunt);
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

QueueState WorkQueue::state(std::int64_t hunt) {
  return patiently([&] {
    sql::Query& row = queries_->get(
        queries_->state,
        "SELECT sum(CASE WHEN done = 0 AND deadline < extract(epoch FROM now()) THEN 1 ELSE 0 "
        "END), "
        "sum(CASE WHEN done = 0 AND deadline >= extract(epoch FROM now()) THEN 1 ELSE 0 END), "
        "sum(CASE WHEN done = 1 THEN 1 ELSE 0 END), "
        "count(DISTINCT CASE WHEN done = 0 AND deadline >= extract(epoch FROM now()) "
        "THEN owner END) FROM batches WHERE hunt = ?");
    row.bind(1, hunt).step();
    const auto count = [&row](int column) {
      return static_cast<std::uint64_t>(row.integer(column));
    };
    return QueueState{count(0), count(1), count(2), count(3)};
  });
}

}  // namespace dissensus::hunt
