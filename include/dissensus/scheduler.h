// Schedulers that decide while the run goes on: which of the messages under way is delivered next,
// or how late one is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dissensus/ids.h"
#include "dissensus/options.h"
#include "dissensus/schedule.h"
#include "dissensus/time.h"

namespace dissensus {

/// A message that waits for delivery.
struct PendingMessage {
  NodeId from = kNoNode;
  NodeId to = kNoNode;
  MessageKind kind = kNoKind;
  std::uint64_t content = 0;  ///< equal for equal messages
  std::uint64_t number = 0;   ///< counts the messages of the run in the order of sending
  Time sent{};
};

/// Decides the fate of messages in one run. One thread. Of the two styles implement one.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// True: messages wait in an inbox; pick() chooses at a rate that follows equation 3.1 of the
  /// thesis. False: each message is delayed by delay() when it is sent.
  virtual bool picks() const { return true; }
  /// For schedulers that pick: how long messages wait on average. The longer the inbox, the faster
  /// it is released. Zero: at the rate of equation 3.1.
  virtual Duration hold() const { return {}; }
  /// Before the first message of a run.
  virtual void start(std::size_t /*nodes*/, std::size_t /*kinds*/) {}
  /// A message joined the inbox.
  virtual void arrived(const PendingMessage& /*message*/) {}
  /// The index in `inbox`, which is never empty and ordered by number.
  virtual std::size_t pick(std::span<const PendingMessage> /*inbox*/) { return 0; }
  virtual Duration delay(const PendingMessage& /*message*/) { return {}; }
  /// A node entered a phase or round: what learning schedulers observe.
  virtual void state_changed(NodeId /*node*/, std::uint64_t /*state*/) {}
};

}  // namespace dissensus
