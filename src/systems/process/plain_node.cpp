#include "systems/process/plain_node.h"

#include <nlohmann/json.hpp>

#include "dissensus/programs.h"

namespace dissensus::process {

namespace {

constexpr std::uint64_t kOwnMessage = 1;   ///< tags of timers
constexpr std::uint64_t kInitTimeout = 2;  ///< plus what incarnation times two

}  // namespace

void PlainNode::start(Context& context) {
  programs_.start_program(self_);
  programs_.write(self_, programs_.book().open_init(self_, {}) + "}\n");
  context.set_timer(Duration(programs_.book().settings().limits.answer),
                    kInitTimeout + 2 * programs_.lives(self_));
}

void PlainNode::timer(Context& context, TimerId, std::uint64_t tag) {
  if (is_dead_) return;
  if (tag == kOwnMessage) {
    tell(programs_.book().open_line(self_, self_, to_self_.front()));
    to_self_.pop_front();
  } else if (!has_answered_init_ && tag == kInitTimeout + 2 * programs_.lives(self_)) {
    broken(context, Trouble::silence, lines_);
  }
}

void PlainNode::receive(Context&, NodeId from, const Message& message) {
  tell(programs_.book().open_line(from, self_, *message.get<ProcessMessage>()->body));
}

void PlainNode::tell(std::string line) {
  if (is_dead_) return;
  line += "}\n";
  if (has_answered_init_) {
    programs_.write(self_, line);
  } else {
    early_.push_back(std::move(line));
  }
}

void PlainNode::broken(Context& context, Trouble trouble, std::uint64_t number) {
  is_dead_ = true;
  if (!has_answered_init_ && context.logging()) context.log(kNeverBegan);
  programs_.end_program(self_);
  context.broken(invariant_of(trouble), number);
}

void PlainNode::happened(Context& context) {
  const ProgramNews news = programs_.take_news(self_);
  if (is_dead_) return;
  if (news.trouble == Trouble::exit || news.trouble == Trouble::crash) {
    broken(context, news.trouble, static_cast<std::uint64_t>(news.status));
  } else if (news.trouble != Trouble::none) {
    broken(context, news.trouble, lines_);
  } else {
    ++lines_;
    if (carry_out(context, news.line)) return;
    if (context.logging()) context.log(news.line.substr(0, 200));
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
    for (const std::string& waiting : early_) programs_.write(self_, waiting);
    early_.clear();
    return true;
  }
  const NodeId id = programs_.book().find(name);
  if (id == kNoNode) return false;
  if (id == self_) {
    to_self_.push_back(body->dump());
    context.set_timer(Duration{}, kOwnMessage);
  } else {
    programs_.book().send(context, id, *body);
  }
  return true;
}

}  // namespace dissensus::process
