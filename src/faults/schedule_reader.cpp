// Reads schedule documents: docs/formats/schedule.md.
#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "core/limits.h"
#include "faults/kinds.h"
#include "faults/public_instance.h"
#include "faults/release_rate.h"
#include "faults/schedule.h"

namespace dissensus::faults {

namespace {

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

/// Calls visit(kind, pair, value) for each key below each kind, such as 0>2 below Proposal.
template <class Visit>
void for_each_pair(const Options& kinds, bool wildcards, const Target& target, Visit visit) {
  for (const std::string& kind_name : kinds.keys()) {
    const OptionValue kind_value = kinds.at(kind_name);
    const MessageKind kind = target.description.find_kind(kind_name);
    if (kind == kNoKind) fail_unknown_kind(kind_value, kind_name, target.description);
    const Options pairs = kind_value.table();
    for (const std::string& key : pairs.keys()) {
      const OptionValue place = pairs.at(key);
      visit(kind, read_pair(key, wildcards, place, target), place);
    }
  }
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
  for_each_pair(kinds, wildcards, target,
                [&](MessageKind kind, const PairPattern& pair, const OptionValue& place) {
                  const auto value = static_cast<std::uint32_t>(place.integer(min, max));
                  result.push_back({kind, pair, value, place});
                });
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

std::uint32_t read_message_number(std::string_view text, const OptionValue& place) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [position, error] = std::from_chars(text.data(), end, number);
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  if (error != std::errc() || position != end || leading_zero) {
    place.fail("expected the number of a message as key, such as '0' for the first one");
  }
  return number;
}

MessageSchedule read_messages(const Options& kinds, const Target& target) {
  MessageSchedule schedule;
  const auto read_one = [&](MessageKind kind, const PairPattern& pair, const OptionValue& place) {
    const std::size_t gene = target.genes.index(*pair.from, *pair.to, kind);
    const Options numbers = place.table();
    for (const std::string& number : numbers.keys()) {
      const OptionValue delay = numbers.at(number);
      const std::uint32_t nth = read_message_number(number, delay);
      if (delay.duration() == Duration{}) continue;
      schedule.delays.push_back({static_cast<std::uint32_t>(gene), nth, delay.duration()});
    }
  };
  for_each_pair(kinds, false, target, read_one);
  std::sort(schedule.delays.begin(), schedule.delays.end(), [](const auto& a, const auto& b) {
    return std::tie(a.gene, a.nth) < std::tie(b.gene, b.nth);
  });
  return schedule;
}

// ---- the document

void check_header(const Options& document, const Target& target) {
  if (!document.has("format")) {
    document.fail("format", fmt::format("missing, expected '{}'", kScheduleFormat));
  }
  const OptionValue format = document.at("format");
  if (format.text() != kScheduleFormat) {
    format.fail(fmt::format("expected '{}', found '{}'", kScheduleFormat, format.text()));
  }
  const OptionValue system = document.at("system");
  const std::vector<std::string>& others = target.description.same_messages_as;
  if (system.text() != target.description.name &&
      std::find(others.begin(), others.end(), system.text()) == others.end()) {
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
  if (is_public_instance(document)) {
    Schedule schedule = read_public_instance(document, nodes);
    for (const Fault& fault : schedule.faults) {
      if (const auto obstacle = obstacle_to(fault, description)) document.fail(obstacle->text);
    }
    return schedule;
  }
  const Target target{description, {nodes, description.kinds.size()}};
  check_header(document, target);
  Schedule schedule;
  const auto delays = document.find("delays_ms");
  const auto priorities = document.find("priorities");
  const auto rate = document.find("rate");
  if (delays && priorities) priorities->fail("expected 'delays_ms' or 'priorities', found both");
  const auto messages = document.find("messages");
  if (messages && (delays || priorities)) {
    messages->fail("expected one of 'delays_ms', 'priorities' and 'messages', found two");
  }
  if (rate && !priorities) rate->fail("expected 'priorities' beside it, found none");
  if (delays) schedule.scheduler = read_delays(delays->table(), target);
  if (messages) schedule.scheduler = read_messages(messages->table(), target);
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
  if (is_public_result(json)) {
    Schedule schedule = read_public_result(json, name, nodes);
    for (const Fault& fault : schedule.faults) {
      const auto obstacle = obstacle_to(fault, description);
      if (obstacle) throw InputError(fmt::format("{}:1: {}", name, obstacle->text));
    }
    return schedule;
  }
  return read_schedule(Options::from_json(json, std::move(name)), description, nodes);
}

}  // namespace dissensus::faults
