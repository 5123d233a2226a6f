#include "faults/words.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace dissensus::faults {

namespace {

/// "1", "1 and 2", "1, 2 and 3".
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string listed(const NodeSet& nodes) {
  std::vector<std::string> items;
  for (const NodeId node : nodes) items.push_back(fmt::to_string(node));
  return listed(items);
}

std::string ordinal(std::uint64_t number) {
  const std::uint64_t last = number % 10;
  const bool teen = number / 10 % 10 == 1;
  const char* const ending = teen        ? "th"
                             : last == 1 ? "st"
                             : last == 2 ? "nd"
                             : last == 3 ? "rd"
                                         : "th";
  return fmt::format("{}{}", number, ending);
}

std::string words_of(const Window& window) {
  if (window.by_round()) {
    const std::uint64_t first = *window.from_round;
    if (!window.until_round) return fmt::format(" from round {} on", first);
    if (*window.until_round == first + 1) return fmt::format(" in round {}", first);
    return fmt::format(" in rounds {} to {}", first, *window.until_round - 1);
  }
  if (!window.until) {
    return window.from == Duration{} ? "" : fmt::format(" from {} on", in_words(window.from));
  }
  if (window.from == Duration{}) return fmt::format(" until {}", in_words(*window.until));
  return fmt::format(" from {} to {}", in_words(window.from), in_words(*window.until));
}

/// "when node 2 enters leader for the 3rd time".
std::string words_of(const Anchor& anchor, const SystemDescription& description) {
  const std::string who = anchor.node ? fmt::format("node {}", *anchor.node) : "some node (N)";
  const std::string what =
      anchor.phase ? description.phases.at(*anchor.phase) : fmt::format("round {}", *anchor.round);
  std::string text = fmt::format("{} enters {}", who, what);
  if (anchor.nth > 1) {
    text += anchor.node ? fmt::format(" for the {} time", ordinal(anchor.nth))
                        : fmt::format(", the {} time that one does", ordinal(anchor.nth));
  }
  if (anchor.before) text += fmt::format(" before {}", in_words(*anchor.before));
  return text;
}

std::string words_of(const Window& window, const SystemDescription& description) {
  if (!window.after) return words_of(window);
  const std::string anchor = words_of(*window.after, description);
  std::string text = window.from == Duration{}
                         ? fmt::format(" when {}", anchor)
                         : fmt::format(" {} after {}", in_words(window.from), anchor);
  const bool next = window.after->until_next;
  if (next) text += ", until one does again";
  if (window.until) {
    text += fmt::format("{} {}", next ? " or for" : ", for", in_words(*window.until - window.from));
  }
  return text;
}

/// Node numbers of an anchored fault may count from the node that did what it waits for.
std::string node_words(NodeId node, const Window& window) {
  if (!window.after || !window.after->relative) return fmt::to_string(node);
  return node == 0 ? "N" : fmt::format("N+{}", node);
}
std::string listed(const NodeSet& nodes, const Window& window) {
  std::vector<std::string> items;
  for (const NodeId node : nodes) items.push_back(node_words(node, window));
  return listed(items);
}

std::string words_of(const std::vector<NodeSet>& groups, std::size_t nodes,
                     const Window& window = {}) {
  std::vector<std::string> parts;
  std::size_t named = 0;
  for (const NodeSet& group : groups) {
    parts.push_back(listed(group, window));
    named += group.size();
  }
  if (named < nodes) parts.emplace_back("the others");
  return fmt::format("{}", fmt::join(parts, " | "));
}

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

std::string words_of(const MessageFilter& filter, const SystemDescription& description) {
  std::string text = filter.kind ? "messages " + description.kinds.at(*filter.kind).name
                                 : std::string("all messages");
  if (filter.from) text += fmt::format(" from {}", *filter.from);
  if (filter.to) text += fmt::format(" to {}", *filter.to);
  return text;
}

/// ", at most 3" and ", the copy 30 ms later".
std::string words_of_loss(const DropFault& fault) {
  const std::string limit = fault.count ? fmt::format(", at most {}", *fault.count) : "";
  return " are lost" + words_of(fault.when) + limit;
}
std::string words_of_copies(const DuplicateFault& fault) {
  std::string text = " arrive twice" + words_of(fault.when);
  if (fault.gap != Duration{}) text += fmt::format(", the copy {} later", in_words(fault.gap));
  if (fault.count) text += fmt::format(", at most {}", *fault.count);
  return text;
}
std::string words_of_lateness(const DelayFault& fault) {
  const std::string limit = fault.count ? fmt::format(", at most {}", *fault.count) : "";
  return fmt::format(" are {} late{}{}", in_words(fault.by), words_of(fault.when), limit);
}

struct FaultWords {
  const SystemDescription& description;
  std::size_t nodes;

