#include "faults/speech.h"

#include <cstdlib>

#include <fmt/format.h>

namespace dissensus::faults {

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

namespace {

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

}  // namespace

std::string Speaker::when(const Window& window) const {
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

std::string node_words(NodeId node, const Window& window) {
  if (!window.after || !window.after->relative) return fmt::to_string(node);
  return node == 0 ? "N" : fmt::format("N+{}", node);
}
std::string listed(const NodeSet& nodes, const Window& window) {
  std::vector<std::string> items;
  for (const NodeId node : nodes) items.push_back(node_words(node, window));
  return listed(items);
}

std::string Speaker::groups(const std::vector<NodeSet>& sets, const Window& window) const {
  std::vector<std::string> parts;
  std::size_t named = 0;
  for (const NodeSet& group : sets) {
    parts.push_back(listed(group, window));
    named += group.size();
  }
  if (named < nodes) parts.emplace_back("the others");
  return fmt::format("{}", fmt::join(parts, " | "));
}

std::string Speaker::moment(const Window& window) const {
  if (window.by_round()) return words_of(window);
  if (!window.after) return fmt::format(" at {}", in_words(window.from));
  Window beginning = window;
  beginning.until.reset();
  if (beginning.after) beginning.after->until_next = false;
  return when(beginning);
}

std::string words_of(const MessageFilter& filter, const SystemDescription& description) {
  std::string text = filter.kind ? "messages " + description.kinds.at(*filter.kind).name
                                 : std::string("all messages");
  if (filter.from) text += fmt::format(" from {}", *filter.from);
  if (filter.to) text += fmt::format(" to {}", *filter.to);
  return text;
}

}  // namespace dissensus::faults
