#include "diff/steps.h"

#include <algorithm>
#include <map>

namespace dissensus::diff {

namespace {

using trace::Record;

bool begins_step(EventType type) {
  switch (type) {
    case EventType::start:
    case EventType::deliver:
    case EventType::timer:
    case EventType::submit:
    case EventType::crash:
    case EventType::restart:
      return true;
    default:
      return false;
  }
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash ^= word + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2);
  return hash * 0xD1342543DE82EF95ULL + 1;
}

/// All of a record but when it was, and its place among the events.
std::uint64_t meaning_of(const Record& record) {
  std::uint64_t hash = static_cast<std::uint64_t>(record.type);
  for (const std::uint64_t word : {std::uint64_t{record.detail}, std::uint64_t{record.peer},
                                   std::uint64_t{record.kind}, record.number, record.value.high,
                                   record.value.low, record.content.high, record.content.low}) {
    hash = mixed(hash, word);
  }
  return hash;
}

}  // namespace

Steps::Steps(const trace::Trace& recorded) : trace(recorded), nodes(recorded.header.nodes) {
  std::unordered_map<EventId, std::size_t> send_of;
  for (std::size_t index = 0; index < trace.records.size(); ++index) {
    const Record& record = trace.records[index];
    if (record.type == EventType::send) send_of[record.id] = index;
    if (begins_step(record.type) && record.node < nodes.size()) {
      Step step;
      step.record = index;
      step.node = record.node;
      step.place = nodes[record.node].size();
      step.stimulus = meaning_of(record);
      step.behaviour = step.stimulus;
      if (const auto sent = send_of.find(record.cause);
          record.type == EventType::deliver && sent != send_of.end()) {
        step.send = sent->second;
        step.sender = of_event(record.cause);
      }
      nodes[record.node].push_back(all.size());
      step_of[record.id] = all.size();
      all.push_back(std::move(step));
      continue;
    }
    const auto found = step_of.find(record.cause);
    if (found == step_of.end() || all[found->second].node != record.node) continue;
    Step& step = all[found->second];
    if (record.type == EventType::drop || record.type == EventType::mutate ||
        record.type == EventType::duplicate) {
      continue;  // what became of a message, not what a node did
    }
    step.effects.push_back(index);
    if (record.type == EventType::log) continue;
    step_of[record.id] = found->second;
    step.behaviour = mixed(step.behaviour, meaning_of(record));
  }
}

std::size_t Steps::of_event(EventId event) const {
  const auto found = step_of.find(event);
  return found == step_of.end() ? kNone : found->second;
}

std::vector<std::size_t> align(Steps& a, Steps& b) {
  std::vector<std::size_t> prefixes(std::min(a.nodes.size(), b.nodes.size()));
  for (std::size_t node = 0; node < prefixes.size(); ++node) {
    const std::vector<std::size_t>& left = a.nodes[node];
    const std::vector<std::size_t>& right = b.nodes[node];
    std::size_t& prefix = prefixes[node];
    const auto join = [&](std::size_t i, std::size_t j) {
      a.all[left[i]].equal = right[j];
      b.all[right[j]].equal = left[i];
    };
    while (prefix < left.size() && prefix < right.size() &&
           a.all[left[prefix]].behaviour == b.all[right[prefix]].behaviour) {
      join(prefix, prefix);
      ++prefix;
    }
    // Behind the first difference the same may still happen, in another order.
    std::map<std::uint64_t, std::vector<std::size_t>> waiting;
    for (std::size_t j = right.size(); j-- > prefix;) {
      waiting[b.all[right[j]].behaviour].push_back(j);
    }
    for (std::size_t i = prefix; i < left.size(); ++i) {
      const auto found = waiting.find(a.all[left[i]].behaviour);
      if (found == waiting.end() || found->second.empty()) continue;
      join(i, found->second.back());
      found->second.pop_back();
    }
  }
  return prefixes;
}

}  // namespace dissensus::diff
