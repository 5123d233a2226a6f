#include "faults/fault_reader.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "core/limits.h"
#include "core/suggestion.h"
#include "faults/kinds.h"

namespace dissensus::faults {

[[noreturn]] void fail_unknown_kind(const OptionValue& place, const std::string& word,
                                    const SystemDescription& description) {
  std::vector<std::string> names;
  for (const KindDescription& kind : description.kinds) names.push_back(kind.name);
  std::string near = suggestion(word, names);
  if (near.empty()) near = fmt::format(", expected one of {}", fmt::join(names, ", "));
  place.fail(fmt::format("unknown message kind{}", near));
}

NodeId read_node(const OptionValue& value, const Target& target) {
  return static_cast<NodeId>(value.integer(0, static_cast<std::int64_t>(target.genes.nodes) - 1));
}

Duration read_duration(const OptionValue& value) {
  const Duration duration = value.duration();
  if (duration > kVirtualTimeMax) {
    value.fail(fmt::format("expected a duration of at most {}h, found '{}'",
                           std::chrono::duration_cast<std::chrono::hours>(kVirtualTimeMax).count(),
                           value.text()));
  }
  return duration;
}

// ---- parts of faults

namespace {

void read_rounds(const OptionValue& value, Window& window) {
  const std::vector<OptionValue> rounds = value.list();
  if (rounds.empty() || rounds.size() > 2) {
    value.fail(fmt::format("expected [first, end] or [first], found {} numbers", rounds.size()));
  }
  window.from_round = static_cast<std::uint64_t>(rounds[0].integer(0, kRoundMax));
  if (rounds.size() == 1) return;
  window.until_round = static_cast<std::uint64_t>(rounds[1].integer(0, kRoundMax));
  if (*window.until_round <= *window.from_round) {
    value.fail(
        fmt::format("expected an end after round {}, which is not part of the span, found {}",
                    *window.from_round, *window.until_round));
  }
}

}  // namespace

Anchor read_anchor(const Options& options, const Target& target) {
  Anchor anchor;
  const auto phase = options.find("phase");
  const auto round = options.find("round");
  if (phase.has_value() == round.has_value()) {
    options.fail("expected either 'phase' or 'round': what the fault waits for");
  }
  if (phase) {
    const std::vector<std::string>& phases = target.description.phases;
    const auto found = std::find(phases.begin(), phases.end(), phase->text());
    if (found == phases.end()) {
      phase->fail(fmt::format("no such phase{} (known: {})", suggestion(phase->text(), phases),
                              fmt::join(phases, ", ")));
    }
    anchor.phase = static_cast<std::uint32_t>(found - phases.begin());
  }
  if (round) anchor.round = static_cast<std::uint64_t>(round->integer(0, kRoundMax));
  if (const auto node = options.find("node")) anchor.node = read_node(*node, target);
  anchor.nth = static_cast<std::uint32_t>(options.integer("nth", 1, 1, 1'000'000));
  anchor.relative = options.boolean("relative", false);
  anchor.until_next = options.boolean("until_next", false);
  if (const auto before = options.find("before")) {
    anchor.before = read_duration(*before);
    if (*anchor.before == Duration{}) before->fail("expected a duration above zero");
  }
  return anchor;
}

Window read_anchored_window(const Options& fault, const Target& target) {
  Window window = read_window(fault);
  if (const auto after = fault.find("after")) {
    if (window.by_round()) after->fail("expected a span of rounds or an anchor, found both");
    window.after = read_anchor(after->table(), target);
  }
  return window;
}

Window read_window(const Options& fault) {
  Window window;
  const auto from = fault.find("from");
  const auto until = fault.find("until");
  if (const auto rounds = fault.find("rounds")) {
    if (from || until) rounds->fail("expected a span of rounds or of time, found both");
    read_rounds(*rounds, window);
    return window;
  }
  if (from) window.from = read_duration(*from);
  if (until) {
    window.until = read_duration(*until);
    if (*window.until <= window.from) {
      until->fail(fmt::format("expected a time after {}, found '{}'", to_string(window.from),
                              until->text()));
    }
  }
  return window;
}

std::vector<NodeSet> read_groups(const Options& fault, const Target& target) {
  std::vector<NodeSet> result;
  const OptionValue groups = fault.at("groups");
  std::vector<bool> named(target.genes.nodes);
  std::size_t named_count = 0;
  for (const OptionValue& group : groups.list()) {
    NodeSet& nodes = result.emplace_back();
    for (const OptionValue& member : group.list()) {
      const NodeId node = read_node(member, target);
      if (named[node]) member.fail(fmt::format("node {} is in two groups, expected one", node));
      named[node] = true;
      ++named_count;
      nodes.push_back(node);
    }
    if (nodes.empty()) group.fail("expected at least one node, found none");
  }
  const std::size_t parts = result.size() + (named_count < named.size() ? 1 : 0);
  if (result.empty() || parts < 2) {
    groups.fail("expected groups that separate some nodes from others");
  }
  return result;
}

namespace {

MessageFilter read_filter(const Options& fault, const Target& target) {
  MessageFilter filter;
  if (const auto message = fault.find("message")) {
    const std::string name = message->text();
    filter.kind = target.description.find_kind(name);
    if (*filter.kind == kNoKind) fail_unknown_kind(*message, name, target.description);
  }
  if (const auto sender = fault.find("sender")) filter.from = read_node(*sender, target);
  if (const auto receiver = fault.find("receiver")) {
    filter.to = read_node(*receiver, target);
    if (filter.from == filter.to) {
      receiver->fail("a node does not send to itself, expected another node than the sender");
    }
  }
  return filter;
}

std::optional<std::uint32_t> read_count(const Options& fault) {
  const auto count = fault.find("count");
  if (!count) return std::nullopt;
  return static_cast<std::uint32_t>(count->integer(1, std::numeric_limits<std::uint32_t>::max()));
}

DropFault read_drop(const Options& fault, const Target& target) {
  return {read_filter(fault, target), read_window(fault), read_count(fault)};
}

DuplicateFault read_duplicate(const Options& fault, const Target& target) {
  DuplicateFault result{read_filter(fault, target), read_window(fault), read_count(fault), {}};
  if (const auto gap = fault.find("gap")) result.gap = read_duration(*gap);
  return result;
}

DelayFault read_delay(const Options& fault, const Target& target) {
  return {read_filter(fault, target), read_window(fault), read_count(fault),
          read_duration(fault.at("by"))};
}

std::uint64_t read_round(const OptionValue& value) {
  return static_cast<std::uint64_t>(value.integer(0, kRoundMax));
}

std::uint64_t read_seed(const Options& fault) {
  return static_cast<std::uint64_t>(fault.at("seed").integer(0, kSeedMax));
}

/// Nodes that `node` talks with; all others where the key is missing.
NodeSet read_peers(const Options& fault, std::string_view key, NodeId node, const Target& target) {
  NodeSet result;
  const auto list = fault.find(key);
  if (!list) return other_nodes(node, target.genes.nodes);
  for (const OptionValue& member : list->list()) {
    const NodeId peer = read_node(member, target);
    if (peer == node) member.fail(fmt::format("node {} does not send to itself", node));
    if (std::find(result.begin(), result.end(), peer) != result.end()) {
      member.fail(fmt::format("node {} is named twice, expected once", peer));
    }
    result.push_back(peer);
  }
  if (result.empty()) list->fail("expected at least one node, found none");
  return result;
}

// ---- faults

PartitionFault read_partition(const Options& fault, const Target& target) {
  return {read_groups(fault, target), read_anchored_window(fault, target)};
}

CrashFault read_crash(const Options& fault, const Target& target) {
  CrashFault result;
  result.node = read_node(fault.at("node"), target);
  if (const auto at_round = fault.find("at_round")) {
    if (fault.has("at")) at_round->fail("expected 'at' or 'at_round', found both");
    result.at_round = static_cast<std::uint64_t>(at_round->integer(0, kRoundMax));
  } else {
    result.at = read_duration(fault.at("at"));
  }
  if (const auto after = fault.find("restart_after")) result.restart_after = read_duration(*after);
  return result;
}

std::string read_field(const Options& fault, const Target& target) {
  const auto field = fault.find("field");
  if (!field) return {};
  std::vector<std::string> known;
  for (const PayloadDescription& payload : target.description.payloads) {
    for (std::size_t i = 0; i < payload.fields.size(); ++i) {
      if (!payload.setters[i] || i == payload.author) continue;
      if (payload.fields[i].name == field->text()) return field->text();
      known.push_back(payload.fields[i].name);
    }
  }
  std::string near = suggestion(field->text(), known);
  if (near.empty()) near = fmt::format(", expected one of {}", fmt::join(known, ", "));
  field->fail(
      fmt::format("no message has a field '{}' that can be changed{}", field->text(), near));
}

Fault read_mutate(const Options& fault, const Target& target) {
  static constexpr std::array<std::string_view, 2> kScopes{"small", "any"};
  MutateFault result;
  result.node = read_node(fault.at("node"), target);
  result.round = read_round(fault.at("round"));
  result.receivers = read_peers(fault, "receivers", result.node, target);
  result.seed = read_seed(fault);
  result.scope = static_cast<MutationScope>(fault.choice("scope", kScopes, 0));
  result.field = read_field(fault, target);
  return result;
}

Fault read_round_partition(const Options& fault, const Target& target) {
  return RoundPartitionFault{read_round(fault.at("round")), read_groups(fault, target)};
}

Fault read_silence(const Options& fault, const Target& target) {
  SilenceFault result;
  result.node = read_node(fault.at("node"), target);
  result.receivers = read_peers(fault, "receivers", result.node, target);
  if (const auto round = fault.find("round")) {
    result.round = read_round(*round);
    for (const std::string_view key : {"from", "until", "rounds"}) {
      if (fault.has(key)) fault.fail(key, "expected a protocol round or a span, found both");
    }
  } else {
    result.when = read_window(fault);
  }
  return result;
}

Fault read_replay(const Options& fault, const Target& target) {
  ReplayFault result;
  result.node = read_node(fault.at("node"), target);
  result.round = read_round(fault.at("round"));
  result.receivers = read_peers(fault, "receivers", result.node, target);
  result.seed = read_seed(fault);
  return result;
}

Fault read_noise(const Options& fault, const Target& target) {
  NoiseFault result;
  if (const auto node = fault.find("node")) result.node = read_node(*node, target);
  result.drop = fault.number("drop", 0, 0, 1);
  result.corrupt = fault.number("corrupt", 0, 0, 1);
  if (result.corrupt > 0 && !result.node) {
    fault.fail("corrupt", "expected 'node' beside it: corrupted messages make their sender a liar");
  }
  result.seed = read_seed(fault);
  result.when = read_window(fault);
  return result;
}

Fault read_twins(const Options& fault, const Target& target) {
  TwinsFault result;
  result.node = read_node(fault.at("node"), target);
  result.first = read_peers(fault, "first", result.node, target);
  result.second = read_peers(fault, "second", result.node, target);
  if (const auto apart = fault.find("apart_until")) result.apart_until = read_duration(*apart);
  return result;
}

Fault read_skew(const Options& fault, const Target& target) {
  SkewFault result;
  result.node = read_node(fault.at("node"), target);
  if (const auto offset = fault.find("offset")) {
    result.offset = offset->duration(true);
    if (result.offset > kVirtualTimeMax || result.offset < -kVirtualTimeMax) {
      offset->fail("expected an offset of at most 8760h");
    }
  }
  result.drift_ppm = static_cast<std::int32_t>(fault.integer("drift_ppm", 0, -500'000, 500'000));
  result.when = read_anchored_window(fault, target);
  return result;
}

/// Nodes in the order of the file, each once.
NodeSet read_set(const OptionValue& list, const Target& target) {
  NodeSet result;
  for (const OptionValue& member : list.list()) {
    const NodeId node = read_node(member, target);
    if (std::find(result.begin(), result.end(), node) != result.end()) {
      member.fail(fmt::format("node {} is named twice, expected once", node));
    }
    result.push_back(node);
  }
  if (result.empty()) list.fail("expected at least one node, found none");
  return result;
}

Fault read_outage(const Options& fault, const Target& target) {
  return OutageFault{read_set(fault.at("nodes"), target), read_anchored_window(fault, target)};
}

Fault read_pause(const Options& fault, const Target& target) {
  return PauseFault{read_set(fault.at("nodes"), target), read_anchored_window(fault, target)};
}

Fault read_cut(const Options& fault, const Target& target) {
  static constexpr std::array<std::string_view, 3> kShapes{"bridge", "ring", "one-way"};
  CutFault result;
  result.shape = static_cast<CutFault::Shape>(fault.at("shape").choice(kShapes));
  result.nodes = read_set(fault.at("nodes"), target);
  const std::size_t least = result.shape == CutFault::Shape::one_way  ? 1
                            : result.shape == CutFault::Shape::bridge ? 2
                                                                      : 4;
  if (result.nodes.size() < least) {
    fault.fail("nodes", fmt::format("expected at least {} nodes for this shape", least));
  }
  result.when = read_anchored_window(fault, target);
  return result;
}

Fault read_links(const Options& fault, const Target& target) {
  LinkFault result;
  const NodeSet all = other_nodes(kNoNode, target.genes.nodes);
  const auto senders = fault.find("senders");
  const auto receivers = fault.find("receivers");
  result.senders = senders ? read_set(*senders, target) : all;
  result.receivers = receivers ? read_set(*receivers, target) : all;
  result.loss = fault.number("loss", 0, 0, 1);
  result.duplicate = fault.number("duplicate", 0, 0, 1);
  if (const auto jitter = fault.find("jitter")) result.jitter = read_duration(*jitter);
  result.seed = read_seed(fault);
  result.when = read_anchored_window(fault, target);
  return result;
}

Fault read_disk(const Options& fault, const Target& target) {
  static constexpr std::array<std::string_view, 4> kTroubles{"slow", "error", "no-space",
                                                             "corrupt"};
  DiskFault result;
  result.node = read_node(fault.at("node"), target);
  result.trouble = static_cast<DiskFault::Trouble>(fault.at("trouble").choice(kTroubles));
  if (const auto extra = fault.find("extra")) {
    if (result.trouble != DiskFault::Trouble::slow) extra->fail("expected with trouble \"slow\"");
    result.extra = read_duration(*extra);
  }
  result.when = read_anchored_window(fault, target);
  return result;
}

}  // namespace

Fault read_fault(const Options& fault, const Target& target) {
  using Reader = Fault (*)(const Options&, const Target&);
  static constexpr std::array<std::string_view, std::variant_size_v<Fault>> kTypes{
      "drop",    "duplicate", "partition", "crash", "mutate", "round-partition",
      "silence", "replay",    "noise",     "twins", "skew",   "outage",
      "pause",   "cut",       "links",     "disk",  "delay"};
  static constexpr std::array<Reader, kTypes.size()> kReaders{
      [](const Options& f, const Target& t) -> Fault { return read_drop(f, t); },
      [](const Options& f, const Target& t) -> Fault { return read_duplicate(f, t); },
      [](const Options& f, const Target& t) -> Fault { return read_partition(f, t); },
      [](const Options& f, const Target& t) -> Fault { return read_crash(f, t); },
      read_mutate,
      read_round_partition,
      read_silence,
      read_replay,
      read_noise,
      read_twins,
      read_skew,
      read_outage,
      read_pause,
      read_cut,
      read_links,
      read_disk,
      [](const Options& f, const Target& t) -> Fault { return read_delay(f, t); }};
  Fault result = kReaders[fault.at("type").choice(kTypes)](fault, target);
  if (const auto obstacle = obstacle_to(result, target.description)) {
    fault.fail(obstacle->key, obstacle->text);
  }
  return result;
}

}  // namespace dissensus::faults
