#include "faults/words.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

/// Messages whose senders, receivers and kinds can be listed together.
struct MessageGroup {
  std::vector<MessageKind> kinds;
  NodeSet senders;
  NodeSet receivers;
  bool to_all_others = false;
};

/// Sorts (sender, receiver, kind, value) into as few groups of equal value as the steps find:
/// receivers of one sender, then senders with the same receivers, then kinds.
template <class Value>
class Grouping {
 public:
  explicit Grouping(std::size_t nodes) : nodes_(nodes) {}
  void add(NodeId from, NodeId to, MessageKind kind, const Value& value) {
    receivers_[{value, kind, from}].push_back(to);
  }
  /// By descending value.
  std::vector<std::pair<Value, MessageGroup>> groups() const {
    std::map<std::tuple<Value, MessageKind, bool, NodeSet>, NodeSet> senders;
    for (const auto& [key, receivers] : receivers_) {
      const auto& [value, kind, from] = key;
      const bool all = nodes_ > 2 && receivers.size() == nodes_ - 1;
      senders[{value, kind, all, all ? NodeSet{} : receivers}].push_back(from);
    }
    std::map<std::tuple<Value, bool, NodeSet, NodeSet>, std::vector<MessageKind>> kinds;
    for (const auto& [key, from] : senders) {
      const auto& [value, kind, all, receivers] = key;
      kinds[{value, all, from, receivers}].push_back(kind);
    }
    std::vector<std::pair<Value, MessageGroup>> result;
    for (const auto& [key, group_kinds] : kinds) {
      const auto& [value, all, from, receivers] = key;
      result.push_back({value, {group_kinds, from, receivers, all}});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return b.first < a.first; });
    return result;
  }

 private:
  std::size_t nodes_;
  std::map<std::tuple<Value, MessageKind, NodeId>, NodeSet> receivers_;
};

std::string words_of(const MessageGroup& group, const SystemDescription& description,
                     std::size_t nodes) {
  std::vector<std::string> kinds;
  for (const MessageKind kind : group.kinds) kinds.push_back(description.kinds.at(kind).name);
  const bool every_kind = kinds.size() == description.kinds.size();
  std::string text = every_kind ? "all messages" : "messages " + listed(kinds);
  if (group.to_all_others && group.senders.size() == nodes) return text;
  text += " from " + listed(group.senders);
  text += group.to_all_others ? " to all others" : " to " + listed(group.receivers);
  return text;
}

void add_delays(const DelaySchedule& schedule, const GeneSpace& genes,
                const SystemDescription& description, std::vector<std::string>& lines) {
  Grouping<std::uint32_t> grouping(genes.nodes);
  for (std::size_t index = 0; index < schedule.delay_ms.size(); ++index) {
    if (schedule.delay_ms[index] == 0) continue;
    const GeneSpace::Gene gene = genes.gene(index);
    grouping.add(gene.from, gene.to, gene.kind, schedule.delay_ms[index]);
  }
  for (const auto& [delay_ms, group] : grouping.groups()) {
    lines.push_back(fmt::format("{} arrive {} late", words_of(group, description, genes.nodes),
                                in_words(std::chrono::milliseconds(delay_ms))));
  }
}

void add_priorities(const PrioritySchedule& schedule, const GeneSpace& genes,
                    const SystemDescription& description, std::vector<std::string>& lines) {
  const std::size_t count = schedule.priority.size();
  lines.push_back(
      fmt::format("messages pass through one inbox, in the natural order of {} genes "
                  "(kind, sender, receiver) but for:",
                  count));
  for (const std::size_t index : out_of_order(schedule)) {
    const GeneSpace::Gene gene = genes.gene(index);
    const std::size_t place = count - schedule.priority[index] + 1;
    lines.push_back(fmt::format("messages {} from {} to {} come {}, as the {} of {}",
                                description.kinds.at(gene.kind).name, gene.from, gene.to,
                                place < index + 1 ? "earlier" : "later", ordinal(place), count));
  }
  if (lines.back().ends_with(':')) {
    lines.back() = "messages pass through one inbox, in the natural order of their genes";
  }
}

void add_messages(const MessageSchedule& schedule, const GeneSpace& genes,
                  const SystemDescription& description, std::vector<std::string>& lines) {
  std::map<std::pair<std::uint32_t, Duration>, std::vector<std::string>> numbers;
  for (const MessageSchedule::Delay& delay : schedule.delays) {
    if (delay.delay == Duration{}) continue;
    numbers[{delay.gene, delay.delay}].push_back(ordinal(std::uint64_t{delay.nth} + 1));
  }
  for (const auto& [key, nth] : numbers) {
    const GeneSpace::Gene gene = genes.gene(key.first);
    lines.push_back(fmt::format("the {} message {} from {} to {} {} {} late", listed(nth),
                                description.kinds.at(gene.kind).name, gene.from, gene.to,
                                nth.size() == 1 ? "arrives" : "arrive", in_words(key.second)));
  }
}

