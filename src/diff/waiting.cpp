#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "diff/moments.h"
#include "trace/labels.h"

namespace dissensus::diff {

namespace {

using trace::Record;

/// What is known of a node at the end.
struct LastState {
  Time since{};
  std::size_t since_record = 0;
  std::string round;
  std::string phase;
  std::string decided;
  bool down = false;
};

LastState last_state(const Steps& steps, NodeId node) {
  const trace::Header& header = steps.trace.header;
  LastState state;
  for (std::size_t i = 0; i < steps.trace.records.size(); ++i) {
    const Record& record = steps.trace.records[i];
    if (record.node != node) continue;
    std::string* word = nullptr;
    if (record.type == EventType::round) word = &state.round;
    if (record.type == EventType::phase) word = &state.phase;
    if (record.type == EventType::decide) word = &state.decided;
    if (record.type == EventType::crash || record.type == EventType::restart) {
      state.down = record.type == EventType::crash;
    } else if (word == nullptr) {
      continue;
    }
    std::string text = trace::event_text(header, record);
    // Saying the same again is no progress.
    if (word != nullptr && *word == text) continue;
    if (word != nullptr) *word = std::move(text);
    state.since = record.time;
    state.since_record = i;
  }
  return state;
}

constexpr std::size_t kKindsShown = 4;

/// "Proposal (6), Vote (2) to n1, n2", kinds with the same peers together; the most first.
std::string summary(const trace::Header& header,
                    const std::map<MessageKind, std::map<NodeId, std::size_t>>& counts,
                    std::string_view preposition) {
  std::map<std::string, std::vector<std::pair<std::size_t, MessageKind>>> by_peers;
  for (const auto& [kind, peers] : counts) {
    std::size_t total = 0;
    std::string names;
    for (const auto& [peer, count] : peers) {
      total += count;
      names += fmt::format("{}n{}", names.empty() ? "" : ", ", peer);
    }
    by_peers[names].emplace_back(total, kind);
  }
  std::string text;
  for (auto& [peers, kinds] : by_peers) {
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string words;
    for (std::size_t i = 0; i < std::min(kinds.size(), kKindsShown); ++i) {
      words += fmt::format("{}{} ({})", words.empty() ? "" : ", ",
                           trace::kind_name(header, kinds[i].second), kinds[i].first);
    }
    if (kinds.size() > kKindsShown) {
      words += fmt::format(" and {} more kinds", kinds.size() - kKindsShown);
    }
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", words, preposition, peers);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::vector<Waiting> waiting_nodes(const Steps& failing, const Steps& passing,
                                   const std::vector<std::size_t>& prefixes,
                                   const oracle::Violation& violation) {
  std::vector<Waiting> nodes;
  const trace::Header& header = failing.trace.header;
  for (std::size_t node = 0; node < prefixes.size(); ++node) {
    const auto id = static_cast<NodeId>(node);
    if (!violation.nodes.empty() &&
        std::find(violation.nodes.begin(), violation.nodes.end(), id) == violation.nodes.end()) {
      continue;
    }
    const LastState state = last_state(failing, id);
    Waiting waiting;
    waiting.node = id;
    waiting.since = state.since;
    for (const std::string* part : {&state.round, &state.phase, &state.decided}) {
      if (part->empty()) continue;
      waiting.state += (waiting.state.empty() ? "" : ", ") + *part;
    }
    if (state.down) waiting.state = "down";
    std::map<MessageKind, std::map<NodeId, std::size_t>> asked;
    std::map<MessageKind, std::map<NodeId, std::size_t>> heard;
    for (std::size_t i = state.since_record; i < failing.trace.records.size(); ++i) {
      const Record& record = failing.trace.records[i];
      if (record.node != id) continue;
      if (record.type == EventType::send) ++asked[record.kind][record.peer];
      if (record.type == EventType::deliver) ++heard[record.kind][record.peer];
    }
    waiting.asked = summary(header, asked, "to");
    waiting.heard = summary(header, heard, "from");
    // The first thing of the passing run that this node never gets.
    for (std::size_t place = prefixes[node]; place < passing.nodes[node].size(); ++place) {
      const std::size_t index = passing.nodes[node][place];
      if (passing.all[index].equal != kNone || passing.all[index].send == kNone) continue;
      waiting.missing = describe_step(passing, index, kNone).came;
      break;
    }
    nodes.push_back(std::move(waiting));
  }
  return nodes;
}

}  // namespace dissensus::diff
