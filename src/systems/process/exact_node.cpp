#include "systems/process/exact_node.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dissensus/programs.h"

#include "core/limits.h"

namespace dissensus::process {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kToSelf = ~std::uint64_t{0};  ///< tag of the timer that delivers these
constexpr std::size_t kTimersMax = 10'000;

std::optional<std::int64_t> whole_number(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

const std::string* text_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found == line.end() ? nullptr : found->get_ptr<const std::string*>();
}

/// Whole numbers from 0 on are themselves; everything else is known by its digest.
Digest digest_of(const Json& value) {
  if (value.is_number_unsigned()) return Digest(value.get<std::uint64_t>());
  return digest_of_text(value.dump());
}

/// Objects are records, lists are sequences, {"$set": [...]} is a set.
StateValue to_state(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    StateValue::Sequence sequence;
    for (const Json& item : value) sequence.items.push_back(to_state(item));
    return sequence;
  }
  if (value.is_object() && value.size() == 1 && value.contains("$set")) {
    StateValue::Set set;
    for (const Json& item : value["$set"]) set.items.push_back(to_state(item));
    return set;
  }
  if (value.is_object()) {
    StateValue::Record record;
    for (const auto& [name, item] : value.items()) record.fields.emplace_back(name, to_state(item));
    return record;
  }
  return value.dump();
}

}  // namespace

void ExactNode::start(Context& context) {
  try {
    child_ = pool_.take();
  } catch (const OutsideError& error) {
    throw InputError(error.what());
  }
  has_answered_init_ = false;
  tell(context, book_.open_init(context.self(), Json(stored_).dump()));
  if (!is_dead_ && !has_answered_init_) {
    broken(context, Trouble::nonsense, "it was done with init without an init_ok");
  }
}

void ExactNode::restart(Context& context, const Node& before) {
  const auto& earlier = dynamic_cast<const ExactNode&>(before);
  stored_ = earlier.stored_;
  if (Child* const child = earlier.child_.get(); child != nullptr && !child->settle()) {
    // Before the crash, which ended nothing: the program stood and waited.
    context.broken(invariant_of(child->trouble()), static_cast<std::uint64_t>(child->status()));
  }
  start(context);
}

void ExactNode::ended(Context& context) {
  if (!is_dead_ && child_ && !child_->settle()) broken(context, child_->trouble(), {});
}

void ExactNode::receive(Context& context, NodeId from, const Message& message) {
  tell(context, book_.open_line(from, context.self(), *message.get<ProcessMessage>()->body));
}

void ExactNode::timer(Context& context, TimerId timer, std::uint64_t tag) {
  if (tag == kToSelf) {
    const std::string body = std::move(to_self_.front());
    to_self_.pop_front();
    tell(context, book_.open_line(context.self(), context.self(), body));
    return;
  }
  Timer& known = timers_[tag];
  if (known.pending != timer) return;
  known.pending = TimerId::none;
  tell(context, fmt::format("{{\"type\":\"timer\",\"timer\":{}", Json(known.name).dump()));
}

void ExactNode::tell(Context& context, std::string line) {
  if (is_dead_) return;
  // 32 bits: every language can hold them, and a program makes as many of them as it wants.
  line += fmt::format(",\"now\":{},\"random\":{}}}\n", microseconds_of(context.now()),
                      context.random().next() >> 32);
  child_->begin_answer(book_.settings().limits);
  is_done_ = false;
  bool is_fine = child_->write(line);
  std::string_view answer;
  while (is_fine && !is_done_ && !is_dead_ && (is_fine = child_->read(answer))) {
    ++lines_;
    if (!carry_out(context, answer) && !is_dead_) {
      broken(context, Trouble::nonsense, complaint_ + std::string(answer.substr(0, 200)));
    }
  }
  if (!is_fine && !is_dead_) broken(context, child_->trouble(), {});
  if (child_ && context.logging()) pass_on_errors(context);
}

void ExactNode::pass_on_errors(Context& context) {
  const std::string text = child_->take_errors();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) context.log(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
}

