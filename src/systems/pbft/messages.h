// What replicas and the clients beside them send each other (OSDI '99, sections 4.1 to 4.4).
//
// Links tell who sent a message. What a replica passes on of others, in certificates and in new
// views, carries their signatures in the real protocol: here, a liar cannot change it.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/ids.h"

#include "systems/pbft/replicas.h"

namespace dissensus::pbft {

/// A request with its client's signature, in one word: client, timestamp, operation, and 16 bits
/// that nobody but the client can make. 0: the null request of new views.
using RequestId = std::uint64_t;
inline constexpr RequestId kNullRequest = 0;
RequestId request_id(NodeId client, std::uint32_t timestamp, std::uint16_t operation);
bool is_signed(RequestId request);
NodeId client_of(RequestId request);
std::uint32_t timestamp_of(RequestId request);

struct Request {
  static constexpr MessageKind kind() { return 0; }
  NodeId client = 0;
  std::uint16_t operation = 0;
  std::uint32_t timestamp = 0;
  RequestId id() const { return request_id(client, timestamp, operation); }
  Digest digest() const;
};

struct PrePrepare {
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t view = 0;
  std::uint64_t sequence = 0;
  RequestId request = kNullRequest;
};
struct Prepare {
  static constexpr MessageKind kind() { return 2; }
  std::uint64_t view = 0;
  std::uint64_t sequence = 0;
  RequestId request = kNullRequest;
};
struct Commit {
  static constexpr MessageKind kind() { return 3; }
  std::uint64_t view = 0;
  std::uint64_t sequence = 0;
  RequestId request = kNullRequest;
};

struct Reply {
  static constexpr MessageKind kind() { return 4; }
  std::uint64_t view = 0;
  std::uint64_t timestamp = 0;
  Digest result;
};

struct Checkpoint {
  static constexpr MessageKind kind() { return 5; }
  std::uint64_t sequence = 0;
  Digest state;
};

/// That a request was prepared: a pre-prepare and the prepares of `signers`, its primary's bit too.
struct Certificate {
  std::uint64_t view = 0;
  std::uint64_t sequence = 0;
  RequestId request = kNullRequest;
  Mask signers = 0;
};

/// A checkpoint and who vouched for it.
struct StableCheckpoint {
  std::uint64_t sequence = 0;
  Digest state;
  Mask signers = 0;
};

struct ViewChange {
  static constexpr MessageKind kind() { return 6; }
  std::uint64_t view = 0;
  NodeId replica = 0;
  StableCheckpoint stable;
  std::vector<Certificate> prepared;  ///< ascending sequences above the stable one
  Digest digest() const;
};

struct Proposal {
  std::uint64_t sequence = 0;
  RequestId request = kNullRequest;
  friend bool operator==(const Proposal&, const Proposal&) = default;
};

struct NewView {
  static constexpr MessageKind kind() { return 7; }
  std::uint64_t view = 0;
  std::vector<ViewChange> changes;
  std::vector<Proposal> proposals;
  Digest digest() const;
};

/// How far a replica is; whoever is ahead sends it again what it lacks.
struct Status {
  static constexpr MessageKind kind() { return 8; }
  std::uint64_t view = 0;
  std::uint64_t executed = 0;
  std::uint64_t stable = 0;
  std::uint64_t active = 1;  ///< 0: waits for the new view
};

struct FetchState {
  static constexpr MessageKind kind() { return 9; }
  std::uint64_t sequence = 0;
};

struct ClientRecord {
  std::uint32_t timestamp = 0;  ///< of the last executed request; 0: none
  Digest result;
};
/// The state of the service after `sequence`: what was executed, and the last reply per client.
struct State {
  static constexpr MessageKind kind() { return 10; }
  std::uint64_t sequence = 0;
  Digest chain;
  std::vector<ClientRecord> clients;
  Digest digest() const;
};

/// Adds the messages to a description, in the order of their kinds.
void describe_messages(SystemDescription& description);

}  // namespace dissensus::pbft
