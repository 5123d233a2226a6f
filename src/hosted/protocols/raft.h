// What messages of Raft carry, whoever wrote the server.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dissensus/digest.h"

#include "hosted/protocols/protocol.h"

namespace dissensus::protocols {

/// What a server calls itself in its messages; 0: nobody. It may live on another machine later, and
/// another server on its machine.
using ServerName = std::uint64_t;

/// A change of who has a vote.
struct RaftChange {
  enum class Type : std::uint8_t {
    add,      ///< one more, or a learner that becomes one
    learner,  ///< a server without a vote
    remove,
    exactly,  ///< all that have one
  };
  Type type = Type::exactly;
  std::vector<ServerName> servers;
};

struct RaftEntry {
  std::uint64_t term = 0;
  Digest content;  ///< without term and index
  std::optional<RaftChange> change;
};

/// 0 where a kind has no such field.
class RaftFields final : public ContentOf<RaftFields> {
 public:
  std::uint64_t term = 0;
  std::uint64_t index = 0;     ///< of the entry that the message is about: before the new ones, the
                               ///< candidate's last, the last that arrived
  std::uint64_t log_term = 0;  ///< of that entry
  std::uint64_t commit = 0;
  std::uint64_t entries = 0;  ///< how many come with it
  bool is_refused = false;    ///< an answer that says no
  ServerName from = 0;
  ServerName to = 0;
  ServerName vote = 0;                ///< for whom the sender says that it has voted in this term
  std::vector<RaftEntry> log;         ///< the entries themselves
  std::optional<RaftChange> members;  ///< as of the end of a snapshot
};

/// How they are described. Names of servers are written as in their logs; `log` and `members` are
/// JSON: [{"term": 2, "content": "1f...", "change": ["add", "8e9e..."]}], and a change alone.
std::vector<Field> raft_fields();

}  // namespace dissensus::protocols
