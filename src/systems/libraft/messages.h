// What servers send each other, as values: the library's messages with all their fields, and what
// clients and servers say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/message.h"

namespace dissensus::libraft {

/// Servers are numbered from 1 by the library, nodes from 0 by the world.
constexpr std::uint64_t server_of(NodeId node) {
  return std::uint64_t{node} + 1;
}
constexpr NodeId node_of(std::uint64_t server) {
  return static_cast<NodeId>(server - 1);
}

struct Entry {
  std::uint64_t term = 0;
  std::uint16_t type = 0;
  std::vector<std::byte> data;
};
/// What was applied, whatever the term: two servers that applied this did the same.
Digest digest_of(std::uint16_t type, const void* data, std::size_t bytes);
using Entries = std::shared_ptr<const std::vector<Entry>>;

/// A member of a configuration.
struct Member {
  std::uint64_t server = 0;
  std::int32_t role = 0;
  friend bool operator==(const Member&, const Member&) = default;
};

enum Kind : MessageKind {
  kRequestVote,
  kRequestPreVote,
  kVoteResult,
  kPreVoteResult,
  kAppendEntries,
  kHeartbeat,
  kAppendResult,
  kInstallSnapshot,
  kTimeoutNow,
  kRequest,
  kReply,
};

struct RequestVote {
  MessageKind kind() const { return pre_vote ? kRequestPreVote : kRequestVote; }
  std::uint64_t term;
  std::uint64_t candidate;
  std::uint64_t last_log_index;
  std::uint64_t last_log_term;
  bool disrupt_leader;
  bool pre_vote;
};
struct VoteResult {
  MessageKind kind() const { return pre_vote == 1 ? kPreVoteResult : kVoteResult; }
  std::uint64_t term;
  bool granted;
  std::uint8_t pre_vote;  ///< raft_tribool
};
struct AppendEntries {
  MessageKind kind() const { return entries->empty() ? kHeartbeat : kAppendEntries; }
  Digest digest() const;
  std::uint32_t wire_bytes() const;
  std::uint64_t term;
  std::uint64_t prev_log_index;
  std::uint64_t prev_log_term;
  std::uint64_t leader_commit;
  Entries entries;
};
struct AppendResult {
  static constexpr MessageKind kind() { return kAppendResult; }
  std::uint64_t term;
  std::uint64_t rejected;
  std::uint64_t last_log_index;
};
struct InstallSnapshot {
  static constexpr MessageKind kind() { return kInstallSnapshot; }
  Digest digest() const;
  std::uint32_t wire_bytes() const;
  std::uint64_t term;
  std::uint64_t last_index;
  std::uint64_t last_term;
  std::uint64_t configuration_index;
  std::shared_ptr<const std::vector<Member>> members;
  std::shared_ptr<const std::vector<std::byte>> data;
};
struct TimeoutNow {
  static constexpr MessageKind kind() { return kTimeoutNow; }
  std::uint64_t term;
  std::uint64_t last_log_index;
  std::uint64_t last_log_term;
};

/// What a client wants of the leader.
enum class Operation : std::uint8_t { command, read, add, assign, remove, transfer };
inline constexpr std::size_t kOperations = 6;

struct ClientRequest {
  static constexpr MessageKind kind() { return kRequest; }
  std::uint64_t number;    ///< of the request; unique in a run
  std::uint64_t argument;  ///< command: its value; else: server, and role in the low byte
  Operation operation;
};
struct ClientReply {
  static constexpr MessageKind kind() { return kReply; }
  std::uint64_t number;
  std::uint64_t index;   ///< command: where it was applied; read: how far the server had applied
  std::uint64_t leader;  ///< whom the server believes to lead; 0: nobody
  std::int32_t status;   ///< the library's
};

void describe_messages(SystemDescription& description);

}  // namespace dissensus::libraft
