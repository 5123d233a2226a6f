// What replicas and clients of Viewstamped Replication send each other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/ids.h"

namespace dissensus::vsr {

/// One operation: what a client asked for. A client numbers its requests.
struct Operation {
  NodeId client = 0;
  std::uint64_t number = 0;
  friend bool operator==(const Operation&, const Operation&) = default;
  Digest digest() const { return DigestBuilder{}.add(client).add(number).finish(); }
};

/// Logs travel whole and are shared by messages: nobody changes one that was sent.
using Log = std::vector<Operation>;
using SharedLog = std::shared_ptr<const Log>;
Digest digest_of(const SharedLog& log);

struct ClientRequest {
  static constexpr MessageKind kind() { return 0; }
  Operation operation;
};
struct Reply {
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t view = 0;
  std::uint64_t number = 0;
};
struct Prepare {
  static constexpr MessageKind kind() { return 2; }
  std::uint64_t view = 0;
  std::uint64_t index = 0;  ///< the operation's place in the log, from 1
  std::uint64_t commit = 0;
  Operation operation;
};
struct PrepareOk {
  static constexpr MessageKind kind() { return 3; }
  std::uint64_t view = 0;
  std::uint64_t index = 0;
};
struct Commit {
  static constexpr MessageKind kind() { return 4; }
  std::uint64_t view = 0;
  std::uint64_t commit = 0;
};
struct StartViewChange {
  static constexpr MessageKind kind() { return 5; }
  std::uint64_t view = 0;
};
struct DoViewChange {
  static constexpr MessageKind kind() { return 6; }
  std::uint64_t view = 0;
  std::uint64_t last_normal = 0;  ///< the view that the log is from
  std::uint64_t commit = 0;
  SharedLog log;
};
struct StartView {
  static constexpr MessageKind kind() { return 7; }
  std::uint64_t view = 0;
  std::uint64_t commit = 0;
  SharedLog log;
};
struct GetState {
  static constexpr MessageKind kind() { return 8; }
  std::uint64_t view = 0;
  std::uint64_t after = 0;  ///< what comes behind this place is missing
};
struct NewState {
  static constexpr MessageKind kind() { return 9; }
  std::uint64_t view = 0;
  std::uint64_t after = 0;
  std::uint64_t commit = 0;
  SharedLog log;  ///< what comes behind `after`
};
struct Recovery {
  static constexpr MessageKind kind() { return 10; }
  std::uint64_t nonce = 0;
};
struct RecoveryResponse {
  static constexpr MessageKind kind() { return 11; }
  std::uint64_t view = 0;
  std::uint64_t nonce = 0;
  std::uint64_t commit = 0;
  bool is_primary = false;
  SharedLog log;
};

/// Adds the messages to a description, in the order of their kinds.
void describe_messages(SystemDescription& description);

}  // namespace dissensus::vsr
