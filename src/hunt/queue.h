// The queue of work in a store: batches that a coordinator puts there, workers lease, and the
// coordinator collects. Every operation is one statement, so that whoever dies in between leaves
// the queue whole; the server's clock alone decides when a lease has run out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hunt/sql.h"
#include "hunt/store.h"

namespace dissensus::hunt {

/// A batch that this worker has until its deadline.
struct Lease {
  std::int64_t batch = 0;
  std::int64_t hunt = 0;
  std::string items;  ///< batch.h
};

/// A batch that is done.
struct DoneBatch {
  std::int64_t batch = 0;
  std::string results;  ///< batch.h
};

/// How many batches and workers there are.
struct QueueState {
  std::uint64_t waiting = 0;
  std::uint64_t leased = 0;
  std::uint64_t done = 0;     ///< and not collected yet
  std::uint64_t workers = 0;  ///< that hold a lease
};

/// One thread at a time; a connection of its own. A server that went away is waited for.
class WorkQueue {
 public:
  WorkQueue(const std::string& location, Patience& patience);

  // For the coordinator of a hunt.

  /// Forgets what an earlier coordinator has left.
  void clear(std::int64_t hunt);
  void put(std::int64_t hunt, const std::string& items);
  /// Batches that are done; they stay until they are removed.
  std::vector<DoneBatch> done(std::int64_t hunt);
  void remove(std::int64_t batch);
  /// Runs of one item that gave different hashes on different workers.
  std::uint64_t mismatches(std::int64_t hunt);

  // For workers.

  /// Hunts that are not finished.
  std::vector<HuntRecord> open_hunts();
  std::optional<Lease> lease(std::int64_t hunt, const std::string& owner, double seconds);
  /// Of all batches of this owner.
  void renew(const std::string& owner, double seconds);
  /// Hands in results. False: the batch was done by somebody else before, or is not wanted any
  /// more.
  bool complete(const Lease& lease, const std::string& results);
  /// What somebody else handed in for the batch; empty: it was collected.
  std::string results_of(std::int64_t batch);
  /// The hash in the store, if the item is there.
  std::optional<std::string> hash_of(std::int64_t hunt, std::uint64_t item);
  void report_mismatch(std::int64_t hunt, std::uint64_t item, const std::string& hash,
                       const std::string& other, const std::string& owner);

  // For everyone.
  QueueState state(std::int64_t hunt);

 private:
  struct Queries;
  template <class Action>
  auto patiently(const Action& action);
  void prepare();

  Patience& patience_;
  std::unique_ptr<sql::Connection> connection_;
  std::shared_ptr<Queries> queries_;
};

}  // namespace dissensus::hunt