  std::string operator()(const DropFault& fault) const {
    return words_of(fault.messages, description) + words_of_loss(fault);
  }
  std::string operator()(const DuplicateFault& fault) const {
    return words_of(fault.messages, description) + words_of_copies(fault);
  }
  std::string operator()(const DelayFault& fault) const {
    return words_of(fault.messages, description) + words_of_lateness(fault);
  }
  std::string operator()(const PartitionFault& fault) const {
    return fmt::format("a partition separates {}{}", words_of(fault.groups, nodes, fault.when),
                       words_of(fault.when, description));
  }
  std::string operator()(const CrashFault& fault) const {
    if (fault.at == Duration{} && !fault.restart_after) {
      return fmt::format("node {} is down from the start", fault.node);
    }
    const std::string when = fault.at ? "at " + in_words(*fault.at)
                                      : fmt::format("when it enters round {}", *fault.at_round);
    const std::string then = fault.restart_after
                                 ? fmt::format("restarts {} later", in_words(*fault.restart_after))
                                 : std::string("stays down");
    return fmt::format("node {} crashes {} and {}", fault.node, when, then);
  }
  std::string operator()(const MutateFault& fault) const {
    const std::string field = fault.field.empty() ? "one field" : "field " + fault.field;
    return fmt::format("in protocol round {} node {} lies to {}: {} is changed {} (seed {})",
                       fault.round, fault.node, listed(fault.receivers), field,
                       fault.scope == MutationScope::small ? "a little" : "to anything",
                       fault.seed);
  }
  std::string operator()(const RoundPartitionFault& fault) const {
    return fmt::format("in protocol round {} a partition separates {}", fault.round,
                       words_of(fault.groups, nodes));
  }
  std::string operator()(const SilenceFault& fault) const {
    const std::string when =
        fault.round ? fmt::format(" in protocol round {}", *fault.round) : words_of(fault.when);
    return fmt::format("node {} is silent to {}{}", fault.node, listed(fault.receivers), when);
  }
  std::string operator()(const ReplayFault& fault) const {
    return fmt::format("in protocol round {} node {} repeats an earlier message to {} (seed {})",
                       fault.round, fault.node, listed(fault.receivers), fault.seed);
  }
  std::string operator()(const NoiseFault& fault) const {
    std::vector<std::string> parts;
    if (fault.drop > 0) parts.push_back(fmt::format("{:g} % are lost", fault.drop * 100));
    if (fault.corrupt > 0)
      parts.push_back(fmt::format("{:g} % are corrupted", fault.corrupt * 100));
    if (parts.empty()) parts.emplace_back("none is lost");
    const std::string whose =
        fault.node ? fmt::format("the messages of node {}", *fault.node) : "all messages";
    return fmt::format("of {} {}{} (seed {})", whose, listed(parts), words_of(fault.when),
                       fault.seed);
  }
  std::string operator()(const TwinsFault& fault) const {
    return fmt::format("node {} runs twice: one copy talks with {}, the other with {}", fault.node,
                       listed(fault.first), listed(fault.second));
  }
  std::string operator()(const SkewFault& fault) const {
    std::vector<std::string> parts;
    if (fault.offset > Duration{}) parts.push_back("is " + in_words(fault.offset) + " ahead");
    if (fault.offset < Duration{}) parts.push_back("is " + in_words(-fault.offset) + " behind");
    if (fault.drift_ppm != 0) parts.push_back(fmt::format("drifts by {} ppm", fault.drift_ppm));
    if (parts.empty()) parts.emplace_back("is right");
    return fmt::format("the clock of node {} {}{}", node_words(fault.node, fault.when),
                       listed(parts), words_of(fault.when, description));
  }
  std::string operator()(const OutageFault& fault) const {
    const bool one = fault.nodes.size() == 1;
    std::string text =
        fmt::format("{} {} {}{}", one ? "node" : "nodes", listed(fault.nodes, fault.when),
                    one ? "crashes" : "crash", words_of_moment(fault.when));
    if (!fault.when.until) return text + (one ? " and stays down" : " and stay down");
    return text + fmt::format(" and {} {} later", one ? "restarts" : "restart",
                              in_words(*fault.when.until - fault.when.from));
  }
  std::string operator()(const PauseFault& fault) const {
    const bool one = fault.nodes.size() == 1;
    return fmt::format("{} {} {}{}", one ? "node" : "nodes", listed(fault.nodes, fault.when),
                       one ? "stands still" : "stand still", words_of(fault.when, description));
  }
  std::string operator()(const CutFault& fault) const {
    const std::string when = words_of(fault.when, description);
    const NodeSet rest(fault.nodes.begin() + 1, fault.nodes.end());
    switch (fault.shape) {
      case CutFault::Shape::bridge:
        return fmt::format("a partition separates {} | the others, and only {} hears both{}",
                           listed(rest, fault.when), node_words(fault.nodes.front(), fault.when),
                           when);
      case CutFault::Shape::ring:
        return fmt::format("nodes {} hear their neighbours in this ring alone{}",
                           listed(fault.nodes, fault.when), when);
      case CutFault::Shape::one_way:
        break;
    }
    return fmt::format("nobody else hears {}, which hear{} everybody{}",
                       listed(fault.nodes, fault.when), fault.nodes.size() == 1 ? "s" : "", when);
  }
  std::string operator()(const LinkFault& fault) const {
    std::vector<std::string> parts;
    if (fault.loss > 0) parts.push_back(fmt::format("{:.3g} % are lost", fault.loss * 100));
    if (fault.duplicate > 0) {
      parts.push_back(fmt::format("{:.3g} % arrive twice", fault.duplicate * 100));
    }
    if (fault.jitter > Duration{}) {
      parts.push_back(fmt::format("each is up to {} late", in_words(fault.jitter)));
    }
    if (parts.empty()) parts.emplace_back("none is lost");
    return fmt::format("of the messages from {} to {} {}{} (seed {})",
                       listed(fault.senders, fault.when), listed(fault.receivers, fault.when),
                       listed(parts), words_of(fault.when, description), fault.seed);
  }
  std::string operator()(const DiskFault& fault) const {
    const std::string node = node_words(fault.node, fault.when);
    const std::string when = words_of(fault.when, description);
    switch (fault.trouble) {
      case DiskFault::Trouble::slow:
        return fmt::format("syncs of node {}'s disk take {} longer{}", node, in_words(fault.extra),
                           when);
      case DiskFault::Trouble::error:
        return fmt::format("writes and syncs of node {}'s disk fail{}", node, when);
      case DiskFault::Trouble::no_space:
        return fmt::format("node {}'s disk is full{}", node, when);
      case DiskFault::Trouble::corrupt:
        break;
    }
    return fmt::format("reads of node {}'s disk have a wrong bit{}", node, when);
  }
  std::string words_of_moment(const Window& window) const {
    if (!window.after) return fmt::format(" at {}", in_words(window.from));
    Window moment = window;
    moment.until.reset();
    if (moment.after) moment.after->until_next = false;
    return words_of(moment, description);
  }
};

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

/// Lost and doubled messages that differ in sender, receiver or kind alone share a sentence.
void add_faults(const std::vector<Fault>& faults, const SystemDescription& description,
                std::size_t nodes, std::vector<std::string>& lines) {
  Grouping<std::string> grouping(nodes);
  for (const Fault& fault : faults) {
    const auto* drop = std::get_if<DropFault>(&fault);
    const auto* duplicate = std::get_if<DuplicateFault>(&fault);
    const MessageFilter* filter = drop        ? &drop->messages
                                  : duplicate ? &duplicate->messages
                                              : nullptr;
    if (filter != nullptr && filter->from && filter->to && filter->kind) {
      grouping.add(*filter->from, *filter->to, *filter->kind,
                   drop ? words_of_loss(*drop) : words_of_copies(*duplicate));
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

std::string in_words(Duration duration) {
  const std::int64_t count = duration.count();
  const bool small = count > -1'000'000 && count < 1'000'000;
  const bool tiny = count > -1'000 && count < 1'000;
  if (tiny && count != 0) return fmt::format("{} us", count);
  // As many decimals as the value has, never rounded.
  const std::int64_t unit = small && count != 0 ? 1'000 : 1'000'000;
  std::string text = fmt::format("{}{}", count < 0 ? "-" : "", std::abs(count) / unit);
  std::string rest = fmt::format("{:0{}}", std::abs(count) % unit, unit == 1'000 ? 3 : 6);
  while (!rest.empty() && rest.back() == '0') rest.pop_back();
  if (!rest.empty()) text += "." + rest;
  return text + (unit == 1'000 ? " ms" : " s");
}

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
  return std::visit(FaultWords{description, nodes}, fault);
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
