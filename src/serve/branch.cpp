#include "serve/branch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/limits.h"
#include "faults/single.h"
#include "faults/words.h"
#include "run/recording.h"
#include "serve/json_text.h"
#include "trace/dependence.h"
#include "trace/labels.h"
#include "trace/parting.h"

namespace dissensus::serve {

namespace {

constexpr std::array<std::string_view, 8> kChangeNames{"drop",  "delay", "duplicate", "lie",
                                                       "crash", "pause", "isolate",   "seed"};
constexpr Duration kMoment = std::chrono::microseconds(1);

bool is_about_message(Change::Type type) {
  return type == Change::Type::drop || type == Change::Type::delay ||
         type == Change::Type::duplicate || type == Change::Type::lie;
}

Duration read_time(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end() || !found->is_number()) {
    throw InputError(fmt::format("{}: expected a number of milliseconds", key));
  }
  const double milliseconds = found->get<double>();
  constexpr double kMost = 3'600'000;
  if (!(milliseconds > 0 && milliseconds <= kMost)) {
    throw InputError(fmt::format("{}: expected more than 0 and at most {} ms", key, kMost));
  }
  return Duration(std::max<std::int64_t>(1, static_cast<std::int64_t>(milliseconds * 1000)));
}

std::uint64_t read_number(const Json& body, const char* key, std::uint64_t limit) {
  const auto found = body.find(key);
  if (found == body.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() >= limit) {
    throw InputError(fmt::format("{}: expected a number from 0 to {}", key, limit - 1));
  }
  return found->get<std::uint64_t>();
}

/// The send of the message that an event is about.
std::size_t send_of(const LoadedRun& run, std::size_t record) {
  std::size_t at = record;
  if (run.records()[at].type != EventType::send) at = run.cause[at];
  if (at == trace::kNoIndex || run.records()[at].type != EventType::send ||
      run.records()[record].kind == kNoKind) {
    throw InputError(
        fmt::format("event {} is about no message: choose one that is sent, arrives or "
                    "is lost",
                    run.records()[record].id));
  }
  return at;
}

/// Faults name messages by sender, receiver, kind and the microsecond of sending; of several equal
/// ones all up to the chosen one are meant.
std::uint32_t equal_ones(const LoadedRun& run, std::size_t send) {
  const trace::Record& chosen = run.records()[send];
  std::uint32_t count = 1;
  for (std::size_t at = send; at-- > 0;) {
    const trace::Record& earlier = run.records()[at];
    if (earlier.time != chosen.time) break;
    if (earlier.type == EventType::send && earlier.node == chosen.node &&
        earlier.peer == chosen.peer && earlier.kind == chosen.kind) {
      ++count;
    }
  }
  return count;
}

faults::Window window_at(Time from, std::optional<Duration> length) {
  faults::Window window;
  window.from = from - Time{};
  if (length) window.until = window.from + *length;
  return window;
}

faults::Fault lie_of(const LoadedRun& run, const trace::Record& send, std::size_t index,
                     const Change& change) {
  const SystemDescription& system = run.recipe->scenario.system_description();
  const KindDescription& kind = system.kinds.at(send.kind);
  if (kind.step == kNoStep) {
    throw InputError(
        fmt::format("{} belongs to no step of the protocol: lies are told by round", kind.name));
  }
  const std::uint64_t reported = run.round[index];
  const std::uint64_t round =
      (reported - std::min(reported, system.first_round)) * system.round_steps + kind.step;
  return faults::lie(send.node, round, send.peer, change.seed, change.field);
}

faults::Fault message_fault(const LoadedRun& run, const Change& change) {
  const std::size_t index = send_of(run, change.record);
  const trace::Record& send = run.records()[index];
  const faults::MessageFilter filter{send.node, send.peer, send.kind};
  const faults::Window window = window_at(send.time, kMoment);
  const std::uint32_t count = equal_ones(run, index);
  switch (change.type) {
    case Change::Type::drop:
      return faults::lost(filter, window, count);
    case Change::Type::delay:
      return faults::late(filter, window, count, *change.time);
    case Change::Type::duplicate:
      return faults::doubled(filter, window, count, *change.time);
    default:
      return lie_of(run, send, index, change);
  }
}

/// Right after the event: what happens in the same microsecond has happened.
faults::Fault node_fault(const LoadedRun& run, const Change& change) {
  const Time moment = run.records()[change.record].time + kMoment;
  switch (change.type) {
    case Change::Type::crash:
      return faults::down(change.node, moment - Time{}, change.time);
    case Change::Type::pause:
      return faults::paused(change.node, window_at(moment, change.time));
    default:
      return faults::cut_off(change.node, window_at(moment, change.time));
  }
}

std::string seconds_text(Time time) {
  return fmt::format("{:.6f} s", static_cast<double>(microseconds_of(time)) / 1e6);
}

/// What was changed, for people.
std::string words_of_change(const LoadedRun& run, const Change& change) {
  const trace::Record& record = run.records()[change.record];
  const std::string length = change.time ? " for " + faults::in_words(*change.time) : " for good";
  const std::string after = fmt::format("right after event {} ({}) node {}", record.id,
                                        seconds_text(record.time), change.node);
  switch (change.type) {
    case Change::Type::crash:
      return fmt::format("{} is down{}", after, length);
    case Change::Type::pause:
      return fmt::format("{} stands still{}", after, length);
    case Change::Type::isolate:
      return fmt::format("{} is cut off{}", after, length);
    default:
      break;
  }
  const std::size_t index = send_of(run, change.record);
  const trace::Record& send = run.records()[index];
  const std::uint32_t count = equal_ones(run, index);
  const std::string which = fmt::format(
      "{} from node {} to node {}, sent at {}{},", trace::kind_name(run.trace.header, send.kind),
      send.node, send.peer, seconds_text(send.time),
      count > 1 ? fmt::format(" (and the {} before it in the same microsecond)", count - 1) : "");
  switch (change.type) {
    case Change::Type::drop:
      return which + " is lost";
    case Change::Type::delay:
      return fmt::format("{} is {} late", which, faults::in_words(*change.time));
    case Change::Type::duplicate:
      return which + " arrives twice";
    default:
      return fmt::format("node {} lies to node {} about {} in the round of that message", send.node,
                         send.peer, change.field.empty() ? "something" : change.field);
  }
}

/// When a change begins to act.
Time begins_at(const LoadedRun& run, const Change& change) {
  const bool is_message = is_about_message(change.type);
  return run.records()[is_message ? send_of(run, change.record) : change.record].time;
}

void refuse_without_effect(const LoadedRun& run, const Change& change) {
  if (change.type == Change::Type::seed) return;
  const Time begin = begins_at(run, change);
  for (const trace::Record& record : run.records()) {
    if (record.type != EventType::phase_end || record.time > begin) continue;
    throw InputError(
        fmt::format("the fault phase of the scenario ended at {} s (event {}): nothing can be "
                    "changed from then on",
                    static_cast<double>(microseconds_of(record.time)) / 1e6, record.id));
  }
}

}  // namespace

