// The store of a campaign: hunts, their items and findings, in one SQLite file or in a PostgreSQL
// database (docs/formats/store.md). Failures throw InputError; what was committed before stays.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hunt/item.h"
#include "hunt/patience.h"
#include "hunt/shipment.h"
#include "hunt/sql.h"

namespace dissensus::hunt {

inline constexpr int kStoreVersion = 4;
inline constexpr std::int64_t kStoreApplication = 0x44697373;  // "Diss"

/// One hunt: everything that its results depend on.
struct HuntRecord {
  std::int64_t id = 0;
  std::string scenario_name;
  std::string scenario;   ///< text of the file
  std::string options;    ///< JSON
  std::string program;    ///< version that made it
  bool finished = false;  ///< its budget was spent, or it found what it looked for
  bool islands = false;   ///< each worker has a search of its own (islands.h)
};

/// Whether a worker has shrunk and measured a finding (examination.h).
enum class Examined : std::uint8_t { no, waiting, done };

struct FindingRecord {
  std::string signature;
  std::uint64_t first_item = 0;
  std::uint64_t count = 0;
  std::string folder;           ///< run folder; empty: none was written
  std::int64_t first_seen = 0;  ///< seconds since 1970
  std::int64_t last_seen = 0;
  Examined examined = Examined::no;
};

/// Of all items of a hunt.
struct HuntTotals {
  std::uint64_t items = 0;
  std::uint64_t failed = 0;
  std::uint64_t unknown = 0;
  Duration virtual_time{};
  std::uint64_t mismatches = 0;  ///< items that gave another hash on another worker
  std::uint64_t unkept = 0;      ///< runs of islands beside the items
  std::uint64_t runs() const { return items + unkept; }
};

/// Items of one hunt in the order of their numbers.
class ItemCursor {
 public:
  ItemCursor(sql::Connection& connection, std::int64_t hunt, std::uint64_t first = 0);
  /// False: there are no more.
  bool next(ItemRecord& item);

 private:
  bool next_row();

  sql::Connection* connection_;
  std::int64_t hunt_;
  std::int64_t next_number_;
  std::int64_t row_of_page_ = 0;
  std::unique_ptr<sql::Query> page_;
};

/// Reads a store, also while a hunt writes to it.
class StoreReader {
 public:
  explicit StoreReader(const std::string& location);

  std::vector<HuntRecord> hunts();
  std::uint64_t item_count(std::int64_t hunt);
  /// Quick, whatever the number of items.
  HuntTotals totals(std::int64_t hunt);
  /// From number `first` on.
  ItemCursor items(std::int64_t hunt, std::uint64_t first = 0) {
    return {*connection_, hunt, first};
  }
  std::vector<FindingRecord> findings(std::int64_t hunt);
  sql::Connection& connection() { return *connection_; }

 private:
  std::unique_ptr<sql::Connection> connection_;
};

/// What an island has sent, as it is kept.
struct Arrival {
  std::int64_t shipment = 0;
  std::uint64_t runs_before = 0;  ///< of the whole hunt
  const Shipment& sent;
  std::vector<ItemRecord> items;  ///< those that are kept, numbered
};

/// Opens a store for writing, makes it where there is none, and brings an older one to this
/// version. What belongs to somebody else is refused and not touched.
std::unique_ptr<sql::Connection> open_store(const std::string& location);

/// Writes one hunt. A second writer of the same file, or of the same hunt of a database, is
/// refused.
class Store {
 public:
  /// A path or a URL. With `patience`, a server that went away is waited for; it must outlive this.
  explicit Store(const std::string& location, Patience* patience = nullptr);
  /// Commits what is pending.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The path, or the URL without a password.
  const std::string& path() const { return connection_->name(); }
  /// What was given to the constructor.
  const std::string& location() const { return location_; }
  /// Of the hunt that is written.
  std::int64_t hunt() const { return hunt_; }

  /// A new hunt; later items are its items.
  void begin(const HuntRecord& hunt);
  /// Continues the last hunt of the file, which must agree with `hunt`; throws InputError that says
  /// what differs. Begins it where there is none. In a database, which many use: the last one that
  /// agrees. The items that it has are known_items(); some may be missing in the middle.
  void resume(const HuntRecord& hunt);
  std::uint64_t known_count() const { return known_count_; }
  ItemCursor known_items() { return {*connection_, hunt_}; }

  /// Commits now and then: at most kBatchTime of results, and fewer than kBatchItems, are lost when
  /// the program is killed.
  void add(const ItemRecord& item);
  void flush();
  /// In the transaction that removes the shipment: it counts once.
  void add(const Arrival& arrival);
  /// Nothing is left to do for this hunt.
  void finish();
  void set_folder(const std::string& signature, const std::string& folder);
  /// Folder, times and count of a finding whose items are there.
  void describe(const FindingRecord& finding);
  HuntTotals totals();
  /// Items of a finding; 0: there is none.
  std::uint64_t count_of(const std::string& signature);
  /// Empty when there is none.
  std::string folder_of(const std::string& signature);
  /// As if the disk were full.
  void limit_pages_for_tests(int pages);

 private:
  using Clock = std::chrono::steady_clock;
  struct Lock;

  void prepare();
  void take_hunt();
  void write_pending();
  void write(const ItemRecord& item);
  void write_finding(const std::string& signature, std::uint64_t item, std::uint64_t count);
  void write_yield(std::uint64_t thousand, const std::string& member, const std::string& origin,
                   const RunSums& sums);
  void write_arrival(const Arrival& arrival);
  void write_totals(const RunSums& total, std::size_t unkept);
  void seal_finding(const std::string& signature);
  template <class Action>
  void in_transaction(const Action& action);
  void recover();
  bool exists(std::string_view query, std::int64_t number);
  template <class Action>
  void patiently(const Action& action);

  std::string location_;
  Patience* patience_;
  std::shared_ptr<Lock> lock_;  // the first to come and the last to go
  std::unique_ptr<sql::Connection> connection_;
  std::unique_ptr<sql::Query> insert_item_;
  std::unique_ptr<sql::Query> insert_finding_;
  std::unique_ptr<sql::Query> update_totals_;
  std::unique_ptr<sql::Query> insert_yield_;
  std::unique_ptr<sql::Query> seal_hunt_;  ///< checksums of rows that are written over
  std::unique_ptr<sql::Query> seal_finding_;
  std::unique_ptr<sql::Query> seal_yield_;
  std::unique_ptr<sql::Query> remove_shipment_;  ///< null for files, which have none
  std::int64_t hunt_ = 0;
  std::uint64_t known_count_ = 0;
  Clock::time_point last_commit_ = Clock::now();
  std::vector<ItemRecord> pending_;
  std::size_t pending_count_ = 0;  ///< the first ones of pending_, whose memory is used again
  std::string objectives_;         ///< reused memory
};
inline constexpr std::chrono::milliseconds kBatchTime{25};
inline constexpr std::size_t kBatchItems = 128;

}  // namespace dissensus::hunt
