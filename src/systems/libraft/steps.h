// The steps of a server that the formal model knows (specs/raft/README.md), read off the library:
// what it is after an event is compared with what it was, and the difference is told as steps, in
// the order in which Raft takes them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/node.h"
#include "dissensus/state.h"

namespace dissensus::libraft {

/// In the order of describe_steps.
enum class Step : std::uint8_t {
  update_term,
  step_down,
  ask_pre,
  grant_pre,
  stand,
  grant,
  lead,
  hand_over,
  store,
  accept,
  acknowledge,
  commit,
  learn,
  compact,
  install,
  load,
};
std::vector<StepDescription> describe_steps();

/// What the model sees of a server.
struct ServerView {
  enum class Role : std::uint8_t { follower, candidate, leader };
  struct Logged {
    std::uint64_t term = 0;
    std::uint16_t type = 0;
    friend bool operator==(const Logged&, const Logged&) = default;
  };
  Role role = Role::follower;
  std::uint64_t term = 0;
  std::uint64_t vote = 0;  ///< a server's number; 0: nobody
  std::uint64_t commit = 0;
  std::uint64_t first = 1;   ///< index of log.front()
  std::uint64_t stored = 0;  ///< the last index that is on the disk
  std::vector<Logged> log;
  std::vector<NodeId> voters;
  std::uint64_t last() const { return first + log.size() - 1; }
};

class Steps {
 public:
  explicit Steps(NodeId self) : self_(self) {}

  /// Until then nothing is noted: only conformance checks listen.
  void listen() { listening_ = true; }

  // What was said and done during an event.
  void asked(std::uint64_t term, bool pre, bool forced);
  void granted(NodeId candidate, std::uint64_t term, bool pre);
  void acknowledged(std::uint64_t index) {
    if (listening_) acknowledged_.push_back(index);
  }
  void handed_over(NodeId to) {
    if (listening_) handed_.push_back(to);
  }
  /// An entry came into the log when so much was committed: a library that promotes a server and
  /// then counts acknowledgements, in one call, counts with the new voters.
  void stored(std::uint64_t index, std::uint64_t commit) {
    if (listening_) committed_before_[index] = commit;
  }
  void compacted(std::uint64_t index) { compacted_ = index; }
  void installed(std::uint64_t index) { installed_ = index; }
  void loaded(std::uint64_t base) { loaded_ = base; }

  /// The event is over.
  void tell(Context& context, const ServerView& now);
  StateValue::Record state() const;

 private:
  struct Granted {
    NodeId candidate;
    std::uint64_t term;
    bool pre;
  };

  void tell_elections(Context& context, const ServerView& now);
  void tell_leading(Context& context, const ServerView& now);
  void tell_following(Context& context, const ServerView& now);
  void tell_stored(Context& context, const ServerView& now);
  void tell_committed(Context& context, std::uint64_t commit);
  void report(Context& context, Step step, std::vector<StateValue> arguments);
  void forget();

  NodeId self_;
  ServerView view_;
  std::uint64_t base_ = 0;
  std::uint64_t own_acknowledged_ = 0;  ///< by a leader to itself
  bool listening_ = false;
  bool running_ = false;

  bool asked_pre_ = false;
  bool stood_ = false;
  bool forced_ = false;
  std::vector<Granted> granted_;
  std::vector<std::uint64_t> acknowledged_;
  std::vector<NodeId> handed_;
  std::map<std::uint64_t, std::uint64_t> committed_before_;  ///< by index of the entry
  std::optional<std::uint64_t> compacted_;
  std::optional<std::uint64_t> installed_;
  std::optional<std::uint64_t> loaded_;
};

}  // namespace dissensus::libraft
