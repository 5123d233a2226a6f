#include "experiment/store.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dissensus::experiment {

namespace {

using hunt::sqlite::Database;
using hunt::sqlite::Statement;

constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS cell(
  key TEXT PRIMARY KEY, test_case TEXT NOT NULL, search TEXT NOT NULL,
  repetition INTEGER NOT NULL, seed INTEGER NOT NULL, error TEXT NOT NULL,
  found INTEGER NOT NULL, signature TEXT NOT NULL, evaluations INTEGER NOT NULL,
  virtual_seconds REAL NOT NULL, failed INTEGER NOT NULL, unknown INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS evaluation(
  key TEXT NOT NULL, number INTEGER NOT NULL, objective INTEGER NOT NULL,
  failed INTEGER NOT NULL, value REAL NOT NULL,
  PRIMARY KEY(key, number, objective)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS share(
  key TEXT NOT NULL, type INTEGER NOT NULL, value REAL NOT NULL,
  PRIMARY KEY(key, type)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS genotype(
  key TEXT NOT NULL, number INTEGER NOT NULL, genes TEXT NOT NULL,
  PRIMARY KEY(key, number)) WITHOUT ROWID;
)";

Database open(const std::string& path) {
  Database database(path, Database::Mode::create);
  // Other readers may look while a study goes on.
  database.execute("PRAGMA journal_mode = WAL");
  database.execute("PRAGMA synchronous = NORMAL");
  database.execute(kSchema);
  return database;
}

std::int64_t number(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::vector<float> read_genes(std::string_view text) {
  std::vector<float> genes;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    if (*at == ' ') ++at;
    float gene = 0;
    at = std::from_chars(at, text.data() + text.size(), gene).ptr;
    genes.push_back(gene);
  }
  return genes;
}

}  // namespace

ExperimentStore::ExperimentStore(const std::string& path)
    : database_(open(path)),
      add_cell_(database_, "INSERT OR REPLACE INTO cell VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"),
      add_point_(database_, "INSERT OR REPLACE INTO evaluation VALUES(?,?,?,?,?)"),
      add_genotype_(database_, "INSERT OR REPLACE INTO genotype VALUES(?,?,?)"),
      add_share_(database_, "INSERT OR REPLACE INTO share VALUES(?,?,?)") {}

CellResults ExperimentStore::load() {
  CellResults results;
  Statement query(database_,
                  "SELECT key, found, signature, evaluations, virtual_seconds, failed, unknown "
                  "FROM cell WHERE error = ''");
  while (query.step()) {
    CellResult result;
    result.found = query.integer(1) != 0;
    result.signature = query.text(2);
    result.evaluations = static_cast<std::uint64_t>(query.integer(3));
    result.virtual_seconds = query.real(4);
    result.failed = static_cast<std::uint64_t>(query.integer(5));
    result.unknown = static_cast<std::uint64_t>(query.integer(6));
    results.emplace(std::string(query.text(0)), std::move(result));
  }
  for (auto& [key, result] : results) load_points(key, result);
  Statement shares(database_, "SELECT key, value FROM share ORDER BY key, type");
  while (shares.step()) {
    const auto found = results.find(std::string(shares.text(0)));
    if (found != results.end()) found->second.shares.push_back(shares.real(1));
  }
  return results;
}

void ExperimentStore::load_points(const std::string& key, CellResult& result) {
  Statement query(database_,
                  "SELECT number, failed, value FROM evaluation WHERE key = ? "
                  "ORDER BY number, objective");
  query.bind_text(1, key);
  while (query.step()) {
    const auto index = static_cast<std::size_t>(query.integer(0));
    if (result.points.size() <= index) result.points.resize(index + 1);
    result.points[index].failed = query.integer(1) != 0;
    result.points[index].objectives.push_back(query.real(2));
  }
  Statement genotypes(database_, "SELECT number, genes FROM genotype WHERE key = ?");
  genotypes.bind_text(1, key);
  while (genotypes.step()) {
    const auto index = static_cast<std::size_t>(genotypes.integer(0));
    if (index < result.points.size()) result.points[index].genes = read_genes(genotypes.text(1));
  }
}

void ExperimentStore::add(const Experiment& experiment, const Cell& cell,
                          const CellResult& result) {
  database_.execute("BEGIN IMMEDIATE");
  add_cell_.bind_text(1, cell.key)
      .bind_text(2, experiment.cases[cell.test_case].name)
      .bind_text(3, experiment.searches[cell.search].name)
      .bind(4, number(cell.repetition))
      .bind(5, number(cell.seed))
      .bind_text(6, result.error)
      .bind(7, std::int64_t{result.found})
      .bind_text(8, result.signature)
      .bind(9, number(result.evaluations))
      .bind(10, result.virtual_seconds)
      .bind(11, number(result.failed))
      .bind(12, number(result.unknown))
      .run();
  for (std::size_t i = 0; i < result.shares.size(); ++i) {
    add_share_.bind_text(1, cell.key).bind(2, number(i)).bind(3, result.shares[i]).run();
  }
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const EvaluationPoint& point = result.points[i];
    for (std::size_t k = 0; k < point.objectives.size(); ++k) {
      add_point_.bind_text(1, cell.key)
          .bind(2, number(i))
          .bind(3, number(k))
          .bind(4, std::int64_t{point.failed})
          .bind(5, point.objectives[k])
          .run();
    }
    if (point.genes.empty()) continue;
    add_genotype_.bind_text(1, cell.key)
        .bind(2, number(i))
        .bind_text(3, fmt::format("{}", fmt::join(point.genes, " ")))
        .run();
  }
  database_.execute("COMMIT");
}

}  // namespace dissensus::experiment
