// Who takes part in a cluster and is no program: clients of ours, and whoever stands between
// programs. It has connections of its own to them, and timers in their time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dissensus/outside.h"

#include "host/host.h"

namespace dissensus::hosted {

class Guest {
 public:
  virtual ~Guest() = default;

  /// Lets programs, and itself, go on until this time has come, or `stop` says so, or the programs
  /// cannot go on.
  virtual void pass(host::HostTime until, const std::function<bool()>& stop) = 0;

  /// A program asks for a connection to another machine.
  virtual void on_connect(const host::Connection& connection) = 0;
  // Of the guest's own connections.
  virtual void on_bytes(host::ConnectionId connection, std::string bytes) = 0;
  virtual void on_end(host::ConnectionId connection, bool gone) = 0;

  /// The schedule stops this machine; its programs end next.
  virtual void crashed(NodeId node) = 0;
  /// What is to be kept beside what the cluster keeps.
  virtual std::vector<Outside::Attachment> attachments() = 0;
};

}  // namespace dissensus::hosted
