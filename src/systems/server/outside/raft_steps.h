// The steps of Raft servers as somebody sees them who sees only the messages between them, and
// which machines were restarted: real servers of any protocol whose messages are read. The model is
// specs/raft/Outside.tla.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>

#include "dissensus/description.h"

#include "core/event.h"
#include "trace/node_log.h"

namespace dissensus::server {

/// Makes logs of nodes from the events of a run. A message that is sent again is one step; one is
/// heard when it first arrives, which may be before the server can read it.
class RaftLogWriter final : public EventSink {
 public:
  /// Are there messages of Raft among those of this system?
  static bool understands(const SystemDescription& system);

  /// Both must outlive it. `system` is one that it understands.
  RaftLogWriter(trace::NodeLogFiles& files, const SystemDescription& system);

  EventMask wants() const override;
  void on_event(const Event& event) override;

 private:
  const SystemDescription& system_;
  trace::NodeLogFiles& files_;
  std::size_t payload_ = 0;  ///< of messages of Raft
  bool posts_ = false;       ///< connectors' messages have no order, even on one connection
  using Place = std::tuple<std::uint64_t, bool, std::uint64_t>;  ///< connection, direction, number
  std::set<Place> sent_, heard_;
};

}  // namespace dissensus::server
