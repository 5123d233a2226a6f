#include "systems/process/plain_node.h"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/programs.h"

#include "core/file.h"

namespace dissensus::process {

namespace {

constexpr std::uint64_t kOwnMessage = 1;  ///< tags of timers
constexpr std::uint64_t kInitTimeout = 2;
constexpr std::string_view kMachineFolder = "/node/";
/// Where programs look for others, in every sandbox.
constexpr std::string_view kPrograms[] = {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/",
                                          "/usr/bin/",        "/sbin/",          "/bin/"};

/// As a shell finds it that starts in /node.
std::string found_program(const std::string& name) {
  if (name.starts_with('/')) return name;
  if (name.find('/') != name.npos) return std::string(kMachineFolder) + name;
  for (const std::string_view folder : kPrograms) {
    if (is_program(name, std::string(folder))) return std::string(folder) + name;
  }
  return name;
}

}  // namespace

hosted::Plan plan_of(const Settings& settings) {
  hosted::Plan plan;
  plan.host = settings.host;
  plan.speaks_lines = true;
  plan.line_bytes_max = settings.limits.line_bytes;
  plan.threads_file = "nodes/threads.txt";
  plan.keep = settings.keep;
  for (std::size_t i = 0; i < settings.nodes; ++i) {
    hosted::MachinePlan& machine = plan.machines.emplace_back();
    machine.name = node_name(settings, static_cast<NodeId>(i));
    machine.contents = settings.launch.folder;
    machine.command = settings.launch.command;
    machine.command.front() = found_program(machine.command.front());
    machine.environment = settings.launch.environment;
    machine.log_file = fmt::format("nodes/{}.log", machine.name);
  }
  hosted::show_programs(plan);
  return plan;
}

void PlainNode::start(Context& context) {
  cluster_.start_program(self_);
  cluster_.write(self_, book_.open_init(self_, {}) + "}\n");
  context.set_timer(Duration(book_.settings().limits.answer), kInitTimeout);
}

void PlainNode::timer(Context& context, TimerId, std::uint64_t tag) {
  if (is_dead_) return;
  if (tag == kOwnMessage) {
    tell(book_.open_line(self_, self_, to_self_.front()));
    to_self_.pop_front();
  } else if (!has_answered_init_ && tag == kInitTimeout) {
    broken(context, Trouble::silence, lines_);
  }
}

void PlainNode::receive(Context&, NodeId from, const Message& message) {
  const std::string& body = *message.get<ProcessMessage>()->body;
  // A node may ask a service before it is ready, and wait for the answer.
  const bool is_answer = !has_answered_init_ && nlohmann::json::parse(body).contains("in_reply_to");
  tell(book_.open_line(from, self_, body), is_answer);
}

void PlainNode::tell(std::string line, bool is_answer) {
  if (is_dead_) return;
  line += "}\n";
  if (has_answered_init_ || is_answer) {
    cluster_.write(self_, line);
  } else {
    early_.push_back(std::move(line));
  }
}

void PlainNode::broken(Context& context, Trouble trouble, std::uint64_t number) {
  is_dead_ = true;
  if (!has_answered_init_ && context.logging()) context.log(kNeverBegan);
  cluster_.end_program(self_);
  context.broken(invariant_of(trouble), number);
}

void PlainNode::happened(Context& context) {
  const hosted::News news = cluster_.take_news(self_);
  if (is_dead_) return;
  if (news.exit && news.exit->signal != 0) {
    broken(context, Trouble::crash, static_cast<std::uint64_t>(news.exit->signal));
  } else if (news.exit) {
    broken(context, Trouble::exit, static_cast<std::uint64_t>(news.exit->code));
  } else if (news.has_flooded) {
    broken(context, Trouble::flood, lines_);
  } else if (news.line) {
    ++lines_;
    if (carry_out(context, *news.line)) return;
    if (context.logging()) context.log(news.line->substr(0, 200));
    broken(context, Trouble::nonsense, lines_);
  }
}

bool PlainNode::carry_out(Context& context, const std::string& line) {
  const nlohmann::json parsed = parse_line(line);
  if (!parsed.is_object()) return false;
  const auto to = parsed.find("dest");
  const auto body = parsed.find("body");
  if (to == parsed.end() || !to->is_string() || body == parsed.end() || !body->is_object()) {
    return false;
  }
  const auto& name = to->get_ref<const std::string&>();
  if (name == kWorldName) {
    if (member(*body, "type") != "init_ok") return false;
    has_answered_init_ = true;
    for (const std::string& waiting : early_) cluster_.write(self_, waiting);
    early_.clear();
    return true;
  }
  const NodeId id = book_.find(name);
  if (id == kNoNode) return false;
  if (id == self_) {
    to_self_.push_back(body->dump());
    context.set_timer(Duration{}, kOwnMessage);
  } else {
    book_.send(context, id, *body);
  }
  return true;
}

}  // namespace dissensus::process
