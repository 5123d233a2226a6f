#include "systems/xrpl/outside/recording.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/options.h"

#include "trace/line_source.h"

namespace dissensus::xrpl {
namespace {

using RecordJson = nlohmann::json;
/// Time in milliseconds, and what happens then.
using Moments = std::vector<std::pair<double, std::function<void(double seconds)>>>;

OutsideMessage recorded_message(const RecordJson& json) {
  OutsideMessage message;
  const std::string kind = json.at("kind").get<std::string>();
  if (kind.starts_with("ProposeSet")) {
    message.type = OutsideMessage::Type::proposal;
    message.origin = json.at("sg").get<NodeId>();
    message.ledger = json.at("prev").get<std::string>();
    message.set = json.at("set").get<std::string>();
    message.number = json.at("seq").get<std::uint64_t>();
  } else if (kind == "StatusChange") {
    message.type = OutsideMessage::Type::status;
    message.origin = json.at("from").get<NodeId>();
    message.ledger = json.value("h", "");
    message.previous = json.value("prev", "");
    message.number = json.value("seq", std::uint64_t{0});
    message.event = json.value("ev", std::uint8_t{0});
  } else if (kind == "Validation") {
    message.type = OutsideMessage::Type::validation;
    message.origin = json.at("sg").get<NodeId>();
    message.ledger = json.at("h").get<std::string>();
    message.number = json.at("seq").get<std::uint64_t>();
    message.full = json.at("full") == 1;
  }
  return message;
}

void for_each_record(const std::string& path, const std::function<void(const RecordJson&)>& visit) {
  trace::LineSource source(path);
  std::string_view line;
  while (source.next(line)) {
    try {
      visit(RecordJson::parse(line));
    } catch (const RecordJson::exception& error) {
      source.place().fail("line", fmt::format("not a line of a recording: {}", error.what()));
    }
  }
}

}  // namespace

void replay_recording(const std::string& messages, const std::string& cases, const std::string& id,
                      OutsideSteps& outside) {
  Moments moments;
  std::uint64_t number = 0;
  for_each_record(messages, [&](const RecordJson& json) {
    const OutsideMessage message = recorded_message(json);
    const std::uint64_t name = ++number;
    const auto from = json.at("from").get<NodeId>();
    const auto to = json.at("to").get<NodeId>();
    moments.emplace_back(json.at("a").get<double>(),
                         [=, &outside](double at) { outside.sent(at, name, from, message); });
    if (json.at("f").is_null()) return;
    moments.emplace_back(json.at("f").get<double>(),
                         [=, &outside](double at) { outside.delivered(at, name, to, message); });
  });
  bool is_found = cases.empty();
  if (!cases.empty()) {
    for_each_record(cases, [&](const RecordJson& json) {
      if (json.at("id") != id) return;
      is_found = true;
      NodeId node = 0;
      for (const RecordJson& ledgers : json.at("validated")) {
        for (const RecordJson& ledger : ledgers) {
          moments.emplace_back(ledger.at("t").get<double>(),
                               [=, &outside, hash = ledger.at("hash").get<std::string>(),
                                seq = ledger.at("seq").get<std::uint64_t>()](double at) {
                                 outside.validated(at, node, hash, seq);
                               });
        }
        ++node;
      }
    });
  }
  if (!is_found) throw InputError(fmt::format("{}: id: there is no case \"{}\"", cases, id));
  std::stable_sort(moments.begin(), moments.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [time, happen] : moments) happen(time / 1000);
}

}  // namespace dissensus::xrpl
