// The queue of work in a store: batches that a coordinator puts there, workers lease, and the
// coordinator collects. Every operation is one statement, so that whoever dies in between leaves
// the queue whole; the server's clock alone decides when a lease has run out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hunt/examination.h"
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

/// A hunt with something to do.
struct OpenHunt {
  HuntRecord record;
  bool has_examinations = false;  ///< findings that wait to be examined
};

/// What an island has sent.
struct ArrivedShipment {
  std::int64_t id = 0;
  std::string cargo;  ///< shipment.h
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
  /// What islands have sent, the oldest first; some of it.
  std::vector<ArrivedShipment> shipments(std::int64_t hunt);
  /// A finding that is to be examined, once.
  void put_examination(std::int64_t hunt, const std::string& signature, std::uint64_t item);
  /// Runs of one item that gave different hashes on different workers.
  std::uint64_t mismatches(std::int64_t hunt);

  // For workers.

  std::vector<OpenHunt> open_hunts();
  /// An owner has one batch at a time, and who asks has none: what the store says that they have,
  /// because the server or the connection ended before its answer came, they get again.
  std::optional<Lease> lease(std::int64_t hunt, const std::string& owner, double seconds);
  /// Of the batch and the examination of this owner.
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

  /// A new island of a hunt; its number.
  std::int64_t found_island(std::int64_t hunt, const std::string& owner);
  /// Sends what an island has gathered in its n-th turn, once.
  void ship(std::int64_t hunt, std::int64_t island, std::uint64_t turn, const std::string& cargo);
  /// Items from a number on.
  std::vector<ItemRecord> items_from(std::int64_t hunt, std::uint64_t first,
                                     std::size_t most = 1000);

  /// As lease().
  std::optional<Examination> lease_examination(std::int64_t hunt, const std::string& owner,
                                               double seconds);
  /// It is not ours any more, and not done.
  void release_examination(std::int64_t examination);
  /// False: somebody else was faster.
  bool complete_examination(std::int64_t examination, const ExaminationResult& result);

  // For everyone.
  /// None: nobody has asked for it, or it is not done.
  std::optional<ExaminationResult> examination_of(std::int64_t hunt, std::uint64_t item);
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