void ExactNode::broken(Context& context, Trouble trouble, std::string_view why) {
  is_dead_ = true;
  if (context.logging()) {
    if (!has_answered_init_) context.log(kNeverBegan);
    pass_on_errors(context);
    if (!why.empty()) context.log(why);
  }
  const bool has_status = trouble == Trouble::exit || trouble == Trouble::crash;
  const std::uint64_t number = has_status ? static_cast<std::uint64_t>(child_->status()) : lines_;
  child_.reset();
  context.broken(invariant_of(trouble), number);
}

bool ExactNode::carry_out(Context& context, std::string_view line) {
  static constexpr std::array<std::pair<std::string_view, Handler>, 13> kHandlers{{
      {"done", &ExactNode::on_done},
      {"set_timer", &ExactNode::on_set_timer},
      {"cancel_timer", &ExactNode::on_cancel_timer},
      {"store", &ExactNode::on_store},
      {"propose", &ExactNode::on_propose},
      {"decide", &ExactNode::on_decide},
      {"phase", &ExactNode::on_phase},
      {"round", &ExactNode::on_round},
      {"observe", &ExactNode::on_observe},
      {"state", &ExactNode::on_state},
      {"step", &ExactNode::on_step},
      {"broken", &ExactNode::on_broken},
      {"log", &ExactNode::on_log},
  }};
  if (line == R"({"type":"done"})") return is_done_ = true;  // most lines of all
  const Json parsed = parse_line(line);
  if (!parsed.is_object()) return false;
  if (parsed.contains("dest")) return on_message(context, parsed);
  const std::string* const type = text_of(parsed, "type");
  if (type == nullptr) return false;
  const auto* const handler =
      std::find_if(kHandlers.begin(), kHandlers.end(),
                   [type](const auto& known) { return known.first == *type; });
  return handler != kHandlers.end() && (this->*handler->second)(context, parsed);
}

bool ExactNode::on_message(Context& context, const Json& line) {
  const std::string* const to = text_of(line, "dest");
  const auto body = line.find("body");
  if (to == nullptr || body == line.end() || !body->is_object()) return false;
  const std::string* const type = text_of(*body, "type");
  if (type == nullptr) return false;
  if (*to == kWorldName) {
    if (*type != "init_ok") return false;
    has_answered_init_ = true;
    child_->can_reset = body->value("reset", Json(false)) == Json(true);
    return true;
  }
  const NodeId id = book_.find(*to);
  if (!is_declared(id != kNoNode, to, "there is no such node")) return false;
  if (id == context.self()) {
    to_self_.push_back(body->dump());
    context.set_timer(Duration{}, kToSelf);
  } else {
    book_.send(context, id, *body);
  }
  return true;
}

bool ExactNode::on_done(Context&, const Json&) {
  return is_done_ = true;
}

std::uint64_t ExactNode::timer_number(const std::string& name) {
  const auto found = std::find_if(timers_.begin(), timers_.end(),
                                  [&name](const Timer& timer) { return timer.name == name; });
  const auto number = static_cast<std::uint64_t>(found - timers_.begin());
  if (found == timers_.end()) timers_.push_back({name});
  return number;
}

bool ExactNode::on_set_timer(Context& context, const Json& line) {
  const std::string* const name = text_of(line, "timer");
  const auto after = whole_number(line, "after");
  if (name == nullptr || !after || *after < 0 || Duration{*after} > kVirtualTimeMax) return false;
  const std::uint64_t number = timer_number(*name);
  if (number > kTimersMax) return false;
  Timer& timer = timers_[number];
  context.cancel_timer(timer.pending);
  timer.pending = context.set_timer(Duration{*after}, number);
  return true;
}

bool ExactNode::on_cancel_timer(Context& context, const Json& line) {
  const std::string* const name = text_of(line, "timer");
  if (name == nullptr) return false;
  Timer& timer = timers_[timer_number(*name)];
  context.cancel_timer(std::exchange(timer.pending, TimerId::none));
  return true;
}

