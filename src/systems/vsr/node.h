// A replica of Viewstamped Replication (Liskov and Cowling, "Viewstamped Replication Revisited",
// MIT-CSAIL-TR-2012-021), and the client that lives beside it. Sections in comments are the
// paper's.
//
// Two things are not as printed there. The view that a replica has promised to enter survives its
// crashes (forgets-view shows why: Michael and others, "Recovering Shared Objects Without Stable
// Storage", DISC 2017); and who hears of a later view keeps its log until it has the new one
// (transfer-forgets).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "dissensus/node.h"

#include "systems/vsr/messages.h"
#include "systems/vsr/settings.h"

namespace dissensus::vsr {

enum Phase : std::uint32_t { kBackup, kPrimary, kViewChange, kRecovering };
enum Observable : std::uint32_t { kView, kLogLength, kCommitted, kLeads, kRecovers };
inline constexpr Level kOperation = 0;
inline constexpr std::uint32_t kAtMostOnce = 0;  ///< the invariant

class Replica final : public Node {
 public:
  Replica(NodeId id, const Settings& settings) : id_(id), settings_(settings) {}

  void start(Context& context) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;
  void restart(Context& context, const Node& before) override;

 private:
  enum class Status : std::uint8_t { normal, view_change, recovering };
  enum Timer : std::uint64_t { kTick, kAsk };

  // Normal operation (4.1), node.cpp.
  void on_request(Context& context, const Operation& operation);
  void on_prepare(Context& context, NodeId from, const Prepare& prepare);
  void on_prepare_ok(Context& context, NodeId from, const PrepareOk& ok);
  void on_commit(Context& context, NodeId from, const Commit& commit);
  void append(Context& context, const Operation& operation);
  void commit_acknowledged(Context& context);
  void commit_up_to(Context& context, std::uint64_t commit);
  void execute(Context& context, const Operation& operation);
  void acknowledge(Context& context);
  bool is_known(const Operation& operation) const;

  // View changes (4.2), view_change.cpp.
  void begin_view_change(Context& context, std::uint64_t view);
  void on_start_view_change(Context& context, NodeId from, const StartViewChange& start);
  void on_do_view_change(Context& context, NodeId from, const DoViewChange& change);
  void send_log_to_new_primary(Context& context);
  void begin_view_if_complete(Context& context);
  void on_start_view(Context& context, const StartView& start);
  void enter_view(Context& context, std::uint64_t view);
  void take_log(const Log& log);

  // State transfer (5.2) and recovery (4.3), catching_up.cpp.
  bool follows(Context& context, NodeId from, std::uint64_t view);
  void ask_for_state(Context& context, NodeId from, std::uint64_t view);
  void on_get_state(Context& context, NodeId from, const GetState& get);
  void on_new_state(Context& context, const NewState& state);
  void ask_for_recovery(Context& context);
  void on_recovery(Context& context, NodeId from, const Recovery& recovery);
  void on_recovery_response(Context& context, NodeId from, const RecoveryResponse& response);
  void finish_recovery(Context& context, const RecoveryResponse& source);

  // The client: one request at a time, repeated to everybody until somebody answers (node.cpp).
  void ask(Context& context);
  void on_reply(Context& context, const Reply& reply);

  void tick(Context& context);
  void report(Context& context);
  NodeId primary_of(std::uint64_t view) const {
    return static_cast<NodeId>(view % settings_.replicas);
  }
  bool leads() const { return status_ == Status::normal && primary_of(view_) == id_; }
  bool makes(Mistake mistake) const { return settings_.makes(mistake); }
  SharedLog shared_log() const { return std::make_shared<const Log>(log_); }

  NodeId id_;
  const Settings& settings_;

  Status status_ = Status::normal;
  std::uint64_t view_ = 0;
  std::uint64_t last_normal_ = 0;
  Log log_;
  std::uint64_t commit_ = 0;
  std::map<NodeId, std::uint64_t> asked_;         ///< client table: highest number in the log
  std::map<NodeId, std::uint64_t> executed_;      ///< highest number executed
  std::map<NodeId, std::uint64_t> acknowledged_;  ///< primary: how far each backup is
  Time heard_{};                                  ///< of the primary, or of progress
  Duration patience_{};
  Time sent_{};  ///< primary: the last message to all

  std::map<NodeId, bool> starters_;
  std::map<NodeId, DoViewChange> changes_;
  bool sent_change_ = false;

  std::uint64_t nonce_ = 0;
  std::uint64_t promised_ = 0;  ///< survives crashes: no view before this is taken part in
  std::map<NodeId, RecoveryResponse> responses_;

  std::array<std::int64_t, 5> reported_{-1, -1, -1, -1, -1};  ///< by Observable

  std::uint64_t own_number_ = 0;  ///< client: of the request under way, or of the last one
  bool waits_ = false;
};

}  // namespace dissensus::vsr
