#include "faults/fault_writer.h"

#include <array>

#include <fmt/format.h>

#include "core/assert.h"
#include "faults/json_members.h"

namespace dissensus::faults {

namespace {

void add_filter(Members& members, const MessageFilter& filter,
                const SystemDescription& description) {
  if (filter.kind) members.add_text("message", description.kinds.at(*filter.kind).name);
  if (filter.from) members.add_number("sender", *filter.from);
  if (filter.to) members.add_number("receiver", *filter.to);
}

void add_window(Members& members, const Window& window) {
  if (window.by_round()) {
    DISSENSUS_ASSERT(window.from == Duration{} && !window.until,
                     "to_json : a window by round has no times");
    members.add("rounds", window.until_round
                              ? fmt::format("[{}, {}]", *window.from_round, *window.until_round)
                              : fmt::format("[{}]", *window.from_round));
    return;
  }
  DISSENSUS_ASSERT(!window.until_round, "to_json : a window by time has no rounds");
  if (window.from != Duration{}) members.add_duration("from", window.from);
  if (window.until) members.add_duration("until", *window.until);
}

void add_window(Members& members, const Window& window, const SystemDescription& description) {
  if (window.after) {
    const Anchor& anchor = *window.after;
    Members after;
    if (anchor.phase) after.add_text("phase", description.phases.at(*anchor.phase));
    if (anchor.round) after.add_number("round", *anchor.round);
    if (anchor.node) after.add_number("node", *anchor.node);
    if (anchor.nth != 1) after.add_number("nth", anchor.nth);
    if (anchor.relative) after.add("relative", "true");
    if (anchor.until_next) after.add("until_next", "true");
    if (anchor.before) after.add_duration("before", *anchor.before);
    members.add("after", after.on_one_line());
  }
  add_window(members, window);
}

void add_nodes(Members& members, std::string_view key, const NodeSet& nodes) {
  members.add(key, fmt::format("[{}]", fmt::join(nodes, ", ")));
}

void add_groups(Members& members, const std::vector<NodeSet>& groups) {
  std::vector<std::string> texts;
  for (const NodeSet& group : groups) {
    texts.push_back(fmt::format("[{}]", fmt::join(group, ", ")));
  }
  members.add("groups", fmt::format("[{}]", fmt::join(texts, ", ")));
}

class FaultWriter {
 public:
  FaultWriter(const SystemDescription& system, std::size_t node_count)
      : description_(system), nodes_(node_count) {}

