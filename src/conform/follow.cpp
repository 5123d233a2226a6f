#include "conform/follow.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace dissensus::conform {
namespace {

constexpr std::size_t kValueShown = 600;
constexpr std::size_t kPlacesShown = 4;

/// What logs tell of where the mapping itself says it: nothing that could run.
class DescribedSystem final : public System {
 public:
  explicit DescribedSystem(const Mapping& mapping) {
    description_.name = mapping.name;
    for (const MappingStep& step : mapping.steps) {
      description_.steps.push_back({step.name, step.arguments});
    }
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return 0; }

 private:
  SystemDescription description_;
};

InputValues usual_values(const Mapping& mapping) {
  InputValues values;
  for (const MappingInput& input : mapping.inputs) {
    values.push_back(input.usual.value_or(input.from));
  }
  return values;
}

std::unique_ptr<System> described_system(const Mapping& mapping) {
  if (mapping.steps.empty()) return nullptr;
  return std::make_unique<DescribedSystem>(mapping);
}

std::optional<run::Scenario> scenario_of(const Mapping& mapping, const Variant& variant,
                                         const SystemRegistry& systems) {
  if (!mapping.steps.empty()) return std::nullopt;
  return load_scenario(mapping, variant, usual_values(mapping), systems);
}

std::string shortened(std::string text) {
  if (text.size() > kValueShown) text = text.substr(0, kValueShown) + "...";
  return text;
}

}  // namespace

std::string_view to_string(FollowReport::Result result) {
  switch (result) {
    case FollowReport::Result::conforms:
      return "conforms";
    case FollowReport::Result::violation:
      return "violation";
    case FollowReport::Result::unknown:
      break;
  }
  return "unknown";
}

Follower::Follower(const Mapping& mapping, const Variant& variant, const SystemRegistry& systems,
                   std::vector<std::string> logs, const FollowOptions& options)
    : mapping_(mapping),
      options_(options),
      system_(described_system(mapping)),
      scenario_(scenario_of(mapping, variant, systems)),
      machine_(load_model(mapping, variant, usual_values(mapping))),
      bound_(mapping, machine_, scenario_ ? *scenario_->system : *system_),
      json_(machine_.spec()),
      model_(bound_, options.limits.states),
      matcher_(machine_, *this, bound_.hidden(), options.limits) {
  for (std::string& name : logs) logs_.push_back({std::move(name), 0, false, false, {}});
  match_ = matcher_.start();
  if (match_ == tla::Match::refused) {
    throw InputError(fmt::format("{}: the model has no initial state", machine_.spec().path()));
  }
  collect_at_ = machine_.store().bytes() + options_.collect_bytes;
}

Follower::~Follower() = default;

std::size_t Follower::process_of(std::uint32_t node, std::size_t log) {
  const auto [found, is_new] = process_of_node_.emplace(node, processes_.size());
  if (is_new) {
    processes_.push_back({node, log, 0, {}, {}, {}});
    matcher_.add_process();
  } else if (processes_[found->second].log != log) {
    throw InputError(fmt::format(
        "{}:{}: node {} has lines in {} as well: expected one log per node", logs_[log].name,
        logs_[log].lines, node, logs_[processes_[found->second].log].name));
  }
  return found->second;
}

void Follower::add(std::size_t log, std::string_view text, std::optional<double> now) {
  Log& source = logs_[log];
  ++source.lines;
  source.latest = now;
  const auto line = read_node_log_line(bound_.system().steps, text,
                                       fmt::format("{}:{}", source.name, source.lines));
  if (!line) return;
  ++report_.lines;
  const std::size_t process = process_of(line->node, log);
  const std::uint64_t position = processes_[process].lines++;
  note_sends(process, *line, position);
  report_.receives += line->receives.size();
  processes_[process].held.push_back({log, source.lines, std::string(text), *line, position, now});
}

void Follower::end(std::size_t log, bool is_cut) {
  logs_[log].is_ended = true;
  logs_[log].is_cut = is_cut;
}

