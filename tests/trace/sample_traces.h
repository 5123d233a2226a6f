// Hand-made traces for the tests of this room.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dissensus/random.h"

#include "trace/trace.h"

namespace dissensus::trace {

/// Builds a trace event by event; ids count up from 1.
class TraceBuilder {
 public:
  static constexpr MessageKind kProposal = 0;
  static constexpr MessageKind kCommit = 1;

  explicit TraceBuilder(std::size_t nodes) {
    Header& header = trace_.header;
    header.program = "dissensus test";
    header.system = "majority";
    header.scenario_name = "sample";
    header.seed = 7;
    header.nodes = nodes;
    header.kinds = {"Proposal", "Commit"};
    const std::vector<FieldDescription> fields{{"value", SemanticType::value},
                                               {"round", SemanticType::round}};
    header.kind_fields = {fields, fields};
    header.levels = {"value"};
    header.level_scope_bits = {0};
    header.level_final = {true};
    header.level_agreement = {true};
    header.level_values = {{}};
    header.phases = {"open", "establish", "accepted"};
    header.observables = {"round"};
  }

  Header& header() { return trace_.header; }

  Record& add(EventType type, std::int64_t microseconds, NodeId node = kNoNode, EventId cause = 0) {
    Record& record = trace_.records.emplace_back();
    record.id = trace_.records.size();
    record.cause = cause;
    record.time = time_of_microseconds(microseconds);
    record.type = type;
    record.node = node;
    return record;
  }

  EventId send(std::int64_t time, NodeId from, NodeId to, MessageKind kind, std::uint64_t value,
               std::uint64_t round, EventId cause) {
    Record& record = message(EventType::send, time, from, to, kind, cause);
    record.content = Digest{std::uint64_t{kind} + 1, value * 1000 + round};
    record.fields.resize(trace_.header.kind_fields[kind].size());
    for (std::size_t index = 0; index < record.fields.size(); ++index) {
      record.fields[index] = index == 0 ? value : round;
    }
    return record.id;
  }
  EventId deliver(std::int64_t time, EventId send) {
    const Record sent = trace_.records[send - 1];
    Record& record = message(EventType::deliver, time, sent.peer, sent.node, sent.kind, send);
    record.content = sent.content;
    return record.id;
  }
  EventId drop(std::int64_t time, EventId send, DropReason reason) {
    const Record sent = trace_.records[send - 1];
    Record& record = message(EventType::drop, time, sent.node, sent.peer, sent.kind, send);
    record.content = sent.content;
    record.detail = static_cast<std::uint8_t>(reason);
    return record.id;
  }
  EventId report(EventType type, std::int64_t time, NodeId node, std::uint64_t number,
                 const Digest& value, EventId cause, Level level = 0) {
    Record& record = add(type, time, node, cause);
    record.number = number;
    record.value = value;
    record.detail = level;
    return record.id;
  }

  /// Fills the footer.
  Trace finish(std::string outcome = "pass") {
    trace_.footer.hash = to_hex(0x1234);
    trace_.footer.events = trace_.records.empty() ? 0 : trace_.records.back().id;
    trace_.footer.recorded = trace_.records.size();
    trace_.footer.stop = "quiet";
    trace_.footer.outcome = std::move(outcome);
    return trace_;
  }

 private:
  Record& message(EventType type, std::int64_t time, NodeId node, NodeId peer, MessageKind kind,
                  EventId cause) {
    Record& record = add(type, time, node, cause);
    record.peer = peer;
    record.kind = kind;
    return record;
  }