Change parse_change(const std::string& json, const LoadedRun& run) {
  const Json body = Json::parse(json, nullptr, false);
  if (!body.is_object()) throw InputError("expected a JSON object");
  Change change;
  const std::string type = body.value("type", Json()).is_string() ? body["type"] : "";
  const auto* const found = std::find(kChangeNames.begin(), kChangeNames.end(), type);
  if (found == kChangeNames.end()) {
    throw InputError(
        fmt::format("type: '{}', expected one of {}", type, fmt::join(kChangeNames, ", ")));
  }
  change.type = static_cast<Change::Type>(found - kChangeNames.begin());
  change.record = static_cast<std::size_t>(
      read_number(body, "record", std::max<std::size_t>(1, run.records().size())));
  if (body.contains("time_ms") && !body["time_ms"].is_null())
    change.time = read_time(body, "time_ms");
  const bool needs_time = change.type == Change::Type::delay ||
                          change.type == Change::Type::pause ||
                          change.type == Change::Type::isolate;
  if (needs_time && !change.time) throw InputError("time_ms: expected a number of milliseconds");
  if (change.type == Change::Type::duplicate && !change.time) change.time = kMoment;
  if (change.type == Change::Type::crash || change.type == Change::Type::pause ||
      change.type == Change::Type::isolate) {
    change.node = static_cast<NodeId>(read_number(body, "node", run.trace.header.nodes));
  }
  if (change.type == Change::Type::seed || change.type == Change::Type::lie) {
    change.seed = read_number(body, "seed", std::uint64_t{1} << 53);
  }
  if (body.contains("field") && body["field"].is_string()) change.field = body["field"];
  return change;
}

run::Recipe changed_recipe(const LoadedRun& run, const Change& change, std::string& words) {
  if (!run.recipe) throw InputError("this run cannot be made again: " + run.not_repeatable);
  refuse_without_effect(run, change);
  run::Recipe recipe = *run.recipe;
  recipe.hash.clear();
  const trace::Record& record = run.records().at(change.record);
  if (change.type == Change::Type::seed) {
    if (recipe.branch && recipe.branch->at != record.id) {
      throw InputError("this run has already been continued with another seed or schedule");
    }
    if (!recipe.branch) recipe.branch.emplace();
    recipe.branch->at = record.id;
    recipe.branch->seed = change.seed;
    words = fmt::format("from event {} on, seed {}", record.id, change.seed);
    return recipe;
  }
  const faults::Fault fault =
      is_about_message(change.type) ? message_fault(run, change) : node_fault(run, change);
  // A schedule that replaced another one in mid-run is the one that acts from there on.
  const bool is_later = recipe.branch && recipe.branch->schedule && record.id > recipe.branch->at;
  faults::Schedule& schedule = is_later ? *recipe.branch->schedule : recipe.schedule;
  if (schedule.faults.size() >= faults::kFaultsMax) throw InputError("too many faults");
  schedule.faults.push_back(fault);
  const run::Scenario& scenario = recipe.scenario;
  // Read back, so that only what a file can say is run.
  schedule = faults::parse_schedule(
      faults::to_json(schedule, scenario.system_description(), scenario.nodes()), "branch",
      scenario.system_description(), scenario.nodes());
  words = words_of_change(run, change);
  return recipe;
}

BranchResult make_branch(const LoadedRun& run, const Change& change) {
  recipe_that_repeats(run);
  BranchResult branch;
  branch.recipe = changed_recipe(run, change, branch.words);
  run::RunOptions options = run::with_everything();
  options.branch = branch.recipe.branch;
  const auto begin = std::chrono::steady_clock::now();
  branch.result = run::Runner().run(branch.recipe.scenario, branch.recipe.schedule,
                                    branch.recipe.seed, options);
  branch.simulated_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  branch.recipe.hash = trace::to_hex(branch.result.hash);
  branch.run = load_run(branch.recipe, branch.result);
  branch.first_difference = first_difference(run, *branch.run);
  return branch;
}

std::optional<std::size_t> first_difference(const LoadedRun& a, const LoadedRun& b) {
  const std::size_t common = std::min(a.records().size(), b.records().size());
  for (std::size_t index = 0; index < common; ++index) {
    if (!trace::is_same_event(a.records()[index], b.records()[index])) return index;
  }
  if (a.records().size() == b.records().size()) return std::nullopt;
  return common;
}

}  // namespace dissensus::serve
