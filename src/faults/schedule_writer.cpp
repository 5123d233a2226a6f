// Writes schedule documents: docs/formats/schedule.md. The same schedule always gives the same
// text, laid out for people: nothing that is a default, lines of at most 100 columns where
// possible.
#include <algorithm>

#include <fmt/format.h>

#include "core/assert.h"
#include "faults/json_members.h"
#include "faults/kinds.h"
#include "faults/schedule.h"

namespace dissensus::faults {

namespace {

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

// ---- messages

/// A line per gene that has delays.
std::string message_table(const MessageSchedule& schedule, const GeneSpace& genes,
                          const SystemDescription& description) {
  Members kinds;
  std::size_t next = 0;
  while (next < schedule.delays.size()) {
    const MessageKind kind = genes.gene(schedule.delays[next].gene).kind;
    Members pairs;
    while (next < schedule.delays.size()) {
      const std::uint32_t index = schedule.delays[next].gene;
      const GeneSpace::Gene gene = genes.gene(index);
      if (gene.kind != kind) break;
      Members numbers;
      for (; next < schedule.delays.size() && schedule.delays[next].gene == index; ++next) {
        const MessageSchedule::Delay& delay = schedule.delays[next];
        numbers.add_duration(fmt::to_string(delay.nth), delay.delay);
      }
      const std::string pair = fmt::format("{}>{}", gene.from, gene.to);
      pairs.add(pair, numbers.filled(8, 6 + quote(pair).size() + 2));
    }
    kinds.add(description.kinds[kind].name, pairs.one_per_line(4));
  }
  return kinds.empty() ? "{}" : kinds.one_per_line(2);
}

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
  if (const auto* messages = std::get_if<MessageSchedule>(&schedule.scheduler)) {
    document.add("messages", message_table(*messages, genes, description));
  }
  if (!schedule.faults.empty()) {
    std::vector<std::string> faults;
    for (const Fault& fault : schedule.faults) {
      faults.push_back(to_json(fault, description, nodes));
    }
    document.add("faults", fmt::format("[\n    {}\n  ]", fmt::join(faults, ",\n    ")));
  }
  return document.one_per_line(0) + "\n";
}

}  // namespace dissensus::faults
