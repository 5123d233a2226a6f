// Hosts the nodes of a system without a clock or a network of its own: messages and timers wait
// until somebody says which is next. This is how a trace of a model is carried out (Workflow II).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dissensus/node.h"
#include "dissensus/system.h"

namespace dissensus::conform {

/// A step that a node reported, with copies of what StepReport points at.
struct ReportedStep {
  NodeId node = kNoNode;
  std::uint32_t step = 0;
  std::vector<StateValue> arguments;
  StateValue::Record state;
};

class Stepper {
 public:
  /// `system` must outlive the stepper. The seed decides what nodes draw at random.
  Stepper(const System& system, std::uint64_t seed);
  ~Stepper();
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  struct WaitingMessage {
    NodeId from = kNoNode;
    NodeId to = kNoNode;
    Message message;
  };
  struct WaitingTimer {
    NodeId node = kNoNode;
    std::uint64_t tag = 0;
    TimerId id = TimerId::none;
    Time due{};
  };

  /// In the order of sending, and of setting.
  const std::vector<WaitingMessage>& messages() const { return messages_; }
  const std::vector<WaitingTimer>& timers() const { return timers_; }

  /// Starts all nodes.
  void start();
  // Each lets one node act. Time goes on to the timer's moment, or by a microsecond.
  void deliver(std::size_t message);
  void fire(std::size_t timer);
  void submit(NodeId node, const Request& request);
  /// A node that is down loses its timers and what arrives. False: it is down (or up) already.
  bool crash(NodeId node);
  bool restart(NodeId node);

  bool is_running(NodeId node) const;
  StateValue::Record state(NodeId node) const;
  /// What nodes reported since the last call.
  std::vector<ReportedStep> take_steps();

 private:
  class HostContext;
  struct Host;

  const System& system_;
  MessagePool pool_;  // before the messages and nodes that hold messages of it
  std::unique_ptr<Cluster> cluster_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<WaitingMessage> messages_;
  std::vector<WaitingTimer> timers_;
  std::vector<ReportedStep> steps_;
  std::uint64_t next_timer_ = 1;
  Time now_{};
};

}  // namespace dissensus::conform