  Members operator()(const DropFault& fault) const {
    Members members;
    members.add_text("type", "drop");
    add_filter(members, fault.messages, description_);
    add_window(members, fault.when);
    if (fault.count) members.add_number("count", *fault.count);
    return members;
  }
  Members operator()(const DuplicateFault& fault) const {
    Members members;
    members.add_text("type", "duplicate");
    add_filter(members, fault.messages, description_);
    add_window(members, fault.when);
    if (fault.count) members.add_number("count", *fault.count);
    if (fault.gap != Duration{}) members.add_duration("gap", fault.gap);
    return members;
  }
  Members operator()(const DelayFault& fault) const {
    Members members;
    members.add_text("type", "delay");
    add_filter(members, fault.messages, description_);
    add_window(members, fault.when);
    if (fault.count) members.add_number("count", *fault.count);
    members.add_duration("by", fault.by);
    return members;
  }
  Members operator()(const PartitionFault& fault) const {
    Members members;
    members.add_text("type", "partition");
    add_groups(members, fault.groups);
    add_window(members, fault.when, description_);
    return members;
  }
  Members operator()(const CrashFault& fault) const {
    DISSENSUS_ASSERT(fault.at.has_value() != fault.at_round.has_value(),
                     "to_json : a crash is keyed by time or by round");
    Members members;
    members.add_text("type", "crash");
    members.add_number("node", fault.node);
    if (fault.at) members.add_duration("at", *fault.at);
    if (fault.at_round) members.add_number("at_round", *fault.at_round);
    if (fault.restart_after) members.add_duration("restart_after", *fault.restart_after);
    return members;
  }
  Members operator()(const MutateFault& fault) const {
    Members members;
    members.add_text("type", "mutate");
    members.add_number("node", fault.node);
    members.add_number("round", fault.round);
    add_peers(members, "receivers", fault.receivers, fault.node);
    members.add_number("seed", fault.seed);
    if (fault.scope == MutationScope::any) members.add_text("scope", "any");
    if (!fault.field.empty()) members.add_text("field", fault.field);
    return members;
  }
  Members operator()(const RoundPartitionFault& fault) const {
    Members members;
    members.add_text("type", "round-partition");
    members.add_number("round", fault.round);
    add_groups(members, fault.groups);
    return members;
  }
  Members operator()(const SilenceFault& fault) const {
    Members members;
    members.add_text("type", "silence");
    members.add_number("node", fault.node);
    add_peers(members, "receivers", fault.receivers, fault.node);
    if (fault.round) {
      members.add_number("round", *fault.round);
    } else {
      add_window(members, fault.when);
    }
    return members;
  }
  Members operator()(const ReplayFault& fault) const {
    Members members;
    members.add_text("type", "replay");
    members.add_number("node", fault.node);
    members.add_number("round", fault.round);
    add_peers(members, "receivers", fault.receivers, fault.node);
    members.add_number("seed", fault.seed);
    return members;
  }
  Members operator()(const NoiseFault& fault) const {
    Members members;
    members.add_text("type", "noise");
    if (fault.node) members.add_number("node", *fault.node);
    // The shortest texts that read back exactly.
    if (fault.drop > 0) members.add("drop", fmt::format("{}", fault.drop));
    if (fault.corrupt > 0) members.add("corrupt", fmt::format("{}", fault.corrupt));
    members.add_number("seed", fault.seed);
    add_window(members, fault.when);
    return members;
  }
  Members operator()(const TwinsFault& fault) const {
    Members members;
    members.add_text("type", "twins");
    members.add_number("node", fault.node);
    add_peers(members, "first", fault.first, fault.node);
    add_peers(members, "second", fault.second, fault.node);
    if (fault.apart_until) members.add_duration("apart_until", *fault.apart_until);
    return members;
  }
  Members operator()(const SkewFault& fault) const {
    Members members;
    members.add_text("type", "skew");
    members.add_number("node", fault.node);
    if (fault.offset != Duration{}) members.add_duration("offset", fault.offset);
    if (fault.drift_ppm != 0) members.add("drift_ppm", fmt::to_string(fault.drift_ppm));
    add_window(members, fault.when, description_);
    return members;
  }
  Members operator()(const OutageFault& fault) const {
    Members members;
    members.add_text("type", "outage");
    add_nodes(members, "nodes", fault.nodes);
    add_window(members, fault.when, description_);
    return members;
  }
  Members operator()(const PauseFault& fault) const {
    Members members;
    members.add_text("type", "pause");
    add_nodes(members, "nodes", fault.nodes);
    add_window(members, fault.when, description_);
    return members;
  }
  Members operator()(const CutFault& fault) const {
    static constexpr std::array<std::string_view, 3> kShapes{"bridge", "ring", "one-way"};
    Members members;
    members.add_text("type", "cut");
    members.add_text("shape", kShapes[static_cast<std::size_t>(fault.shape)]);
    add_nodes(members, "nodes", fault.nodes);
    add_window(members, fault.when, description_);
    return members;
  }
  Members operator()(const LinkFault& fault) const {
    Members members;
    members.add_text("type", "links");
    const NodeSet all = other_nodes(kNoNode, nodes_);
    if (fault.senders != all) add_nodes(members, "senders", fault.senders);
    if (fault.receivers != all) add_nodes(members, "receivers", fault.receivers);
    if (fault.loss > 0) members.add("loss", fmt::format("{}", fault.loss));
    if (fault.duplicate > 0) members.add("duplicate", fmt::format("{}", fault.duplicate));
    if (fault.jitter != Duration{}) members.add_duration("jitter", fault.jitter);
    members.add_number("seed", fault.seed);
    add_window(members, fault.when, description_);
    return members;
  }
  Members operator()(const DiskFault& fault) const {
    static constexpr std::array<std::string_view, 4> kTroubles{"slow", "error", "no-space",
                                                               "corrupt"};
    Members members;
    members.add_text("type", "disk");
    members.add_number("node", fault.node);
    members.add_text("trouble", kTroubles[static_cast<std::size_t>(fault.trouble)]);
    if (fault.extra != Duration{}) members.add_duration("extra", fault.extra);
    add_window(members, fault.when, description_);
    return members;
  }

 private:
  void add_peers(Members& members, std::string_view key, const NodeSet& peers, NodeId node) const {
    if (peers == other_nodes(node, nodes_)) return;
    members.add(key, fmt::format("[{}]", fmt::join(peers, ", ")));
  }

  const SystemDescription& description_;
  std::size_t nodes_;
};

}  // namespace

std::string to_json(const Fault& fault, const SystemDescription& description, std::size_t nodes) {
  return std::visit(FaultWriter(description, nodes), fault).on_one_line();
}

}  // namespace dissensus::faults