void Follower::note_sends(std::size_t process, const NodeLogLine& line, std::uint64_t position) {
  for (const std::string& message : line.sends) {
    ++report_.sends;
    if (messages_.emplace(message, std::pair{process, position}).second) {
      message_order_.push_back(message);
    }
  }
  while (messages_.size() > options_.messages_most) {
    const auto oldest = messages_.find(message_order_.front());
    if (!matcher_.is_forgotten(oldest->second.first, oldest->second.second)) return;
    messages_.erase(oldest);
    message_order_.pop_front();
    forgot_messages_ = true;
  }
}

bool Follower::wants(std::size_t log) const {
  std::size_t waiting = 0;
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    if (processes_[process].log != log) continue;
    waiting += processes_[process].held.size() + matcher_.waiting(process);
  }
  return waiting < options_.ahead_most;
}

bool Follower::has_lone_receive(const Held& held) const {
  const auto& receives = held.content.receives;
  return std::any_of(receives.begin(), receives.end(),
                     [&](const std::string& message) { return !messages_.contains(message); });
}

/// For a send that a log may still tell of.
bool Follower::must_wait(const Held& held, std::optional<double> now) const {
  if (forgot_messages_ || !has_lone_receive(held)) return false;
  const bool is_late = now && held.arrived && options_.lag_seconds > 0 &&
                       *now - *held.arrived > options_.lag_seconds;
  if (is_late) return false;
  return std::any_of(logs_.begin(), logs_.end(), [](const Log& log) { return !log.is_ended; });
}

/// The process whose next line is the earliest of those that need not wait; none: nullopt.
std::optional<std::size_t> Follower::next_to_release(std::optional<double> now) const {
  std::optional<std::size_t> next;
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    const std::deque<Held>& held = processes_[process].held;
    if (held.empty() || must_wait(held.front(), now)) continue;
    const auto time = [&](std::size_t one) {
      return processes_[one].held.front().content.at_seconds.value_or(0);
    };
    if (!next || time(process) < time(*next)) next = process;
  }
  return next;
}

void Follower::release(std::optional<double> now) {
  // In the order of their times, so that --skew finds what is earlier.
  while (const auto process = next_to_release(now)) release_first(*process);
}

void Follower::release_first(std::size_t process) {
  std::deque<Held>& held = processes_[process].held;
  Held line = std::move(held.front());
  held.pop_front();
  enter(process, std::move(line));
}

Observation Follower::observe(const NodeLogLine& line, const std::string& place) {
  Observation observation{*line.step, static_cast<NodeId>(line.node), {}, {}};
  try {
    for (const LogJson& argument : line.arguments) {
      observation.arguments.push_back(json_.value_of(argument, machine_.store()));
    }
    if (!line.state.is_null()) {
      observation.state = json_.value_of(line.state, machine_.store());
    }
  } catch (const tla::ValueError& error) {
    throw InputError(fmt::format("{}: {}", place, error.what()));
  }
  return observation;
}

void Follower::enter(std::size_t process, Held held) {
  tla::CausalEvent event;
  event.number = next_number_++;
  event.is_stable = true;  // messages alone
  order_by_messages(held, event);
  if (held.arrived && options_.lag_seconds > 0) {
    order_by_time(process, *held.arrived, options_.lag_seconds, &Process::arrivals, event);
    processes_[process].arrivals.emplace_back(*held.arrived, held.position);
  }
  if (held.content.at_seconds && options_.skew_seconds) {
    order_by_time(process, *held.content.at_seconds, *options_.skew_seconds, &Process::times,
                  event);
    processes_[process].times.emplace_back(*held.content.at_seconds, held.position);
  }
  Seen seen;
  seen.number = event.number;
  seen.log = held.log;
  seen.line = held.line;
  seen.text = std::move(held.text);
  seen.at_seconds = held.content.at_seconds;
  if (held.content.step) {
    ++report_.steps;
    seen.is_step = true;
    seen.observation = observe(held.content, fmt::format("{}:{}", logs_[held.log].name, held.line));
    BoundMapping::Meaning meaning = bound_.meaning(seen.observation);
    using Type = BoundMapping::Meaning::Type;
    seen.is_unmapped = meaning.type == Type::unmapped;
    seen.is_compared = meaning.type != Type::pending;
    seen.labels = std::move(meaning.labels);
    event.is_stable = meaning.is_stable || meaning.type == Type::pending;
  }
  seen_.push_back(std::move(seen));
  matcher_.add(process, std::move(event));
}

