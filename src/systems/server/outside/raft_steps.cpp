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

/// Of which protocols messages are read, and whether those that connectors send have an order.
struct Spoken {
  std::string_view protocol;
  bool posts = false;  ///< they are requests, made by several threads over any connection
};
constexpr std::array<Spoken, 2> kSpoken{{{"etcd", true}, {"ovsdb", false}}};

const Spoken* spoken(const PayloadDescription& payload) {
  const auto* const found = std::find_if(kSpoken.begin(), kSpoken.end(), [&](const Spoken& each) {
    return each.protocol == payload.name;
  });
  return found == kSpoken.end() ? nullptr : found;
}

/// Which of the payloads is of Raft, if any is.
std::size_t payload_of(const SystemDescription& system) {
  const auto found =
      std::find_if(system.payloads.begin(), system.payloads.end(),
                   [](const PayloadDescription& payload) { return spoken(payload) != nullptr; });
  return static_cast<std::size_t>(found - system.payloads.begin());
}

/// The fields of a message, by their names.
class Said {
 public:
  Said(const PayloadDescription& payload, const void* message)
      : payload_(payload), message_(message) {}

  std::uint64_t number(std::string_view name) const { return std::get<std::uint64_t>(value(name)); }
  std::string text(std::string_view name) const { return std::get<std::string>(value(name)); }
  Json json(std::string_view name) const { return Json::parse(text(name)); }

 private:
  FieldValue value(std::string_view name) const {
    std::size_t index = 0;
    while (payload_.fields.at(index).name != name) ++index;
    return payload_.getters[index](message_);
  }

  const PayloadDescription& payload_;
  const void* message_;
};

/// What a message tells, besides who sends it in which term.
struct Telling {
  std::string_view kind;
  const char* step;  ///< of a message that says no: it tells the term alone
  Json (*arguments)(const Said& said);
  bool is_heard = true;  ///< it is a step of whoever gets it as well
};

constexpr const char* kTermAlone = "speak";

Json nothing(const Said&) {
  return Json::object();
}

Json request(const Said& said) {
  return {{"index", said.number("index")}, {"last", said.number("log_term")}};
}

Json ballot(const Said& said) {
  return {{"candidate", said.text("vote")}};
}

Json stretch(const Said& said) {
  return {{"index", said.number("index")},
          {"last", said.number("log_term")},
          {"brought", said.json("log")},
          {"commit", said.number("commit")}};
}

Json news(const Said& said) {
  return {{"commit", said.number("commit")}};
}

Json snapshot(const Said& said) {
  return {{"index", said.number("index")},
          {"last", said.number("log_term")},
          {"members", said.json("members")}};
}

Json reached(const Said& said) {
  return {{"index", said.number("index")}};
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
bool tells_term_alone(const Telling& telling, const Said& said) {
  return !telling.is_heard || (said.number("refused") != 0 && said.text("vote").empty());
}

/// The line's step of whoever sends the message, or of whoever gets it; empty: none.
std::string step_of(std::string_view kind, const Said& said, const std::string& line,
                    bool is_sender) {
  const auto* const telling = std::find_if(kTellings.begin(), kTellings.end(),
                                           [&](const Telling& each) { return each.kind == kind; });
  if (telling == kTellings.end() || said.text("from").empty()) return {};
  const bool is_term_alone = tells_term_alone(*telling, said);
  if (is_term_alone && !is_sender) return {};
  Json arguments{{"from", said.text("from")}, {"term", said.number("term")}};
  if (is_sender) {
    arguments["line"] = line;
  } else {
    arguments["to"] = said.text("to");
  }
  if (!is_term_alone) arguments.update(telling->arguments(said));
  return fmt::format(R"("step":"{}{}","args":{})", is_sender ? "" : "hear-",
                     is_term_alone ? kTermAlone : telling->step, arguments.dump());
}

}  // namespace

bool RaftLogWriter::understands(const SystemDescription& system) {
  return payload_of(system) < system.payloads.size();
}

RaftLogWriter::RaftLogWriter(trace::NodeLogFiles& files, const SystemDescription& system)
    : system_(system),
      files_(files),
      payload_(payload_of(system)),
      posts_(spoken(system.payloads.at(payload_))->posts) {}

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
  const KindDescription& kind = system_.kinds[event.message->kind()];
  if (kind.payload != payload_) return;
  const Said said(system_.payloads[payload_], event.message->object());
  if (said.text("from").empty()) return;
  const bool is_sender = event.type == EventType::send;
  if (is_sender) {
    files_.send(event.node, event.id);
  } else {
    files_.receive(event.node, event.cause);
  }
  const std::uint64_t connection = said.number("connection");
  const bool from_connector = said.number("from_connector") != 0;
  const bool is_first = (is_sender ? sent_ : heard_)
                            .insert({connection, from_connector, said.number("number")})
                            .second;
  const std::string line =
      posts_ && from_connector ? "" : fmt::format("{}{}", connection, from_connector ? ">" : "<");
  files_.write(event.node, at,
               is_first ? step_of(kind.name, said, line, is_sender) : std::string());
}

}  // namespace dissensus::server
