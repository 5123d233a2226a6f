// A protocol node and what it may do. This is the seam between protocol code and the world that
// hosts it: the simulator, or a unit test with a Context of its own.
//
// A node owns no thread, reads no real clock, and iterates no unordered container where the order
// could reach a message: then the same seed gives the same run everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/disk.h"
#include "dissensus/ids.h"
#include "dissensus/message.h"
#include "dissensus/operation.h"
#include "dissensus/random.h"
#include "dissensus/state.h"
#include "dissensus/time.h"

namespace dissensus {

/// A client's request from the scenario's workload, e.g. a transaction. Immutable; shared by runs.
class Request {
 public:
  virtual ~Request() = default;
  /// Name and value of each part, for traces and reports.
  virtual std::vector<std::pair<std::string, FieldValue>> fields() const = 0;
};

/// What a node can do while it handles an event. Valid only during that call.
class Context {
 public:
  Context(const SystemDescription& description, MessagePool& pool)
      : description_(description), pool_(pool) {}
  virtual ~Context() = default;

  virtual NodeId self() const = 0;
  virtual std::size_t node_count() const = 0;
  /// The nodes this one has a link to, ascending, without itself.
  virtual std::span<const NodeId> peers() const = 0;

  /// This node's own clock: virtual time plus its skew. Use it for everything a real server would
  /// read a clock for.
  virtual Time now() const = 0;

  /// Sends to one node. A message to oneself, or to a node without a link, is a programming error.
  template <class T>
  void send(NodeId to, T content) {
    send_message(to, make(std::move(content)));
  }
  /// Sends to all peers; they share one message object.
  template <class T>
  void broadcast(T content) {
    const Message message = make(std::move(content));
    for (const NodeId peer : peers()) send_message(peer, message);
  }
  /// Passes a message object on unchanged, e.g. one that was received and is relayed.
  virtual void send_message(NodeId to, const Message& message) = 0;
  template <class T>
  Message make(T content) {
    return pool_.make(std::move(content), description_);
  }

  /// Calls Node::timer after `delay` of this node's clock. `tag` comes back unchanged.
  virtual TimerId set_timer(Duration delay, std::uint64_t tag = 0) = 0;
  /// Harmless for a timer that has fired or was cancelled.
  virtual void cancel_timer(TimerId timer) = 0;

  /// This node's own random stream.
  virtual Random& random() = 0;
  /// This node's disk. Systems that use none pay nothing. Default: there is none, an error.
  virtual Disk& disk();

  // Reports: what the oracle, the trace and the metrics see of a node. They change nothing.

  /// This node put `value` forward for `instance` of a decision level.
  virtual void proposed(Level level, std::uint64_t instance, const Digest& value) = 0;
  /// This node decided `value` for `instance`, irrevocably if the level is final.
  virtual void decided(Level level, std::uint64_t instance, const Digest& value) = 0;
  /// This node entered a phase (index into SystemDescription::phases).
  virtual void phase(std::uint32_t phase) = 0;
  /// This node entered a round; faults that are keyed by round follow it.
  virtual void round(std::uint64_t round) = 0;
  /// A quantity for rules and reports (index into SystemDescription::observables).
  virtual void observe(std::uint32_t observable, std::int64_t value) = 0;
  /// This node saw an invariant of its system broken (index into SystemDescription::invariants):
  /// the run fails. `number` says where, e.g. an index or a term.
  virtual void broken(std::uint32_t /*invariant*/, std::uint64_t /*number*/) {}
  /// A client that lives in this node asked something, or learnt how it went. Checkers judge the
  /// history of a run, if the scenario asks for that ([oracle.history]).
  virtual void operation(const history::OperationReport& /*report*/) {}
  /// A line for people. Build the text only when logging() is true: search runs log nothing.
  virtual void log(std::string_view text) = 0;
  virtual bool logging() const = 0;

  /// This node took a step that a formal model knows (index into SystemDescription::steps). Call it
  /// as soon as the step is complete: the node's state is read during the call. Build the arguments
  /// only when stepping() is true: other runs check no model.
  virtual void step(std::uint32_t /*step*/, std::span<const StateValue> /*arguments*/) {}
  virtual bool stepping() const { return false; }

 protected:
  const SystemDescription& description_;
  MessagePool& pool_;
};

/// One protocol participant. All calls come from one thread, one at a time.
class Node {
 public:
  virtual ~Node() = default;
  virtual void start(Context& context) = 0;
  virtual void receive(Context& context, NodeId from, const Message& message) = 0;
  virtual void timer(Context& context, TimerId timer, std::uint64_t tag);
  virtual void submit(Context& context, const Request& request);
  /// Called instead of start() on a fresh node after a crash. `before` is the node as it was when
  /// it crashed: copy from it what your protocol keeps on disk. Default: start from nothing.
  virtual void restart(Context& context, const Node& before);
  /// A sync of this node's disk has ended. Default: nothing.
  virtual void disk_done(Context& context, const DiskCompletion& completion);
  /// Something happened to this node outside the simulation (dissensus/outside.h). Default: cannot
  /// be.
  virtual void happened(Context& context);
  /// The run is over: a node whose code runs in a process of its own says whether it still lives,
  /// and reports it (Context::broken) if not. Default: nothing.
  virtual void ended(Context& context);
  /// Everything inside the node that what it does next depends on, what it shares with other nodes
  /// included. Times count as their distance from `now`, the node's own clock. Leave out what the
  /// world knows itself: messages under way, timers (which the node tells apart by their tags, not
  /// by their ids), the node's stream of randomness.
  ///
  /// Two equal answers are a promise: from there on the same messages and timers lead to the same,
  /// so that a run that stands still for good is told from one that is slow. When in doubt, put
  /// more in; the worst that can happen is that a standstill is not recognised. Default: unknown,
  /// and a run without progress is reported as such and no more is claimed.
  virtual std::optional<Digest> future(Time now) const;
  /// What a formal model is compared with (docs/formats/mapping.md). Default: nothing.
  virtual StateValue::Record state() const;
};

}  // namespace dissensus
