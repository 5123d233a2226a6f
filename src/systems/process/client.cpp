#include "systems/process/client.h"

#include <algorithm>
#include <cmath>

namespace dissensus::process {

namespace {

using Json = nlohmann::json;

// Tags of timers; those of timeouts are numbers of messages.
constexpr std::uint64_t kThink = 0;
constexpr std::uint64_t kLast = ~std::uint64_t{0};
/// Numbers of messages about topology, plus the node: nobody waits for their answers.
constexpr std::int64_t kTopology = std::int64_t{1} << 40;

/// Who talks to whom in a broadcast.
Json neighbours(const Settings& settings, std::size_t node) {
  const std::size_t count = settings.nodes;
  const auto width = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  Json result = Json::array();
  for (std::size_t other = 0; other < count; ++other) {
    if (other == node) continue;
    const std::size_t low = std::min(node, other);
    const std::size_t high = std::max(node, other);
    const bool is_beside = high - low == 1;
    bool is_neighbour = true;
    if (settings.workload->topology == Topology::line) is_neighbour = is_beside;
    if (settings.workload->topology == Topology::grid) {
      is_neighbour = high - low == width || (is_beside && high % width != 0);
    }
    if (is_neighbour) result.push_back(node_name(settings, static_cast<NodeId>(other)));
  }
  return result;
}

}  // namespace

Client::Client(const Book& book, std::size_t number, SharedNumbers& numbers)
    : book_(book),
      settings_(*book.settings().workload),
      number_(number),
      workload_(make_workload(settings_, numbers)) {}

NodeId Client::own_node() const {
  return static_cast<NodeId>(number_ % book_.settings().nodes);
}

void Client::start(Context& context) {
  if (settings_.kind == WorkloadKind::broadcast) {
    for (std::size_t node = number_; node < book_.settings().nodes; node += settings_.clients) {
      tell_topology(context, static_cast<NodeId>(node));
    }
  }
  think(context);
  if (!workload_->last().function.empty()) context.set_timer(settings_.final_at, kLast);
}

void Client::tell_topology(Context& context, NodeId to) {
  Json topology = Json::object();
  for (std::size_t node = 0; node < book_.settings().nodes; ++node) {
    topology[book_.name(static_cast<NodeId>(node))] = neighbours(book_.settings(), node);
  }
  book_.send(context, to,
             {{"type", "topology"}, {"topology", topology}, {"msg_id", kTopology + to}});
}

void Client::think(Context& context) {
  const auto half = static_cast<std::uint64_t>(settings_.interval.count());
  const Duration pause{static_cast<std::int64_t>(half / 2 + context.random().below(half + 1))};
  context.set_timer(pause, kThink);
}

void Client::timer(Context& context, TimerId, std::uint64_t tag) {
  if (tag == kThink) {
    if (!asked_ && !is_over_) ask(context);
  } else if (tag == kLast) {
    if (!asked_) ask_last(context);
  } else if (asked_ && tag == static_cast<std::uint64_t>(last_id_)) {
    // Nobody answered. A read changed nothing, so that it may be taken as not asked.
    complete(context, asked_->is_read ? history::EventKind::fail : history::EventKind::info,
             asked_->value, "timeout");
  }
}

void Client::ask(Context& context) {
  if (context.now() - Time{} >= settings_.until) return;
  const NodeId to = settings_.any_node
                        ? static_cast<NodeId>(context.random().below(book_.settings().nodes))
                        : own_node();
  send(context, workload_->next(context.random()), to, false);
}

void Client::ask_last(Context& context) {
  if (!is_over_) send(context, workload_->last(), own_node(), true);
}

void Client::send(Context& context, Question question, NodeId to, bool is_final) {
  asked_ = std::move(question);
  is_final_ = is_final;
  if (asked_->in_history) {
    context.operation({history::EventKind::invoke,
                       static_cast<std::int64_t>(number_),
                       asked_->function,
                       asked_->value.dump(),
                       {},
                       is_final});
  }
  asked_->body["msg_id"] = ++last_id_;
  book_.send(context, to, asked_->body);
  context.set_timer(settings_.timeout, static_cast<std::uint64_t>(last_id_));
}

void Client::receive(Context& context, NodeId, const Message& message) {
  const Json body = Json::parse(*message.get<ProcessMessage>()->body);
  const auto reply = body.find("in_reply_to");
  if (!asked_ || reply == body.end() || *reply != last_id_) return;  // late, or another's
  const auto type = body.find("type");
  if (type == body.end() || *type != "error") {
    complete(context, history::EventKind::ok, workload_->answer(*asked_, body), {});
    return;
  }
  const auto code = body.find("code");
  const std::int64_t number = code != body.end() && code->is_number_integer()
                                  ? code->get<std::int64_t>()
                                  : std::int64_t{13};
  if (workload_->is_answer(*asked_, number)) {
    complete(context, history::EventKind::ok, asked_->value, {});
  } else {
    const bool is_sure = asked_->is_read || is_definite(number);
    complete(context, is_sure ? history::EventKind::fail : history::EventKind::info, asked_->value,
             number);
  }
}

void Client::complete(Context& context, history::EventKind kind, const Json& value,
                      const Json& error) {
  if (asked_->in_history) {
    context.operation({kind, static_cast<std::int64_t>(number_), asked_->function, value.dump(),
                       error.is_null() ? std::string() : error.dump(), is_final_});
  }
  asked_.reset();
  if (is_final_) {
    is_over_ = kind == history::EventKind::ok;
    if (!is_over_) context.set_timer(settings_.interval, kLast);
    return;
  }
  const bool has_last = !workload_->last().function.empty();
  if (has_last && context.now() - Time{} >= settings_.final_at) {
    ask_last(context);
  } else {
    think(context);
  }
}

}  // namespace dissensus::process
