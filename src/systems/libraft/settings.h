// What a scenario says of a cluster of this library ([system]).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "dissensus/node.h"
#include "dissensus/time.h"

#include "systems/libraft/messages.h"

namespace dissensus::libraft {

struct Settings {
  std::size_t servers = 5;
  std::size_t voters = 5;  ///< of these, members from the start; the others may be added
  Duration election_timeout = std::chrono::seconds(1);
  Duration heartbeat = std::chrono::milliseconds(100);
  bool pre_vote = false;
  std::uint32_t snapshot_threshold = 1024;
  std::uint32_t snapshot_trailing = 128;
  Duration snapshot_work{};  ///< how long it takes to make a snapshot
  /// A server that gave up, because of its disk for example, is restarted after this.
  Duration supervisor = std::chrono::seconds(1);

  // Clients: one per server, in its process; it asks whoever it believes to lead.
  Duration client_every{};  ///< zero: only the workload asks
  Duration client_timeout = std::chrono::seconds(2);
  std::array<double, kOperations> weights{1, 0, 0, 0, 0, 0};  ///< by operation
  /// True: clients change the role of any server; false: of those that were no members at first.
  bool change_founders = false;
};

/// A request of the workload.
class WorkloadRequest final : public Request {
 public:
  WorkloadRequest(Operation operation, std::uint64_t argument)
      : operation_(operation), argument_(argument) {}
  std::vector<std::pair<std::string, FieldValue>> fields() const override;
  Operation operation() const { return operation_; }
  std::uint64_t argument() const { return argument_; }

 private:
  Operation operation_;
  std::uint64_t argument_;
};

constexpr Level kEntryLevel = 0;
constexpr Level kLeaderLevel = 1;
enum Phase : std::uint32_t { kUnavailable, kFollower, kCandidate, kLeader };
enum Observable : std::uint32_t { kCommitIndex, kVote };

class Witness;
class Heap;

/// All of them outlive the node.
std::unique_ptr<Node> make_server(NodeId id, const Settings& settings, Witness& witness,
                                  Heap& heap);

}  // namespace dissensus::libraft