void Follower::order_by_messages(const Held& held, tla::CausalEvent& event) {
  for (const std::string& message : held.content.receives) {
    const auto sent = messages_.find(message);
    if (sent == messages_.end()) {
      ++report_.lone_receives;
    } else if (!matcher_.is_forgotten(sent->second.first, sent->second.second)) {
      event.after.push_back(sent->second);
    }
  }
}

/// The line comes after the last one of each other node that is so much older.
void Follower::order_by_time(std::size_t process, double time, double apart, Times Process::*times,
                             tla::CausalEvent& event) {
  for (std::size_t other = 0; other < processes_.size(); ++other) {
    if (other == process) continue;
    Times& theirs = processes_[other].*times;
    while (theirs.size() > 1 && theirs[1].first < time - apart) theirs.pop_front();
    if (theirs.empty() || theirs.front().first >= time - apart) continue;
    if (!matcher_.is_forgotten(other, theirs.front().second)) {
      event.after.emplace_back(other, theirs.front().second);
    }
  }
}

bool Follower::is_silent(const Log& log, std::optional<double> now) const {
  if (log.is_ended) return true;
  const std::optional<double> since = log.latest ? log.latest : began_;
  return now && since && options_.lag_seconds > 0 && *now - *since > options_.lag_seconds;
}

/// Every log has said which nodes it is of, or is not waited for.
bool Follower::has_begun(std::optional<double> now) const {
  return std::all_of(logs_.begin(), logs_.end(),
                     [&](const Log& log) { return log.lines > 0 || is_silent(log, now); });
}

/// All logs are far ahead, and each waits for another: a send that is further ahead still.
void Follower::break_deadlock() {
  for (std::size_t log = 0; log < logs_.size(); ++log) {
    if (!logs_[log].is_ended && wants(log)) return;
  }
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    if (processes_[process].held.empty()) continue;
    release_first(process);
    return;
  }
}

bool Follower::advance(std::optional<double> now) {
  if (match_ != tla::Match::admitted) return false;
  if (now && !began_) began_ = now;
  if (!has_begun(now)) return true;
  release(now);
  break_deadlock();
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    const Process& one = processes_[process];
    matcher_.set_silent(process, one.held.empty() && is_silent(logs_[one.log], now));
  }
  match_ = matcher_.advance();
  if (match_ != tla::Match::admitted) {
    if (matcher_.is_circular()) {
      throw InputError(fmt::format(
          "{}: the logs contradict each other: messages are received before they are sent",
          logs_.front().name));
    }
    report_.refusal = refusal();
    return false;
  }
  forget();
  return true;
}

const Follower::Seen& Follower::seen_at(std::size_t number) const {
  return seen_[number - seen_.front().number];
}

bool Follower::steps(std::size_t event, const tla::State& from,
                     tla::FunctionRef<bool(const tla::State&)> visit) {
  const Seen& seen = seen_at(event);
  if (!seen.is_step) {
    visit(from);
    return true;
  }
  if (seen.is_unmapped) return true;
  const auto reached = model_.advance_all({from}, seen.labels);
  if (!reached) return false;
  for (const tla::State& state : *reached) {
    const bool fits = !seen.is_compared || bound_.fits(seen.observation, state);
    if (fits && !visit(state)) break;
  }
  return true;
}

void Follower::forget() {
  const std::size_t oldest = matcher_.oldest_number();
  while (!seen_.empty() && seen_.front().number < oldest) seen_.pop_front();
  if (machine_.store().bytes() >= collect_at_) collect();
}

/// Values that nobody needs any more go; those of waiting lines stay.
void Follower::collect() {
  model_.forget();
  std::vector<tla::State*> keep;
  std::vector<tla::State> states(seen_.size());
  for (std::size_t index = 0; index < seen_.size(); ++index) {
    Seen& seen = seen_[index];
    keep.push_back(&seen.observation.arguments);
    for (tla::Label& label : seen.labels) keep.push_back(&label.arguments);
    if (seen.observation.state.is_null()) continue;
    states[index] = {seen.observation.state};
    keep.push_back(&states[index]);
  }
  matcher_.collect(keep);
  for (std::size_t index = 0; index < seen_.size(); ++index) {
    if (!states[index].empty()) seen_[index].observation.state = states[index].front();
  }
  collect_at_ = machine_.store().bytes() + options_.collect_bytes;
}

