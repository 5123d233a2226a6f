// Reads schedule documents: docs/formats/schedule.md.
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/limits.h"
#include "core/suggestion.h"
#include "faults/schedule.h"

namespace dissensus::faults {

namespace {

/// What the document must be written for.
struct Target {
  const SystemDescription& description;
  GeneSpace genes;
};

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

/// Bounded, so that sums of a few durations cannot overflow.
Duration read_duration(const OptionValue& value) {
  const Duration duration = value.duration();
  if (duration > kVirtualTimeMax) {
    value.fail(fmt::format("expected a duration of at most {}h, found '{}'",
                           std::chrono::duration_cast<std::chrono::hours>(kVirtualTimeMax).count(),
                           value.text()));
  }
  return duration;
}

// ---- genes

/// A key such as "1>2", "*>2", "1>*" or "*>*".
struct PairPattern {
  std::optional<NodeId> from;
  std::optional<NodeId> to;

  /// Of two patterns that match a pair the one with the higher rank counts.
  int rank() const { return (from ? 2 : 0) + (to ? 1 : 0); }
  bool matches(const GeneSpace::Gene& gene) const {
    return (!from || *from == gene.from) && (!to || *to == gene.to);
  }
};

std::optional<NodeId> read_end(std::string_view text, bool wildcards, const OptionValue& place,
                               const Target& target) {
  if (text == "*" && wildcards) return std::nullopt;
  std::size_t node = 0;
  const char* const end = text.data() + text.size();
  const auto [position, error] = std::from_chars(text.data(), end, node);
  const bool overflow = error == std::errc::result_out_of_range;
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  if (position != end || (error != std::errc() && !overflow) || leading_zero) {
    place.fail(wildcards ? "expected a key such as '0>2', '*>2', '0>*' or '*>*'"
                         : "expected a key such as '0>2'");
  }
  if (overflow || node >= target.genes.nodes) {
    place.fail(fmt::format("there is no node {}, expected 0 to {}", text, target.genes.nodes - 1));
  }
  return static_cast<NodeId>(node);
}

PairPattern read_pair(std::string_view key, bool wildcards, const OptionValue& place,
                      const Target& target) {
  const std::size_t arrow = key.find('>');
  const std::string_view receiver =
      arrow == std::string_view::npos ? std::string_view() : key.substr(arrow + 1);
  const PairPattern pair{read_end(key.substr(0, arrow), wildcards, place, target),
                         read_end(receiver, wildcards, place, target)};
  if (pair.from && pair.from == pair.to) {
    place.fail("a node does not send to itself, expected two different nodes");
  }
  return pair;
}

/// The value of one key below a kind, for all genes that the key stands for.
struct GeneValue {
  MessageKind kind;
  PairPattern pair;
  std::uint32_t value;
  OptionValue place;
};

std::vector<GeneValue> read_gene_values(const Options& kinds, bool wildcards, std::int64_t min,
                                        std::int64_t max, const Target& target) {
  std::vector<GeneValue> result;
  for (const std::string& kind_name : kinds.keys()) {
    const OptionValue kind_value = kinds.at(kind_name);
    const MessageKind kind = target.description.find_kind(kind_name);
    if (kind == kNoKind) fail_unknown_kind(kind_value, kind_name, target.description);
    const Options pairs = kind_value.table();
    for (const std::string& key : pairs.keys()) {
      const OptionValue place = pairs.at(key);
      const PairPattern pair = read_pair(key, wildcards, place, target);
      result.push_back({kind, pair, static_cast<std::uint32_t>(place.integer(min, max)), place});
    }
  }
  return result;
}

DelaySchedule read_delays(const Options& kinds, const Target& target) {
  std::vector<GeneValue> values = read_gene_values(kinds, true, 0, kDelayMsMax, target);
  std::stable_sort(values.begin(), values.end(), [](const GeneValue& a, const GeneValue& b) {
    return a.pair.rank() < b.pair.rank();
  });
  DelaySchedule schedule;
  schedule.delay_ms.resize(target.genes.size());
  const std::size_t pairs = target.genes.nodes * (target.genes.nodes - 1);
  for (const GeneValue& value : values) {
    if (value.pair.rank() == 3) {
      schedule.delay_ms[target.genes.index(*value.pair.from, *value.pair.to, value.kind)] =
          value.value;
      continue;
    }
    for (std::size_t gene = value.kind * pairs; gene < (value.kind + 1u) * pairs; ++gene) {
      if (value.pair.matches(target.genes.gene(gene))) schedule.delay_ms[gene] = value.value;
    }
  }
  return schedule;
}

std::string gene_name(std::size_t index, const Target& target) {
  const GeneSpace::Gene gene = target.genes.gene(index);
  return fmt::format("{} {}>{}", target.description.kinds[gene.kind].name, gene.from, gene.to);
}

std::vector<std::uint32_t> read_priorities(const Options& kinds, const Target& target) {
  const std::size_t size = target.genes.size();
  std::vector<std::uint32_t> priority(size);
  std::vector<std::size_t> holder(size + 1, size);  // by priority: the gene that has it
  for (const GeneValue& value :
       read_gene_values(kinds, false, 1, static_cast<std::int64_t>(size), target)) {
    const std::size_t gene = target.genes.index(*value.pair.from, *value.pair.to, value.kind);
    if (holder[value.value] != size) {
      value.place.fail(
          fmt::format("priority {} is that of {} already, expected each of 1 to {} once",
                      value.value, gene_name(holder[value.value], target), size));
    }
    holder[value.value] = gene;
    priority[gene] = value.value;
  }
  const auto missing = std::find(priority.begin(), priority.end(), 0u);
  if (missing != priority.end()) {
    kinds.fail(fmt::format("{} has no priority, expected each of 1 to {} once",
                           gene_name(static_cast<std::size_t>(missing - priority.begin()), target),
                           size));
  }
  return priority;
}

PriorityRate read_rate(const Options& options) {
  // Narrow enough that no interval between two releases is zero or endless.
  constexpr double kShareMin = 1e-6;
  constexpr double kShareMax = 1e6;
  constexpr double kSizeMax = 1e9;
  PriorityRate rate;
  rate.base = options.number("base", rate.base, kShareMin, kShareMax);
  rate.min = options.number("min", rate.min, kShareMin, kShareMax);
  rate.max = options.number("max", rate.max, kShareMin, kShareMax);
  rate.target = options.number("target", rate.target, 0, kSizeMax);
  rate.overflow = options.number("overflow", rate.overflow, 0, kSizeMax);
  rate.underflow = options.number("underflow", rate.underflow, 0, kSizeMax);
  rate.sensitivity = options.number("sensitivity", rate.sensitivity, 1, kSizeMax);
  if (rate.min > rate.base || rate.base > rate.max) {
    options.fail(fmt::format("expected min <= base <= max, found min {}, base {}, max {}", rate.min,
                             rate.base, rate.max));
  }
  if (rate.underflow > rate.overflow) {
    options.fail(fmt::format("expected underflow <= overflow, found underflow {}, overflow {}",
                             rate.underflow, rate.overflow));
  }
  return rate;
}

// ---- faults

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

PartitionFault read_partition(const Options& fault, const Target& target) {
  PartitionFault result;
  const OptionValue groups = fault.at("groups");
  std::vector<bool> named(target.genes.nodes);
  std::size_t named_count = 0;
  for (const OptionValue& group : groups.list()) {
    NodeSet& nodes = result.groups.emplace_back();
    for (const OptionValue& member : group.list()) {
      const NodeId node = read_node(member, target);
      if (named[node]) member.fail(fmt::format("node {} is in two groups, expected one", node));
      named[node] = true;
      ++named_count;
      nodes.push_back(node);
    }
    if (nodes.empty()) group.fail("expected at least one node, found none");
  }
  const std::size_t parts = result.groups.size() + (named_count < named.size() ? 1 : 0);
  if (result.groups.empty() || parts < 2) {
    groups.fail("expected groups that separate some nodes from others");
  }
  result.when = read_window(fault);
  return result;
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

Fault read_fault(const Options& fault, const Target& target) {
  static constexpr std::array<std::string_view, 4> kTypes{"drop", "duplicate", "partition",
                                                          "crash"};
  switch (fault.at("type").choice(kTypes)) {
    case 0:
      return read_drop(fault, target);
    case 1:
      return read_duplicate(fault, target);
    case 2:
      return read_partition(fault, target);
    default:
      return read_crash(fault, target);
  }
}

// ---- the document

void check_header(const Options& document, const Target& target) {
  const OptionValue format = document.at("format");
  if (format.text() != kScheduleFormat) {
    format.fail(fmt::format("expected '{}', found '{}'", kScheduleFormat, format.text()));
  }
  const OptionValue system = document.at("system");
  if (system.text() != target.description.name) {
    system.fail(fmt::format("the schedule is for system '{}', expected '{}'", system.text(),
                            target.description.name));
  }
  const OptionValue nodes = document.at("nodes");
  const std::int64_t count = nodes.integer(1, kMaxNodes);
  if (static_cast<std::size_t>(count) != target.genes.nodes) {
    nodes.fail(fmt::format("the schedule is for {} nodes, expected {}", count, target.genes.nodes));
  }
}

}  // namespace

Schedule read_schedule(const Options& document, const SystemDescription& description,
                       std::size_t nodes) {
  const Target target{description, {nodes, description.kinds.size()}};
  check_header(document, target);
  Schedule schedule;
  const auto delays = document.find("delays_ms");
  const auto priorities = document.find("priorities");
  const auto rate = document.find("rate");
  if (delays && priorities) priorities->fail("expected 'delays_ms' or 'priorities', found both");
  if (rate && !priorities) rate->fail("expected 'priorities' beside it, found none");
  if (delays) schedule.scheduler = read_delays(delays->table(), target);
  if (priorities) {
    schedule.scheduler = PrioritySchedule{read_priorities(priorities->table(), target),
                                          rate ? read_rate(rate->table()) : PriorityRate{}};
  }
  const std::vector<Options> faults = document.tables("faults");
  if (faults.size() > kFaultsMax) {
    document.fail("faults",
                  fmt::format("expected at most {} faults, found {}", kFaultsMax, faults.size()));
  }
  for (const Options& fault : faults) schedule.faults.push_back(read_fault(fault, target));
  document.finish();
  return schedule;
}

Schedule parse_schedule(std::string_view json, std::string name,
                        const SystemDescription& description, std::size_t nodes) {
  if (json.size() > kScheduleBytesMax) {
    throw InputError(fmt::format("{}: expected at most {} bytes, found {}", name, kScheduleBytesMax,
                                 json.size()));
  }
  return read_schedule(Options::from_json(json, std::move(name)), description, nodes);
}

}  // namespace dissensus::faults