bool ExactNode::on_store(Context&, const Json& line) {
  const std::string* const key = text_of(line, "key");
  const auto value = line.find("value");
  if (key == nullptr || value == line.end()) return false;
  if (value->is_null()) {
    stored_.erase(*key);
  } else {
    stored_[*key] = *value;
  }
  return true;
}

bool ExactNode::on_propose(Context& context, const Json& line) {
  const std::string* const name = text_of(line, "level");
  const auto level = book_.level(name == nullptr ? "value" : std::string_view(*name));
  const auto instance = whole_number(line, "instance");
  if (!is_declared(level.has_value(), name, "system.level")) return false;
  if (!instance || *instance < 0 || !line.contains("value")) return false;
  context.proposed(*level, static_cast<std::uint64_t>(*instance), digest_of(line["value"]));
  return true;
}

bool ExactNode::on_decide(Context& context, const Json& line) {
  const std::string* const name = text_of(line, "level");
  const auto level = book_.level(name == nullptr ? "value" : std::string_view(*name));
  const auto instance = whole_number(line, "instance");
  if (!is_declared(level.has_value(), name, "system.level")) return false;
  if (!instance || *instance < 0 || !line.contains("value")) return false;
  context.decided(*level, static_cast<std::uint64_t>(*instance), digest_of(line["value"]));
  return true;
}

bool ExactNode::is_declared(bool is_known, const std::string* name, const char* key) {
  if (!is_known && name != nullptr) {
    complaint_ = fmt::format("'{}' is not declared ({}): ", *name, key);
  }
  return is_known;
}

bool ExactNode::on_phase(Context& context, const Json& line) {
  const std::string* const name = text_of(line, "phase");
  const auto phase = name == nullptr ? std::nullopt : book_.phase(*name);
  if (!is_declared(phase.has_value(), name, "system.phases")) return false;
  context.phase(*phase);
  return true;
}

bool ExactNode::on_round(Context& context, const Json& line) {
  const auto round = whole_number(line, "round");
  if (!round || *round < 0) return false;
  context.round(static_cast<std::uint64_t>(*round));
  return true;
}

bool ExactNode::on_observe(Context& context, const Json& line) {
  const std::string* const name = text_of(line, "name");
  const auto value = whole_number(line, "value");
  const auto observable = name == nullptr ? std::nullopt : book_.observable(*name);
  if (!is_declared(observable.has_value(), name, "system.observables") || !value) return false;
  context.observe(*observable, *value);
  return true;
}

bool ExactNode::on_state(Context&, const Json& line) {
  const auto state = line.find("state");
  if (state == line.end() || !state->is_object()) return false;
  StateValue value = to_state(*state);
  if (auto* const record = std::get_if<StateValue::Record>(&value.value))
    state_ = std::move(*record);
  return true;
}

bool ExactNode::on_step(Context& context, const Json& line) {
  const std::string* const name = text_of(line, "name");
  const auto step = name == nullptr ? std::nullopt : book_.step(*name);
  if (!is_declared(step.has_value(), name, "system.step")) return false;
  if (line.contains("state") && !on_state(context, line)) return false;
  if (!context.stepping()) return true;
  std::vector<StateValue> arguments;
  for (const Json& argument : line.value("arguments", Json::array())) {
    arguments.push_back(to_state(argument));
  }
  context.step(*step, arguments);
  return true;
}

bool ExactNode::on_broken(Context& context, const Json& line) {
  const std::string* const name = text_of(line, "invariant");
  const auto invariant = name == nullptr ? std::nullopt : book_.invariant(*name);
  if (!is_declared(invariant.has_value(), name, "system.invariant")) return false;
  context.broken(*invariant, static_cast<std::uint64_t>(whole_number(line, "number").value_or(0)));
  return true;
}

bool ExactNode::on_log(Context& context, const Json& line) {
  const std::string* const text = text_of(line, "text");
  if (text != nullptr && context.logging()) context.log(*text);
  return text != nullptr;
}

}  // namespace dissensus::process
