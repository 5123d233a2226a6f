#include "systems/xrpl/outside/steps.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/options.h"

namespace dissensus::xrpl {
namespace {

constexpr std::uint64_t kBowOutNumber = 0xFFFFFFFF;
/// So long after it was delivered a server surely has counted a position: what it does in the
/// meantime may have been decided before.
constexpr double kCountedSeconds = 0.5;
/// A position that is not renewed for 20 s no longer counts (consensus.md, proposeFRESHNESS), by
/// clocks of whole seconds: from so long on it may no longer count.
constexpr double kFreshSeconds = 18.5;
/// Of what was said so many are remembered at least, and at most twice as many: messages go to
/// everybody and are passed on, all within moments.
constexpr std::size_t kRemembered = 2'000;

std::string step_text(const char* name, const nlohmann::ordered_json& arguments) {
  return fmt::format(R"("step":"{}","args":{})", name, arguments.dump());
}

}  // namespace

OutsideSteps::OutsideSteps(trace::NodeLogFiles& files) : files_(files), nodes_(files.nodes()) {}

bool OutsideSteps::is_first(NodeId node, char what, const std::string& of, std::uint64_t number) {
  Watched& watched = nodes_[node];
  Said said{what, of, number};
  if (watched.said.contains(said) || watched.said_before.contains(said)) return false;
  if (watched.said.size() == kRemembered) watched.said_before = std::exchange(watched.said, {});
  watched.said.insert(std::move(said));
  return true;
}

void OutsideSteps::pass(double at) {
  while (!due_.empty() && due_.begin()->first <= at) {
    files_.write(due_.begin()->second.node, due_.begin()->first, due_.begin()->second.fields);
    due_.erase(due_.begin());
  }
}

void OutsideSteps::sent(double at, std::uint64_t id, NodeId from, const OutsideMessage& message) {
  pass(at);
  if (message.origin == from) {
    switch (message.type) {
      case OutsideMessage::Type::proposal:
        own_proposal(at, from, message);
        break;
      case OutsideMessage::Type::status:
        own_status(at, from, message);
        break;
      case OutsideMessage::Type::validation:
        own_validation(at, from, message);
        break;
      case OutsideMessage::Type::other:
        return;
    }
  }
  if (message.type == OutsideMessage::Type::other) return;
  files_.send(from, id);
  files_.write(from, at, "");
}

void OutsideSteps::own_proposal(double at, NodeId node, const OutsideMessage& message) {
  if (!is_first(node, 'p', message.ledger, message.number) || !nodes_[node].has_started) return;
  if (message.number == kBowOutNumber) {
    files_.write(node, at, step_text("bow-out", {{"on", message.ledger}}));
    return;
  }
  files_.write(
      node, at,
      step_text("propose",
                {{"on", message.ledger}, {"number", message.number}, {"set", message.set}}));
}

void OutsideSteps::own_status(double at, NodeId node, const OutsideMessage& message) {
  constexpr std::uint8_t kAccepted = 2;
  constexpr std::uint8_t kSwitched = 3;
  constexpr std::uint8_t kLostSync = 4;
  const bool is_built = message.event == kAccepted || message.event == kLostSync;
  if (!is_built && message.event != kSwitched) return;
  // The same status goes to every peer; a node may come to a ledger again later.
  const Said status{static_cast<char>(message.event), message.ledger + message.previous, 0};
  if (std::exchange(nodes_[node].status, status) == status) return;
  const nlohmann::ordered_json arguments{
      {"ledger", message.ledger}, {"seq", message.number}, {"parent", message.previous}};
  if (!nodes_[node].has_started) {
    if (message.event != kAccepted) return;
    nodes_[node].has_started = true;
    files_.write(node, at, step_text("begin", arguments));
  } else {
    files_.write(node, at, step_text(is_built ? "build" : "switch", arguments));
  }
}

void OutsideSteps::own_validation(double at, NodeId node, const OutsideMessage& message) {
  if (!is_first(node, 'v', message.ledger, message.number) || !nodes_[node].has_started) return;
  files_.write(
      node, at,
      step_text("sign",
                {{"ledger", message.ledger}, {"seq", message.number}, {"full", message.full}}));
}

void OutsideSteps::delivered(double at, std::uint64_t id, NodeId to,
                             const OutsideMessage& message) {
  pass(at);
  if (message.type == OutsideMessage::Type::other) return;
  files_.receive(to, id);
  const bool is_proposal = message.type == OutsideMessage::Type::proposal;
  const bool is_own = message.origin == to;
  const char what = is_proposal ? 'P' : 'V';
  if (message.type == OutsideMessage::Type::status || is_own ||
      !is_first(to, what, fmt::format("{} {} {}", message.origin, message.ledger, message.set),
                message.number)) {
    files_.write(to, at, "");
    return;
  }
  if (!is_proposal) {
    files_.write(to, at,
                 step_text("hear-validation", {{"from", message.origin},
                                               {"ledger", message.ledger},
                                               {"seq", message.number},
                                               {"full", message.full}}));
    return;
  }
  if (message.number == kBowOutNumber) {
    files_.write(to, at,
                 step_text("hear-bow-out", {{"from", message.origin}, {"on", message.ledger}}));
    return;
  }
  const nlohmann::ordered_json arguments{{"from", message.origin},
                                         {"on", message.ledger},
                                         {"number", message.number},
                                         {"set", message.set}};
  files_.write(to, at, step_text("hear-proposal", arguments));
  due_.emplace(at + kCountedSeconds, Due{to, step_text("count-proposal", arguments)});
  due_.emplace(at + kFreshSeconds, Due{to, step_text("forget-proposal", arguments)});
}

void OutsideSteps::validated(double at, NodeId node, const std::string& ledger, std::uint64_t seq) {
  pass(at);
  if (!nodes_[node].has_started) return;
  files_.write(node, at, step_text("validated", {{"ledger", ledger}, {"seq", seq}}));
}

OutsideLogWriter::OutsideLogWriter(trace::NodeLogFiles& files, const SystemDescription& system)
    : system_(system), files_(files), outside_(files) {
  const auto level = std::find_if(system.levels.begin(), system.levels.end(),
                                  [](const auto& one) { return one.name == "ledger"; });
  const bool has_status = system.find_kind("StatusChange") != kNoKind;
  if (level == system.levels.end() || !has_status) {
    throw InputError(
        fmt::format("--from-outside: {} has no messages of the XRP Ledger, etcd or ovsdb; see "
                    "--node-logs alone",
                    system.name));
  }
  validated_level_ = static_cast<std::uint8_t>(level - system.levels.begin());
}

EventMask OutsideLogWriter::wants() const {
  return EventMask().with(EventType::send).with(EventType::deliver).with(EventType::decide);
}

OutsideMessage OutsideLogWriter::read(const Event& event) const {
  OutsideMessage message;
  const KindDescription& kind = system_.kinds[event.message->kind()];
  const PayloadDescription& payload = system_.payloads[kind.payload];
  const auto field = [&](std::string_view name) -> FieldValue {
    for (std::size_t index = 0; index < payload.fields.size(); ++index) {
      if (payload.fields[index].name == name)
        return payload.getters[index](event.message->object());
    }
    return std::int64_t{0};
  };
  struct Text {
    std::string operator()(const Digest& digest) const { return to_string(digest); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const NodeSet&) const { return ""; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  };
  const auto text = [&](std::string_view name) { return std::visit(Text{}, field(name)); };
  const auto number = [&](std::string_view name) {
    const FieldValue value = field(name);
    if (const auto* plain = std::get_if<std::uint64_t>(&value)) return *plain;
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole == nullptr ? 0 : static_cast<std::uint64_t>(*whole);
  };
  if (kind.name.starts_with("ProposeSet")) {
    message.type = OutsideMessage::Type::proposal;
    message.origin = static_cast<NodeId>(number("origin"));
    message.ledger = text("previous_ledger");
    message.set = text("position");
    message.number = number("propose_seq");
  } else if (kind.name == "StatusChange") {
    message.type = OutsideMessage::Type::status;
    message.origin = event.type == EventType::send ? event.node : event.peer;
    message.ledger = text("ledger");
    message.previous = text("previous");
    message.number = number("ledger_seq");
    message.event = static_cast<std::uint8_t>(number("event"));
  } else if (kind.name == "Validation") {
    message.type = OutsideMessage::Type::validation;
    message.origin = static_cast<NodeId>(number("origin"));
    message.ledger = text("ledger");
    message.number = number("ledger_seq");
    message.full = number("full") != 0;
  }
  return message;
}

void OutsideLogWriter::on_event(const Event& event) {
  if (event.node >= files_.nodes()) return;
  const double at = std::chrono::duration<double>(event.time.time_since_epoch()).count();
  switch (event.type) {
    case EventType::send:
      outside_.sent(at, event.id, event.node, read(event));
      break;
    case EventType::deliver:
      outside_.delivered(at, event.cause, event.node, read(event));
      break;
    case EventType::decide:
      if (event.detail == validated_level_) {
        outside_.validated(at, event.node, to_string(event.value), event.number);
      }
      break;
    default:
      break;
  }
}

}  // namespace dissensus::xrpl
