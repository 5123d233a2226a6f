// The store of a campaign: hunts, their items and findings, in one SQLite file
// (docs/formats/store.md). Failures throw InputError; what was committed before stays.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hunt/item.h"
#include "hunt/sqlite.h"

namespace dissensus::hunt {

inline constexpr int kStoreVersion = 1;
inline constexpr std::int64_t kStoreApplication = 0x44697373;  // "Diss"

/// One hunt: everything that its results depend on.
struct HuntRecord {
  std::int64_t id = 0;
  std::string scenario_name;
  std::string scenario;  ///< text of the file
  std::string options;   ///< JSON
  std::string program;   ///< version that made it
};

struct FindingRecord {
  std::string signature;
  std::uint64_t first_item = 0;
  std::uint64_t count = 0;
  std::string folder;  ///< run folder; empty: none was written
};

/// Items of one hunt in the order of their numbers.
class ItemCursor {
 public:
  ItemCursor(sqlite::Database& database, std::int64_t hunt);
  /// False: there are no more.
  bool next(ItemRecord& item);

 private:
  std::string path_;
  sqlite::Statement statement_;
};

/// Reads a store, also while a hunt writes to it.
class StoreReader {
 public:
  explicit StoreReader(const std::string& path);

  std::vector<HuntRecord> hunts();
  std::uint64_t item_count(std::int64_t hunt);
  ItemCursor items(std::int64_t hunt) { return {database_, hunt}; }
  std::vector<FindingRecord> findings(std::int64_t hunt);

 private:
  sqlite::Database database_;
};

/// Writes one hunt. A second writer of the same file is refused.
class Store {
 public:
  /// Opens the file, and makes it where there is none.
  explicit Store(const std::string& path);
  /// Commits what is pending.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& path() const { return database_.path(); }
  /// Of the hunt that is written.
  std::int64_t hunt() const { return hunt_; }

  /// A new hunt; later items are its items.
  void begin(const HuntRecord& hunt);
  /// Continues the last hunt of the file, which must agree with `hunt`; throws InputError that says
  /// what differs. Begins it where there is none. The items that it has are known_items().
  void resume(const HuntRecord& hunt);
  std::uint64_t known_count() const { return known_count_; }
  ItemCursor known_items() { return {database_, hunt_}; }

  /// Commits now and then: at most kBatchTime of results, and fewer than kBatchItems, are lost when
  /// the program is killed.
  void add(const ItemRecord& item);
  void flush();
  void set_folder(const std::string& signature, const std::string& folder);
  /// Empty when there is none.
  std::string folder_of(const std::string& signature);
  /// As if the disk were full.
  void limit_pages_for_tests(int pages);

 private:
  using Clock = std::chrono::steady_clock;
  struct Lock;

  void prepare();

  std::shared_ptr<Lock> lock_;  // the first to come and the last to go
  sqlite::Database database_;
  sqlite::Statement insert_item_;
  sqlite::Statement insert_finding_;
  std::int64_t hunt_ = 0;
  std::uint64_t known_count_ = 0;
  bool in_transaction_ = false;
  Clock::time_point last_commit_ = Clock::now();
  std::size_t uncommitted_ = 0;
  std::string objectives_;  ///< reused memory
  std::string states_;
};
inline constexpr std::chrono::milliseconds kBatchTime{25};
inline constexpr std::size_t kBatchItems = 128;

}  // namespace dissensus::hunt