  Trace trace_;
};

/// Three nodes; node 0's commit reaches node 2 before its proposal does, and node 2 decides
/// another value than the others.
inline Trace overtaking_trace() {
  TraceBuilder builder(3);
  builder.header().scenario_name = "majority: a commit overtakes a proposal";
  constexpr auto kProposal = TraceBuilder::kProposal;
  constexpr auto kCommit = TraceBuilder::kCommit;
  for (NodeId node = 0; node < 3; ++node) builder.add(EventType::start, 0, node);
  const EventId request = builder.add(EventType::submit, 1000, 0).id;
  builder.report(EventType::propose, 1000, 0, 1, 1, request);
  const EventId to_1 = builder.send(1000, 0, 1, kProposal, 1, 1, request);
  const EventId to_2 = builder.send(1000, 0, 2, kProposal, 1, 1, request);
  const EventId at_1 = builder.deliver(6000, to_1);
  const EventId commit_0 = builder.send(6000, 1, 0, kCommit, 1, 1, at_1);
  const EventId commit_2 = builder.send(6000, 1, 2, kCommit, 1, 1, at_1);
  builder.report(EventType::decide, 6000, 1, 1, 1, at_1);
  const EventId at_2 = builder.deliver(9000, commit_2);
  builder.report(EventType::propose, 9000, 2, 1, 2, at_2);
  builder.report(EventType::decide, 9000, 2, 1, 2, at_2);
  const EventId stray = builder.send(9000, 2, 0, kCommit, 2, 1, at_2);
  const EventId at_0 = builder.deliver(11500, commit_0);
  builder.report(EventType::decide, 11500, 0, 1, 1, at_0);
  builder.deliver(14000, stray);
  builder.deliver(16000, to_2);
  return builder.finish("fail");
}

/// Rounds of proposals and commits among five nodes: about 300 messages over 20 seconds.
inline Trace busy_trace() {
  constexpr NodeId kNodes = 5;
  TraceBuilder builder(kNodes);
  builder.header().scenario_name = "majority: eight rounds among five nodes";
  struct Pending {
    std::int64_t time;
    EventId send;
  };
  Random random(42);
  std::vector<Pending> pending;
  const auto broadcast = [&](std::int64_t time, NodeId from, MessageKind kind, std::uint64_t value,
                             std::uint64_t round, EventId cause) {
    for (NodeId to = 0; to < kNodes; ++to) {
      if (to == from) continue;
      const EventId send = builder.send(time, from, to, kind, value, round, cause);
      pending.push_back({time + random.between(60'000, 420'000), send});
    }
  };
  const auto deliver_all = [&](auto&& handle) {
    std::sort(pending.begin(), pending.end(),
              [](const Pending& a, const Pending& b) { return a.time < b.time; });
    std::vector<Pending> batch;
    batch.swap(pending);
    for (const Pending& next : batch) {
      if (random.chance(0.03)) {
        builder.drop(next.time, next.send, DropReason::loss);
      } else {
        handle(next.time, builder.deliver(next.time, next.send));
      }
    }
    return batch.back().time;
  };
  for (std::uint64_t round = 1; round <= 8; ++round) {
    std::int64_t start = static_cast<std::int64_t>(round - 1) * 2'500'000;
    for (NodeId node = 0; node < kNodes; ++node) {
      const EventId timer = builder.add(EventType::timer, start + 1000 * node, node).id;
      builder.report(EventType::round, start + 1000 * node, node, round, 0, timer);
      builder.report(EventType::phase, start + 1000 * node, node, 0, 0, timer);
      builder.report(EventType::propose, start + 1000 * node, node, round, round % 3, timer);
      broadcast(start + 1000 * node, node, TraceBuilder::kProposal, round % 3, round, timer);
    }
    std::int64_t now = deliver_all([](std::int64_t, EventId) {}) + 1000;
    for (NodeId node = 0; node < kNodes; ++node) {
      const EventId timer = builder.add(EventType::timer, now + 1000 * node, node).id;
      builder.report(EventType::phase, now + 1000 * node, node, 1, 0, timer);
      broadcast(now + 1000 * node, node, TraceBuilder::kCommit, round % 3, round, timer);
    }
    std::vector<bool> decided(kNodes);
    deliver_all([&](std::int64_t time, EventId delivery) {
      const NodeId node = static_cast<NodeId>(delivery % kNodes);
      if (decided[node]) return;
      decided[node] = true;
      builder.report(EventType::decide, time, node, round, round % 3, delivery);
      builder.report(EventType::phase, time, node, 2, 0, delivery);
    });
  }
  return builder.finish();
}

/// Four nodes: a partition with losses, a crash with a restart, a changed message, a copy, and the
/// end of the faults.
inline Trace faulty_trace() {
  TraceBuilder builder(4);
  builder.header().scenario_name = "majority: crash and partition";
  constexpr auto kProposal = TraceBuilder::kProposal;
  constexpr auto kCommit = TraceBuilder::kCommit;
  for (NodeId node = 0; node < 4; ++node) builder.add(EventType::start, 0, node);
  const EventId request = builder.add(EventType::submit, 50'000, 1).id;
  const EventId first = builder.send(50'000, 1, 0, kProposal, 5, 1, request);
  const EventId second = builder.send(50'000, 1, 2, kProposal, 5, 1, request);
  const EventId third = builder.send(50'000, 1, 3, kProposal, 5, 1, request);
  builder.add(EventType::mutate, 50'000, 1, third).peer = 3;
  const EventId at_0 = builder.deliver(120'000, first);
  Record& partition = builder.add(EventType::partition, 150'000);
  partition.text = "{0,1} | {2,3}";
  const EventId partition_id = partition.id;
  builder.deliver(180'000, second);
  builder.deliver(190'000, third);
  builder.deliver(260'000, third);
  const EventId lost = builder.send(300'000, 0, 2, kCommit, 5, 1, at_0);
  builder.drop(300'000, lost, DropReason::partition);
  const EventId kept = builder.send(300'000, 0, 1, kCommit, 5, 1, at_0);
  builder.report(EventType::decide, 380'000, 1, 1, 5, builder.deliver(380'000, kept));
  builder.add(EventType::crash, 420'000, 3);
  const EventId to_crashed = builder.send(430'000, 2, 3, kCommit, 5, 1, 0);
  builder.drop(520'000, to_crashed, DropReason::crashed);
  builder.add(EventType::heal, 700'000).number = partition_id;
  builder.add(EventType::restart, 800'000, 3);
  builder.add(EventType::phase_end, 850'000);
  const EventId late = builder.send(900'000, 1, 3, kCommit, 5, 1, 0);
  const EventId late_2 = builder.send(900'000, 1, 2, kCommit, 5, 1, 0);
  builder.report(EventType::decide, 960'000, 3, 1, 5, builder.deliver(960'000, late));
  builder.report(EventType::decide, 990'000, 2, 1, 5, builder.deliver(990'000, late_2));
  builder.send(1'000'000, 2, 0, kCommit, 5, 1, 0);
  return builder.finish();
}

}  // namespace dissensus::trace
