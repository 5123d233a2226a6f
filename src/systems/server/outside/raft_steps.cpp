#include "systems/server/outside/raft_steps.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dissensus::server {
namespace {

using Json = nlohmann::ordered_json;
using protocols::RaftChange;
using protocols::RaftFields;
using protocols::ServerName;

/// Of which protocols messages are read, and whether those that connectors send have an order.
struct Spoken {
  std::string_view protocol;
  bool posts = false;  ///< they are requests, made by several threads over any connection
};
constexpr std::array<Spoken, 2> kSpoken{{{"etcd", true}, {"ovsdb", false}}};

const Spoken* spoken_by(const SystemDescription& system) {
  for (const PayloadDescription& payload : system.payloads) {
    const auto* const found = std::find_if(kSpoken.begin(), kSpoken.end(), [&](const Spoken& each) {
      return each.protocol == payload.name;
    });
    if (found != kSpoken.end()) return found;
  }
  return nullptr;
}

/// As in the logs of servers.
std::string text_of(ServerName server) {
  return server == 0 ? "" : fmt::format("{:016x}", server);
}

/// A sequence: its type and the servers. Empty: none.
Json change_of(const std::optional<RaftChange>& change) {
  constexpr std::array<std::string_view, 4> kTypes{"add", "learner", "remove", "exactly"};
  Json list = Json::array();
  if (!change) return list;
  list.push_back(kTypes[static_cast<std::size_t>(change->type)]);
  for (const ServerName server : change->servers) list.push_back(text_of(server));
  return list;
}

Json entries_of(const RaftFields& fields) {
  Json list = Json::array();
  for (const protocols::RaftEntry& entry : fields.log) {
    list.push_back({{"term", entry.term},
                    {"content", to_string(entry.content).substr(0, 12)},
                    {"change", change_of(entry.change)}});
  }
  return list;
}

/// What a message tells, besides who sends it in which term.
struct Telling {
  std::string_view kind;
  const char* step;  ///< of a message that says no: it tells the term alone
  Json (*arguments)(const RaftFields& fields);
  bool is_heard = true;  ///< it is a step of whoever gets it as well
};

constexpr const char* kTermAlone = "speak";

Json nothing(const RaftFields&) {
  return Json::object();
}

Json request(const RaftFields& fields) {
  return {{"index", fields.index}, {"last", fields.log_term}};
}

Json ballot(const RaftFields& fields) {
  return {{"candidate", text_of(fields.vote)}};
}

Json stretch(const RaftFields& fields) {
  return {{"index", fields.index},
          {"last", fields.log_term},
          {"brought", entries_of(fields)},
          {"commit", fields.commit}};
}

Json news(const RaftFields& fields) {
  return {{"commit", fields.commit}};
}

Json snapshot(const RaftFields& fields) {
  return {
      {"index", fields.index}, {"last", fields.log_term}, {"members", change_of(fields.members)}};
}

Json reached(const RaftFields& fields) {
  return {{"index", fields.index}};
}

constexpr std::array<Telling, 10> kTellings{{
    {"vote", "ask", request},
    {"vote-reply", "vote", ballot},
    {"append", "append", stretch},
    {"append-reply", "acknowledge", reached},
    {"heartbeat", "tell", news},
    {"install-snapshot", "snapshot", snapshot},
    {"heartbeat-reply", kTermAlone, nothing, false},
    {"install-snapshot-reply", kTermAlone, nothing, false},
    {"timeout-now", kTermAlone, nothing, false},
    {"become-leader", kTermAlone, nothing, false},
}};

/// A refusal may still say for whom somebody has voted.
bool tells_term_alone(const Telling& telling, const RaftFields& fields) {
  return !telling.is_heard || (fields.is_refused && fields.vote == 0);
}

/// The line's step of whoever sends the message, or of whoever gets it; empty: none.
std::string step_of(std::string_view kind, const RaftFields& fields, const std::string& line,
                    bool is_sender) {
  const auto* const telling = std::find_if(kTellings.begin(), kTellings.end(),
                                           [&](const Telling& each) { return each.kind == kind; });
  if (telling == kTellings.end() || fields.from == 0) return {};
  const bool is_term_alone = tells_term_alone(*telling, fields);
  if (is_term_alone && !is_sender) return {};
  Json arguments{{"from", text_of(fields.from)}, {"term", fields.term}};
  if (is_sender) {
    arguments["line"] = line;
  } else {
    arguments["to"] = text_of(fields.to);
  }
  if (!is_term_alone) arguments.update(telling->arguments(fields));
  return fmt::format(R"("step":"{}{}","args":{})", is_sender ? "" : "hear-",
                     is_term_alone ? kTermAlone : telling->step, arguments.dump());
}

}  // namespace

bool RaftLogWriter::understands(const SystemDescription& system) {
  return spoken_by(system) != nullptr;
}

RaftLogWriter::RaftLogWriter(trace::NodeLogFiles& files, const SystemDescription& system)
    : system_(system), files_(files), posts_(spoken_by(system)->posts) {}

EventMask RaftLogWriter::wants() const {
  return EventMask().with(EventType::send).with(EventType::deliver).with(EventType::restart);
}

void RaftLogWriter::on_event(const Event& event) {
  if (event.node >= files_.nodes()) return;
  const double at = std::chrono::duration<double>(event.time.time_since_epoch()).count();
  if (event.type == EventType::restart) {
    files_.write(event.node, at, R"("step":"restart")");
    return;
  }
  const auto* message = event.message->get<hosted::PeerSegment>();
  if (message == nullptr || message->fields->from == 0) return;
  const bool is_sender = event.type == EventType::send;
  if (is_sender) {
    files_.send(event.node, event.id);
  } else {
    files_.receive(event.node, event.cause);
  }
  const bool is_first = (is_sender ? sent_ : heard_)
                            .insert({message->connection, message->to_acceptor, message->number})
                            .second;
  const std::string line =
      posts_ && message->to_acceptor
          ? ""
          : fmt::format("{}{}", message->connection, message->to_acceptor ? ">" : "<");
  const std::string& kind = system_.kinds[message->message_kind].name;
  files_.write(event.node, at,
               is_first ? step_of(kind, *message->fields, line, is_sender) : std::string());
}

}  // namespace dissensus::server
