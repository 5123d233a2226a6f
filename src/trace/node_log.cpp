#include "trace/node_log.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/options.h"

#include "core/file.h"

namespace dissensus::trace {
namespace {

using LineJson = nlohmann::ordered_json;

LineJson to_line_json(const StateValue& value);

LineJson to_line_list(const std::vector<StateValue>& items) {
  LineJson list = LineJson::array();
  for (const StateValue& item : items) list.push_back(to_line_json(item));
  return list;
}

LineJson to_line_json(const StateValue::Record& record) {
  LineJson object = LineJson::object();
  for (const auto& [name, field] : record.fields) object[name] = to_line_json(field);
  return object;
}

/// Sets are {"#set": [...]}, as in the Informal Trace Format.
LineJson to_line_json(const StateValue& value) {
  struct Visitor {
    LineJson operator()(bool truth) const { return truth; }
    LineJson operator()(std::int64_t number) const { return number; }
    LineJson operator()(const std::string& text) const { return text; }
    LineJson operator()(const StateValue::Sequence& sequence) const {
      return to_line_list(sequence.items);
    }
    LineJson operator()(const StateValue::Set& set) const {
      LineJson tagged = LineJson::object();
      tagged["#set"] = to_line_list(set.items);
      return tagged;
    }
    LineJson operator()(const StateValue::Record& record) const { return to_line_json(record); }
  };
  return std::visit(Visitor{}, value.value);
}

}  // namespace

/// Messages wait here for the line that they belong to.
struct NodeLogFiles::Log {
  std::string path;
  std::FILE* file = nullptr;
  std::vector<std::uint64_t> received, sent;

  ~Log() {
    if (file != nullptr) std::fclose(file);
  }
};

NodeLogFiles::NodeLogFiles(const std::string& folder, std::size_t nodes) {
  make_folders(folder);
  for (std::size_t node = 0; node < nodes; ++node) {
    auto log = std::make_unique<Log>();
    log->path = (std::filesystem::path(folder) / fmt::format("node-{}.jsonl", node)).string();
    log->file = std::fopen(log->path.c_str(), "w");
    if (log->file == nullptr) {
      fail_with(log->path + ": cannot be written", {errno, std::generic_category()});
    }
    fmt::print(log->file, "{{\"format\":\"{}\"}}\n", kNodeLogFormat);
    std::fflush(log->file);
    logs_.push_back(std::move(log));
  }
}

NodeLogFiles::~NodeLogFiles() = default;

void NodeLogFiles::receive(NodeId node, std::uint64_t message) {
  logs_.at(node)->received.push_back(message);
}

void NodeLogFiles::send(NodeId node, std::uint64_t message) {
  logs_.at(node)->sent.push_back(message);
}

void NodeLogFiles::write(NodeId node, double at_seconds, const std::string& fields) {
  Log& log = *logs_.at(node);
  if (log.received.empty() && log.sent.empty() && fields.empty()) return;
  fmt::print(log.file, "{{\"node\":{},\"at\":{:.6f}", node, at_seconds);
  if (!log.received.empty()) {
    fmt::print(log.file, ",\"receives\":[{}]", fmt::join(log.received, ","));
  }
  if (!fields.empty()) fmt::print(log.file, ",{}", fields);
  if (!log.sent.empty()) fmt::print(log.file, ",\"sends\":[{}]", fmt::join(log.sent, ","));
  fmt::print(log.file, "}}\n");
  std::fflush(log.file);
  log.received.clear();
  log.sent.clear();
}

void NodeLogFiles::finish() const {
  for (const std::unique_ptr<Log>& log : logs_) {
    if (std::ferror(log->file) != 0) {
      throw EnvironmentError(fmt::format("{}: could not be written", log->path));
    }
  }
}

EventMask NodeLogWriter::wants() const {
  return EventMask()
      .with(EventType::send)
      .with(EventType::deliver)
      .with(EventType::timer)  // for the time of what follows from it
      .with(EventType::submit)
      .with(EventType::crash)
      .with(EventType::restart);
}

void NodeLogWriter::on_event(const Event& event) {
  if (event.node >= files_.nodes()) return;
  // Sends in a row share a line: what comes next is another node's, or comes after them.
  if (sending_ != kNoNode && (event.type != EventType::send || event.node != sending_)) {
    files_.write(sending_, now_seconds_, "");
    sending_ = kNoNode;
  }
  now_seconds_ = std::chrono::duration<double>(event.time.time_since_epoch()).count();
  switch (event.type) {
    case EventType::send:
      files_.send(event.node, event.id);
      sending_ = event.node;
      break;
    case EventType::deliver:
      files_.receive(event.node, event.cause);
      break;
    case EventType::crash:
      files_.write(event.node, now_seconds_, R"("step":"crash")");
      break;
    case EventType::restart:
      files_.write(event.node, now_seconds_, R"("step":"restart")");
      break;
    default:
      break;
  }
}

void NodeLogWriter::on_step(const StepReport& step) {
  if (step.node >= files_.nodes()) return;
  if (sending_ != kNoNode) files_.write(sending_, now_seconds_, "");
  sending_ = kNoNode;
  const StepDescription& description = system_.steps[step.step];
  LineJson arguments = LineJson::object();
  for (std::size_t index = 0; index < description.arguments.size(); ++index) {
    arguments[description.arguments[index]] = to_line_json(step.arguments[index]);
  }
  files_.write(step.node, now_seconds_,
               fmt::format(R"("step":{},"args":{},"state":{})", LineJson(description.name).dump(),
                           arguments.dump(), to_line_json(*step.state).dump()));
}

}  // namespace dissensus::trace
