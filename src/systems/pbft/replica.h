// One replica of PBFT, and the client beside it.
//
// replica.cpp has its life and the normal case, replica_views.cpp view changes, and
// replica_checkpoints.cpp checkpoints, state transfer and retransmission. Everything that a replica
// knows is on its disk: after a crash it goes on where it was.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dissensus/node.h"

#include "systems/pbft/client.h"
#include "systems/pbft/log.h"
#include "systems/pbft/messages.h"
#include "systems/pbft/settings.h"
#include "systems/pbft/view_change.h"

namespace dissensus::pbft {

// Indices into the system's description.
inline constexpr Level kOrderLevel = 0;
inline constexpr Level kCheckpointLevel = 1;
inline constexpr Level kReplyLevel = 2;
inline constexpr std::uint32_t kNormalPhase = 0;
inline constexpr std::uint32_t kViewChangePhase = 1;
inline constexpr std::uint32_t kViewObservable = 0;
inline constexpr std::uint32_t kViewChangesObservable = 1;
inline constexpr std::uint8_t kClientBits = 8;

/// What survives a crash.
struct Disk {
  explicit Disk(const Settings& settings);

  std::uint64_t view = 0;
  bool active = true;  ///< false: waits for the new view
  std::uint64_t executed = 0;
  std::uint64_t assigned = 0;  ///< the last number that this replica gave as a primary
  Digest chain;
  std::vector<ClientRecord> clients;
  Log log;
  Client client;
  StableCheckpoint stable;                   ///< the low watermark; the replica has executed it
  std::optional<StableCheckpoint> ahead;     ///< a stable one that this replica has not executed
  std::map<std::uint64_t, State> snapshots;  ///< own ones, from the stable one on
  std::vector<std::map<std::uint64_t, Digest>> checkpoints;  ///< votes by replica and number
  std::vector<std::optional<RequestId>> pending;   ///< by client: known, and not executed yet
  std::vector<std::optional<ViewChange>> changes;  ///< by replica: its newest
  std::vector<std::size_t> change_messages;        ///< by replica: how often that one came
  std::optional<NewView> new_view;                 ///< made by this replica for its view
  std::uint64_t backoff = 0;                       ///< how often the view timeout has doubled
  std::int64_t view_changes = 0;
};

class Replica final : public Node {
 public:
  Replica(const Settings& settings, NodeId id);

  void start(Context& context) override;
  void restart(Context& context, const Node& before) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;
  void submit(Context& context, const dissensus::Request& request) override;

  const Disk& disk() const { return disk_; }

 private:
  enum class Alarm : std::uint64_t { think, retry, view, status };

  bool is_primary() const { return settings_.primary(disk_.view) == id_; }
  bool is_inside(std::uint64_t sequence) const {
    return sequence > disk_.stable.sequence && sequence <= disk_.stable.sequence + settings_.window;
  }
  void arm(Context& context);

  // The client.
  void ask(Context& context);
  void ask_again(Context& context);
  void on_reply(Context& context, NodeId from, const Reply& reply);

  // The normal case.
  void on_request(Context& context, NodeId from, const Request& request);
  void assign_pending(Context& context);
  void on_pre_prepare(Context& context, NodeId from, const PrePrepare& message);
  void accept(Context& context, const PrePrepare& message);
  template <class T>
  void on_vote(Context& context, NodeId from, const T& vote);
  void advance(Context& context, std::uint64_t sequence);
  void execute_committed(Context& context);
  void execute(Context& context, RequestId request);
  void answer(Context& context, NodeId client);
  void forget_pending(Context& context);

  // Views.
  void watch(Context& context);
  void unwatch(Context& context);
  void change_view(Context& context, std::uint64_t view);
  void on_view_change(Context& context, const ViewChange& change);
  void follow_others(Context& context);
  void gather_changes(Context& context);
  /// The view changes for the current view.
  std::vector<ViewChange> wanted_changes() const;
  void on_new_view(Context& context, NodeId from, const NewView& new_view);
  void enter_view(Context& context, const NewView& new_view);

  // Checkpoints and retransmission.
  void take_checkpoint(Context& context);
  void on_checkpoint(Context& context, NodeId from, const Checkpoint& checkpoint);
  Mask supporters(const Checkpoint& checkpoint) const;
  void look_for_stable(Context& context, const Checkpoint& checkpoint);
  void make_stable(Context& context, const StableCheckpoint& stable);
  void learn_of(const StableCheckpoint& stable);
  void tick(Context& context);
  void on_status(Context& context, NodeId from, const Status& status);
  void vouch_again(Context& context, NodeId to);
  void send_votes(Context& context, NodeId to, std::uint64_t above);
  void on_fetch_state(Context& context, NodeId from, const FetchState& fetch);
  void on_state(Context& context, const State& state);

  const Settings& settings_;
  NodeId id_;
  Disk disk_;
  TimerId view_timer_{};
  bool view_timer_runs_ = false;
  NodeId next_source_ = 0;  ///< whom to ask for state
};

}  // namespace dissensus::pbft