std::string Follower::place_of(const Seen& seen) const {
  return fmt::format("{}:{}", logs_[seen.log].name, seen.line);
}

/// Which of two lines to name: by their times, if they have any. Nothing but the name depends on
/// it.
bool Follower::is_earlier(const Seen& a, const Seen& b) const {
  if (a.at_seconds && b.at_seconds && *a.at_seconds != *b.at_seconds) {
    return *a.at_seconds < *b.at_seconds;
  }
  return a.number < b.number;
}

/// The first of those lines that could not be read where the logs were read furthest.
LogRefusal Follower::refusal() {
  const auto& refused = matcher_.refusals();
  const auto earliest =
      std::min_element(refused.begin(), refused.end(), [&](const auto& a, const auto& b) {
        return is_earlier(seen_at(a.number), seen_at(b.number));
      });
  const Seen& seen = seen_at(earliest->number);
  LogRefusal result{logs_[seen.log].name, seen.line, 0, shortened(seen.text), {}, {}, {}};
  result.node = seen.observation.node;
  result.violation = model_.explained(seen.observation, seen.labels, {earliest->state});
  result.violation.step = matcher_.read() + 1;
  if (seen.is_unmapped) {
    result.violation.message = fmt::format("the mapping has no entry for this {} event",
                                           bound_.event_name(seen.observation.event));
  }
  const std::vector<std::string>& variables = machine_.spec().variables();
  for (std::size_t index = 0; index < variables.size(); ++index) {
    result.state.emplace_back(variables[index], shortened(tla::to_string(earliest->state[index])));
  }
  std::set<std::string> others;
  for (const auto& one : refused) {
    if (one.number != earliest->number) others.insert(place_of(seen_at(one.number)));
  }
  for (const std::string& place : others) {
    if (result.others.size() < kPlacesShown) result.others.push_back(place);
  }
  return result;
}

FollowReport Follower::report() {
  FollowReport report = report_;
  report.nodes = processes_.size();
  report.most_readings = matcher_.most_readings();
  report.model_steps = model_.performed();
  report.checked_pairs = matcher_.checked_pairs();
  report.coverage = bound_.coverage();
  report.waiting = matcher_.waiting();
  for (const Process& process : processes_) report.waiting += process.held.size();

  std::vector<std::string>& gaps = report.not_covered;
  if (report.steps == 0) gaps.push_back("no log has a step");
  if (match_ != tla::Match::admitted && !matcher_.doubt().empty()) gaps.push_back(matcher_.doubt());
  if (report.refusal && !matcher_.doubt().empty()) {
    gaps.push_back(
        fmt::format("what follows {}:{}, which none of the readings that were kept admits",
                    report.refusal->log, report.refusal->line));
  }
  using Result = FollowReport::Result;
  const bool lacks_lines = report.lone_receives > 0;
  if (match_ == tla::Match::refused && !lacks_lines) {
    report.result = Result::violation;
  } else {
    report.result = gaps.empty() && !report.refusal ? Result::conforms : Result::unknown;
  }
  if (lacks_lines) {
    gaps.push_back(fmt::format(
        "{} receives whose send is in no log: lines are missing, and they are not ordered by it",
        report.lone_receives));
  }
  // What does not change the verdict on the lines that were read.
  if (report.waiting > 0 && !report.refusal) {
    gaps.push_back(fmt::format("{} lines that wait for others", report.waiting));
  }
  for (const Log& log : logs_) {
    if (log.is_cut)
      gaps.push_back(fmt::format("the end of {}: its last line is incomplete", log.name));
    if (log.lines == 0) gaps.push_back(fmt::format("{}: it is empty", log.name));
  }
  if (!mapping_.properties.empty()) {
    gaps.push_back("properties of the mapping: they are about all nodes at one moment");
  }
  return report;
}

}  // namespace dissensus::conform