/// What happens to messages that differ in sender, receiver or kind alone shares a sentence.
void add_faults(const std::vector<Fault>& faults, const SystemDescription& description,
                std::size_t nodes, std::vector<std::string>& lines) {
  Grouping<std::string> grouping(nodes);
  for (const Fault& fault : faults) {
    const MessageFilter* const filter = filter_of(fault);
    if (filter != nullptr && filter->from && filter->to && filter->kind) {
      grouping.add(*filter->from, *filter->to, *filter->kind, fault.kind().fate(fault.value()));
    } else {
      lines.push_back(in_words(fault, description, nodes));
    }
  }
  for (const auto& [what, group] : grouping.groups()) {
    const bool several = group.kinds.size() > 1 || group.senders.size() > 1 ||
                         group.receivers.size() > 1 || group.to_all_others;
    const bool limited = what.find("at most") != std::string::npos;
    lines.push_back(words_of(group, description, nodes) + what +
                    (several && limited ? " each" : ""));
  }
}

}  // namespace

Duration longest_delay(const Schedule& schedule) {
  Duration longest{};
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    for (const std::uint32_t delay : delays->delay_ms) {
      longest = std::max<Duration>(longest, std::chrono::milliseconds(delay));
    }
  } else if (const auto* messages = std::get_if<MessageSchedule>(&schedule.scheduler)) {
    for (const MessageSchedule::Delay& delay : messages->delays) {
      longest = std::max(longest, delay.delay);
    }
  }
  return longest;
}

std::string summary(const Schedule& schedule) {
  std::string text;
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    const auto delayed = std::count_if(delays->delay_ms.begin(), delays->delay_ms.end(),
                                       [](std::uint32_t delay) { return delay != 0; });
    text = fmt::format("delays on {} of {} genes (kind of message, sender, receiver)", delayed,
                       delays->delay_ms.size());
  } else if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule.scheduler)) {
    text = fmt::format("priorities of {} genes (kind of message, sender, receiver)",
                       priorities->priority.size());
  } else if (const auto* messages = std::get_if<MessageSchedule>(&schedule.scheduler)) {
    const auto delayed = std::count_if(
        messages->delays.begin(), messages->delays.end(),
        [](const MessageSchedule::Delay& delay) { return delay.delay != Duration{}; });
    text = fmt::format("delays of {} single {}", delayed, delayed == 1 ? "message" : "messages");
  }
  if (const Duration longest = longest_delay(schedule); longest != Duration{}) {
    text += ", up to " + in_words(longest);
  }
  if (const std::size_t faults = schedule.faults.size(); faults > 0) {
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", faults, faults == 1 ? "fault" : "faults");
  }
  return text.empty() ? "none" : text;
}

std::string in_words(const Fault& fault, const SystemDescription& description, std::size_t nodes) {
  const FaultKind& kind = fault.kind();
  if (kind.fate) return words_of(*filter_of(fault), description) + kind.fate(fault.value());
  return kind.words(fault.value(), {description, nodes});
}

std::vector<std::size_t> out_of_order(const PrioritySchedule& schedule) {
  // The longest run of genes whose priorities descend; patience sorting.
  const std::size_t count = schedule.priority.size();
  std::vector<std::size_t> tails;
  std::vector<std::size_t> before(count, count);
  for (std::size_t gene = 0; gene < count; ++gene) {
    const auto place = std::partition_point(tails.begin(), tails.end(), [&](std::size_t tail) {
      return schedule.priority[tail] > schedule.priority[gene];
    });
    if (place != tails.begin()) before[gene] = *(place - 1);
    if (place == tails.end()) {
      tails.push_back(gene);
    } else {
      *place = gene;
    }
  }
  std::vector<bool> in_order(count);
  for (std::size_t gene = tails.empty() ? count : tails.back(); gene < count; gene = before[gene]) {
    in_order[gene] = true;
  }
  std::vector<std::size_t> result;
  for (std::size_t gene = 0; gene < count; ++gene) {
    if (!in_order[gene]) result.push_back(gene);
  }
  return result;
}

std::vector<std::string> in_words(const Schedule& schedule, const SystemDescription& description,
                                  std::size_t nodes) {
  const GeneSpace genes{nodes, description.kinds.size()};
  std::vector<std::string> lines;
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    add_delays(*delays, genes, description, lines);
  } else if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule.scheduler)) {
    add_priorities(*priorities, genes, description, lines);
  } else if (const auto* messages = std::get_if<MessageSchedule>(&schedule.scheduler)) {
    add_messages(*messages, genes, description, lines);
  }
  add_faults(schedule.faults, description, nodes, lines);
  if (lines.empty())
    lines.emplace_back("no delay and no fault beyond what the scenario itself draws");
  return lines;
}

}  // namespace dissensus::faults
