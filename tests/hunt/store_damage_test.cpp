// Damage to a store is noticed, wherever it is: by its checksums, by what must agree in it, or
// because the file is no store any more. What passes unnoticed has changed nothing that anybody
// wrote.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "amount.h"
#include "hunt/hunting.h"
#include "hunt/parts.h"
#include "hunt/schema.h"
#include "hunt/sqlite.h"
#include "hunt/store_care.h"

namespace dissensus::hunt {
namespace {

using testing::IsEmpty;

/// Empty: whole.
std::string verdict_on(const std::string& store) {
  try {
    return fmt::format("{}", fmt::join(check_store(store), "\n"));
  } catch (const InputError& error) {
    return error.what();
  }
}

/// All that was ever written into a store.
std::string content_of(const std::string& store) {
  sqlite::Database database(store, sqlite::Database::Mode::read);
  std::string content = fmt::format("{} {}\n", database.integer("PRAGMA application_id"),
                                    database.integer("PRAGMA user_version"));
  for (const char* const table : {"hunts", "items", "findings", "yields", "examinations",
                                  "mismatches", "batches", "islands", "shipments"}) {
    std::string names;
    sqlite::Statement columns(database,
                              fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    while (columns.step()) {
      names += fmt::format("{}quote({})", names.empty() ? "" : " || ' ' || ", columns.text(0));
    }
    sqlite::Statement rows(database, fmt::format("SELECT {} FROM {} ORDER BY 1", names, table));
    while (rows.step()) content += fmt::format("{}: {}\n", table, rows.text(0));
  }
  return content;
}

class StoreDamageTest : public StoreTest {
 protected:
  StoreDamageTest() : whole_(file("whole.sqlite")), store_(file("damaged.sqlite")) {
    const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
    HuntOptions options;
    options.budget.runs = 24;
    options.all = true;
    HuntParts parts;
    parts.search = make_sample_search(scenario, options.seed);
    {
      Store store(whole_);
      store.begin(describe_hunt(scenario, options));
      hunt(scenario, parts, options, nullptr, &store);
      store.finish();
    }
    const auto connection = open_store(whole_);
    const std::string signature = StoreReader(whole_).findings(1).at(0).signature;
    connection->prepare(insert_sealed(sql::Engine::sqlite, "examinations"))
        ->bind(1, std::int64_t{1})
        .bind_text(2, signature)
        .bind(3, std::int64_t{3})
        .bind(4, std::int64_t{1})
        .bind_text(5, "a scenario")
        .bind_text(6, "a schedule")
        .bind(7, std::int64_t{7})
        .bind_text(8, "{}")
        .bind_text(9, "{}")
        .run();
  }

  /// What is said of the store after SQL that any tool could have run.
  std::string verdict_after(const std::string& sql) {
    std::filesystem::copy_file(whole_, store_, std::filesystem::copy_options::overwrite_existing);
    {
      sqlite::Database database(store_, sqlite::Database::Mode::write);
      database.execute(sql.c_str());
      EXPECT_GT(database.changes() + (sql.starts_with("UPDATE") ? 0 : 1), 0) << sql;
    }
    return verdict_on(store_);
  }

  std::string bytes() const {
    std::ostringstream content;
    content << std::ifstream(whole_, std::ios::binary).rdbuf();
    return content.str();
  }

  std::string verdict_on_bytes(const std::string& content) {
    std::ofstream(store_, std::ios::binary | std::ios::trunc) << content;
    return verdict_on(store_);
  }

  std::string whole_;
  std::string store_;
};

TEST_F(StoreDamageTest, AWholeStoreIsWhole) {
  EXPECT_THAT(check_store(whole_), IsEmpty());
  EXPECT_TRUE(has_checksums(whole_));
}

TEST_F(StoreDamageTest, AnotherValueInAnyColumnOfAnyTableIsNoticed) {
  std::size_t columns = 0;
  for (const std::string_view table : kCheckedTables) {
    sqlite::Database database(whole_, sqlite::Database::Mode::read);
    sqlite::Statement names(database,
                            fmt::format("SELECT name, type FROM pragma_table_info('{}')", table));
    for (; names.step(); ++columns) {
      const std::string name(names.text(0)), type(names.text(1));
      // Examinations are leased, which the checksum does not cover.
      if (name == "owner" || name == "deadline" || name == "attempts") continue;
      if (table == "examinations" && name == "id") continue;
      const std::string other = type == "TEXT"   ? fmt::format("{} || 'x'", name)
                                : type == "BLOB" ? fmt::format("{} || x'01'", name)
                                                 : fmt::format("{} + 1000000", name);
      EXPECT_NE(verdict_after(fmt::format("UPDATE {0} SET {1} = {2} WHERE rowid = (SELECT "
                                          "max(rowid) FROM {0})",
                                          table, name, other)),
                "")
          << table << "." << name;
    }
  }
  EXPECT_GT(columns, 42u);
}

TEST_F(StoreDamageTest, RowsThatAreMissingOrTwiceThereAreNoticed) {
  const std::vector<std::string> damages{
      "DELETE FROM items WHERE number = 0", "DELETE FROM items WHERE number = 11",
      "DELETE FROM items WHERE number = 23", "DELETE FROM items", "DELETE FROM findings",
      "DELETE FROM yields WHERE rowid = (SELECT max(rowid) FROM yields)", "DELETE FROM yields",
      "DELETE FROM hunts",
      "INSERT INTO items SELECT hunt, 24, seed, hash, schedule, outcome, signature, violations, "
      "objectives, disagreement_margin, termination_margin, new_states, virtual_us, events, "
      "member, origin, stability, checksum FROM items WHERE number = 23",
      "INSERT INTO items SELECT 2, number, seed, hash, schedule, outcome, signature, violations, "
      "objectives, disagreement_margin, termination_margin, new_states, virtual_us, events, "
      "member, origin, stability, checksum FROM items",
      "INSERT INTO findings SELECT hunt, signature || 'x', first_item, count, folder, first_seen, "
      "last_seen, checksum FROM findings",
      "INSERT INTO yields SELECT hunt, thousand + 1, member, origin, runs, failed, unknown, "
      "new_states, virtual_us, last_seen, checksum FROM yields",
      "INSERT INTO hunts (scenario_name, scenario, options, program, checksum) SELECT "
      "scenario_name, scenario, options, program, checksum FROM hunts",
      // Two rows change places.
      "UPDATE items SET seed = (SELECT seed FROM items AS other WHERE other.number = 1 - "
      "items.number) WHERE number < 2",
      "UPDATE items SET schedule = CAST(schedule AS TEXT) WHERE number = 5",
      "DROP INDEX items_failed", "DROP TABLE mismatches", "PRAGMA user_version = 3",
      "PRAGMA user_version = 2", "PRAGMA user_version = 1", "PRAGMA user_version = 0",
      "PRAGMA user_version = 5", "PRAGMA application_id = 7"};
  for (const std::string& damage : damages) EXPECT_NE(verdict_after(damage), "") << damage;
}

TEST_F(StoreDamageTest, AStoreThatWasCutOffIsNoticedOrHasAllRows) {
  const std::string content = bytes();
  const std::string written = content_of(whole_);
  for (std::size_t size = 0; size < content.size(); size += content.size() / 40) {
    if (!verdict_on_bytes(content.substr(0, size)).empty()) continue;
    EXPECT_EQ(content_of(store_), written) << size;
  }
}

// Bytes that no row has may change: then all rows are what they were.
TEST_F(StoreDamageTest, AnyOtherByteIsNoticedOrChangesNothing) {
  const std::string content = bytes();
  const std::string written = content_of(whole_);
  const std::size_t amount = test::tries(150, 20'000);
  Random random(1, "damage");
  std::size_t noticed = 0;
  for (std::size_t i = 0; i < amount; ++i) {
    std::string damaged = content;
    std::uint64_t at = random.below(content.size());
    // Most of so small a file is empty; what is not matters more.
    while (i % 4 != 0 && content[at] == 0) at = random.below(content.size());
    const auto bit = static_cast<unsigned char>(1U << random.below(8));
    damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ bit);
    if (!verdict_on_bytes(damaged).empty()) {
      ++noticed;
      continue;
    }
    EXPECT_EQ(content_of(store_), written) << "byte " << at << ", bit " << int{bit};
  }
  EXPECT_GT(noticed, amount / 4);
}

// Whoever reads a run that was damaged is told, and not given another one.
TEST_F(StoreDamageTest, ADamagedRunIsNotRead) {
  verdict_after("UPDATE items SET termination_margin = 0.25 WHERE number = 7");
  EXPECT_THROW(items_of(store_), InputError);
}

// A store of an earlier version has no checksums. It is read as it is, and gets them when it is
// written to.
TEST_F(StoreDamageTest, AnEarlierStoreIsReadAndGetsItsChecksums) {
  const std::string columns =
      "ALTER TABLE hunts DROP COLUMN checksum; ALTER TABLE items DROP COLUMN checksum; "
      "ALTER TABLE findings DROP COLUMN checksum; ALTER TABLE yields DROP COLUMN checksum; "
      "ALTER TABLE examinations DROP COLUMN checksum; PRAGMA user_version = 3";
  EXPECT_EQ(verdict_after(columns), "");
  EXPECT_FALSE(has_checksums(store_));
  expect_equal(items_of(store_), items_of(whole_));
  open_store(store_);
  EXPECT_TRUE(has_checksums(store_));
  EXPECT_EQ(verdict_on(store_), "");
  expect_equal(items_of(store_), items_of(whole_));
}

}  // namespace
}  // namespace dissensus::hunt
