#include "systems/server/client_events.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/outside.h"

namespace dissensus::server {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kEventNames[] = {"invoke", "ok", "fail", "info"};
constexpr std::size_t kShownMax = 120;

[[noreturn]] void refuse(std::string_view line, std::string_view what) {
  throw OutsideError(
      fmt::format("a client wrote an event that {}: {}", what, line.substr(0, kShownMax)));
}

}  // namespace

bool ClientEvents::is_damaged(std::string_view line) {
  const auto has = [line](std::string_view key) { return line.find(key) != line.npos; };
  return has("\"process\"") && has("\"type\"") && !Json::parse(line, nullptr, false).is_object();
}

std::optional<ClientEvent> ClientEvents::read(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  if (!line.starts_with('{')) return std::nullopt;
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("process") || !object.contains("type") ||
      !object.contains("f")) {
    return std::nullopt;
  }
  if (!object["process"].is_number_integer()) refuse(line, "has no number of a process");
  if (!object["f"].is_string()) refuse(line, "names no operation");
  const std::string type = object["type"].is_string() ? object["type"].get<std::string>() : "";
  const auto name = std::find(std::begin(kEventNames), std::end(kEventNames), type);
  if (name == std::end(kEventNames)) refuse(line, "is neither invoke, ok, fail nor info");

  ClientEvent event;
  event.kind = static_cast<history::EventKind>(name - std::begin(kEventNames));
  event.process = object["process"].get<std::int64_t>();
  event.function = object["f"].get<std::string>();
  if (object.contains("value")) event.value = object["value"].dump();
  if (object.contains("key")) {
    event.value = Json::array({object["key"], object.value("value", Json())}).dump();
  }
  if (object.contains("error")) event.error = object["error"].dump();
  event.is_final = object.value("final", Json(false)) == Json(true);

  const bool is_question = event.kind == history::EventKind::invoke;
  if (is_question && !asking_.insert(event.process).second) {
    refuse(line, "asks although its process waits for an answer");
  }
  if (!is_question && asking_.erase(event.process) == 0) {
    refuse(line, "answers what its process did not ask");
  }
  return event;
}

}  // namespace dissensus::server
