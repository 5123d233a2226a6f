// Writes schedule documents: docs/formats/schedule.md. The same schedule always gives the same
// text, laid out for people: nothing that is a default, lines of at most 100 columns where
// possible.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/assert.h"
#include "faults/schedule.h"

namespace dissensus::faults {

namespace {

constexpr std::size_t kColumns = 100;

std::string quote(std::string_view text) {
  return nlohmann::json(text).dump();
}

/// The members of a JSON object, rendered.
class Members {
 public:
  void add(std::string_view key, std::string_view value) {
    items_.push_back(fmt::format("{}: {}", quote(key), value));
  }
  void add_text(std::string_view key, std::string_view text) { add(key, quote(text)); }
  void add_number(std::string_view key, std::uint64_t number) { add(key, fmt::to_string(number)); }
  void add_duration(std::string_view key, Duration duration) { add_text(key, to_string(duration)); }

  bool empty() const { return items_.empty(); }
  std::string on_one_line() const { return fmt::format("{{{}}}", fmt::join(items_, ", ")); }
  std::string one_per_line(std::size_t indent) const {
    const std::string separator = fmt::format(",\n{:{}}", "", indent + 2);
    return fmt::format("{{\n{:{}}{}\n{:{}}}}", "", indent + 2, fmt::join(items_, separator), "",
                       indent);
  }
  /// As many per line as fit, the first of them at `column`.
  std::string filled(std::size_t indent, std::size_t column) const {
    std::string result = "{";
    std::size_t used = column + 1;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::size_t needed = items_[i].size() + 2;  // a comma, or what closes the object
      if (i > 0 && used + 1 + needed > kColumns) {
        result += fmt::format("\n{:{}}", "", indent);
        used = indent;
      } else if (i > 0) {
        result += ' ';
        ++used;
      }
      result += items_[i];
      if (i + 1 < items_.size()) result += ',';
      used += needed;
    }
    return result + '}';
  }

 private:
  std::vector<std::string> items_;
};

// ---- genes

using GeneMembers = std::vector<std::pair<std::string, Members>>;

/// Values by kind and pair; zeros are left out, a kind whose pairs all agree is one wildcard.
GeneMembers gene_members(const std::vector<std::uint32_t>& values, const GeneSpace& genes,
                         const SystemDescription& description, bool wildcards) {
  GeneMembers result;
  const std::size_t pairs = genes.kinds == 0 ? 0 : genes.size() / genes.kinds;
  for (std::size_t kind = 0; kind < genes.kinds && pairs > 0; ++kind) {
    Members members;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(kind * pairs);
    const auto end = first + static_cast<std::ptrdiff_t>(pairs);
    if (wildcards && *first != 0 && std::all_of(first, end, [&](auto v) { return v == *first; })) {
      members.add_number("*>*", *first);
    } else {
      for (std::size_t index = kind * pairs; index < (kind + 1) * pairs; ++index) {
        if (values[index] == 0) continue;
        const GeneSpace::Gene gene = genes.gene(index);
        members.add_number(fmt::format("{}>{}", gene.from, gene.to), values[index]);
      }
    }
    if (!members.empty()) result.emplace_back(description.kinds[kind].name, std::move(members));
  }
  return result;
}

std::string gene_table(std::string_view key, const GeneMembers& kinds) {
  Members flat;
  Members tall;
  for (const auto& [name, members] : kinds) {
    flat.add(name, members.on_one_line());
    tall.add(name, members.filled(6, 4 + quote(name).size() + 2));
  }
  const std::string line = flat.on_one_line();
  const bool fits = 2 + quote(key).size() + 2 + line.size() + 1 <= kColumns;
  return fits ? line : tall.one_per_line(2);
}

std::string rate_table(const PriorityRate& rate) {
  Members members;
  const auto add = [&](std::string_view key, double value) {
    members.add(key, fmt::format("{}", value));  // the shortest text that reads back exactly
  };
  add("base", rate.base);
  add("min", rate.min);
  add("max", rate.max);
  add("target", rate.target);
  add("overflow", rate.overflow);
  add("underflow", rate.underflow);
  add("sensitivity", rate.sensitivity);
  return members.filled(4, 2 + quote("rate").size() + 2);
}

// ---- faults

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

struct FaultWriter {
  const SystemDescription& description;

  Members operator()(const DropFault& fault) const {
    Members members;
    members.add_text("type", "drop");
    add_filter(members, fault.messages, description);
    add_window(members, fault.when);
    if (fault.count) members.add_number("count", *fault.count);
    return members;
  }
  Members operator()(const DuplicateFault& fault) const {
    Members members;
    members.add_text("type", "duplicate");
    add_filter(members, fault.messages, description);
    add_window(members, fault.when);
    if (fault.count) members.add_number("count", *fault.count);
    if (fault.gap != Duration{}) members.add_duration("gap", fault.gap);
    return members;
  }
  Members operator()(const PartitionFault& fault) const {
    std::vector<std::string> groups;
    for (const NodeSet& group : fault.groups) {
      groups.push_back(fmt::format("[{}]", fmt::join(group, ", ")));
    }
    Members members;
    members.add_text("type", "partition");
    members.add("groups", fmt::format("[{}]", fmt::join(groups, ", ")));
    add_window(members, fault.when);
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
};

}  // namespace

std::string to_json(const Schedule& schedule, const SystemDescription& description,
                    std::size_t nodes) {
  const GeneSpace genes{nodes, description.kinds.size()};
  Members document;
  document.add_text("format", kScheduleFormat);
  document.add_text("system", description.name);
  document.add_number("nodes", nodes);
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    DISSENSUS_ASSERT(delays->delay_ms.size() == genes.size(), "to_json : one delay per gene");
    document.add("delays_ms",
                 gene_table("delays_ms", gene_members(delays->delay_ms, genes, description, true)));
  }
  if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule.scheduler)) {
    DISSENSUS_ASSERT(priorities->priority.size() == genes.size(),
                     "to_json : one priority per gene");
    document.add("priorities", gene_table("priorities", gene_members(priorities->priority, genes,
                                                                     description, false)));
    document.add("rate", rate_table(priorities->rate));
  }
  if (!schedule.faults.empty()) {
    std::vector<std::string> faults;
    for (const Fault& fault : schedule.faults) {
      faults.push_back(std::visit(FaultWriter{description}, fault).on_one_line());
    }
    document.add("faults", fmt::format("[\n    {}\n  ]", fmt::join(faults, ",\n    ")));
  }
  return document.one_per_line(0) + "\n";
}

}  // namespace dissensus::faults
