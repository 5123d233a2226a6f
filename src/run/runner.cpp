#include "run/runner.h"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

#include <cxxabi.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/outside.h"

#include "faults/kinds.h"
#include "faults/online_interposer.h"
#include "faults/schedule_interposer.h"
#include "faults/words.h"
#include "run/client_history.h"
#include "run/metrics.h"
#include "run/observation.h"
#include "run/session_runs.h"
#include "run/stall.h"
#include "run/worker_process.h"
#include "sim/clock.h"
#include "sim/world.h"

namespace dissensus::run {

std::string program_version() {
  return "dissensus " DISSENSUS_VERSION;
}

namespace {

/// Notes about faults of the schedule that were as good as not there.
void note_idle_faults(const Scenario& scenario, const faults::Schedule& schedule,
                      faults::FaultInterposer* interposer, sim::World& world,
                      oracle::Verdict& verdict) {
  constexpr std::size_t kShown = 20;
  if (interposer == nullptr) return;
  const std::vector<std::size_t> idle = interposer->idle_faults(world);
  for (std::size_t i = 0; i < idle.size(); ++i) {
    oracle::Violation note;
    note.property = "fault";
    note.rule = "never-acted";
    note.time = world.now();
    note.text = i < kShown
                    ? fmt::format("a fault of the schedule did nothing in this run: {}",
                                  faults::in_words(schedule.faults.at(idle[i]),
                                                   scenario.system_description(), scenario.nodes()))
                    : fmt::format("{} more faults of the schedule did nothing", idle.size() - i);
    verdict.notes.push_back(std::move(note));
    if (i == kShown) return;
  }
}

/// What cut a run that stopped there; empty: it came to its end.
std::string cut_by(const sim::World& world, sim::StopReason stop, const Scenario& scenario) {
  switch (stop) {
    case sim::StopReason::event_limit:
      return "limits.events";
    case sim::StopReason::queue_limit:
      return "limits.queue";
    case sim::StopReason::time_limit:
      return scenario.has_end ? "" : "limits.virtual_time";
    case sim::StopReason::outside:
      return world.outside()->trouble();
    default:
      return {};
  }
}

oracle::RunEnd end_of(const sim::World& world, sim::StopReason stop, const Scenario& scenario,
                      const oracle::Oracle& oracle) {
  oracle::RunEnd end;
  end.time = world.now();
  end.quiet = stop == sim::StopReason::quiet;
  end.violated = stop == sim::StopReason::requested && !oracle.goal_reached();
  end.cut_by = cut_by(world, stop, scenario);
  end.reason = stop == sim::StopReason::outside ? end.cut_by : std::string(sim::to_string(stop));
  if (stop == sim::StopReason::requested) end.reason = end.violated ? "violation" : "goal";
  return end;
}

RunResult result_of(const sim::World& world, const oracle::RunEnd& end, Observation& observation) {
  RunResult result;
  result.verdict = observation.oracle().finish(end);
  result.hash = observation.hash();
  result.ended_by = end.reason;
  result.events = world.last_event();
  result.end = world.now();
  result.counters = world.counters();
  result.sent = observation.take_sent();
  return result;
}

oracle::Violation violation_of(const Outside::Death& death) {
  oracle::Violation violation;
  violation.property = "crash";
  violation.rule = death.manner;
  violation.nodes = {death.node};
  violation.text = death.text;
  return violation;
}

/// What happened outside that no property speaks of.
void note_remarks(sim::World& world, oracle::Verdict& verdict) {
  if (world.outside() == nullptr) return;
  for (const Outside::Remark& remark : world.outside()->remarks()) {
    oracle::Violation note;
    note.property = "process";
    note.rule = remark.manner;
    note.nodes = {remark.node};
    note.time = remark.time;
    note.text = remark.text;
    verdict.notes.push_back(std::move(note));
  }
}

/// "node 2, on receiving Vote from node 1: "; empty where no node is called.
std::string place_in_run(const sim::World& world) {
  const sim::World::Call& call = world.call();
  if (call.node == kNoNode) return {};
  std::string what;
  switch (call.type) {
    case EventType::deliver:
      what = fmt::format("on receiving {} from node {}",
                         world.description().kinds.at(call.kind).name, call.peer);
      break;
    case EventType::submit:
      what = "on a client's request";
      break;
    case EventType::start:
      what = "at its start";
      break;
    case EventType::restart:
      what = "at its restart";
      break;
    case EventType::disk:
      what = "on what its disk did";
      break;
    case EventType::timer:
      what = "on its timer";
      break;
    default:
      what = "on what happened outside";
  }
  return fmt::format("node {}, {}: ", call.node, what);
}

/// How far a call without end, or one that takes all memory, has come when it is stopped is not the
/// same twice; what it was called for is.
void forget_what_chance_decided(const oracle::Violation& violation, RunResult& result) {
  result.events = violation.event;
  result.hash = digest_of_text(fmt::format("{} {} {} {}", violation.signature(), violation.event,
                                           microseconds_of(violation.time),
                                           violation.nodes.empty() ? kNoNode : violation.nodes[0]))
                    .low;
  std::erase_if(result.records,
                [&violation](const trace::Record& record) { return record.id > violation.event; });
}

/// The run ended with the code under test: it crashed, hung, or took all memory.
RunResult ended_with_code(RunResult result, const sim::World& world, oracle::Violation violation) {
  if (violation.nodes.empty() && world.call().node != kNoNode) {
    violation.nodes = {world.call().node};
    violation.text.insert(0, place_in_run(world));
  }
  violation.event = world.handled();
  violation.time = world.now();
  result.verdict.outcome = oracle::Outcome::fail;
  result.verdict.properties.push_back({violation.property, oracle::Outcome::fail, violation.text});
  result.ended_by = violation.property;
  if (violation.property != "crash") forget_what_chance_decided(violation, result);
  result.verdict.violations.push_back(std::move(violation));
  return result;
}

oracle::Violation standstill_of(const sim::World& world, std::uint64_t limit) {
  oracle::Violation violation;
  violation.property = "hang";
  violation.rule = "no-time-passes";
  violation.text = fmt::format("{} steps at {:.6f} s, and no time passes (limits.instant)", limit,
                               static_cast<double>(microseconds_of(world.now())) / 1e6);
  return violation;
}

/// Of code that runs in this process: where it was thrown is not known any more.
oracle::Violation violation_of(const std::exception& error) {
  oracle::Violation violation;
  violation.property = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "memory" : "crash";
  int status = 0;
  char* const name = abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status);
  violation.rule = status == 0 ? name : typeid(error).name();
  std::free(name);
  violation.text = fmt::format("throws {}: {}", violation.rule, error.what());
  return violation;
}

/// The world under the schedule, up to the moment of the branch if there is one, then on.
sim::StopReason run_world(sim::World& world, const Scenario& scenario,
                          const std::optional<Branch>& branch,
                          std::unique_ptr<faults::FaultInterposer>& other) {
  if (branch) {
    const sim::StopReason stop = world.run(branch->at);
    if (stop != sim::StopReason::event_reached) return stop;
    if (branch->schedule) {
      other = faults::make_interposer(*branch->schedule, scenario.nodes(),
                                      scenario.system_description().kinds.size(),
                                      scenario.system->traits().bystanders);
      world.replace_interposer(other.get());
    }
    if (branch->seed) world.reseed(*branch->seed);
  }
  return world.run();
}

}  // namespace

namespace {
/// Schedules that were read are possible; others are made by programs, such as plugins.
void refuse_impossible_faults(const Scenario& scenario, const faults::Schedule& schedule) {
  for (const faults::Fault& fault : schedule.faults) {
    const auto obstacle = faults::obstacle_to(fault, scenario.system_description());
    if (obstacle) throw InputError(fmt::format("{}: {}", scenario.path, obstacle->text));
  }
}
}  // namespace

namespace {

/// Holds the run at its time, between two events.
class Holder final : public sim::Clock {
 public:
  Holder(const std::optional<Hold>& hold, sim::Clock* pace)
      : hold_(hold), pace_(pace), at_(hold ? hold->at : std::nullopt) {}

  /// What the world is to use.
  sim::Clock* clock() { return at_ ? this : pace_; }
  void attach(sim::World& world) { world_ = &world; }

  void advance_to(Time time) override {
    if (pace_ != nullptr) pace_->advance_to(time);
    if (!at_ || time < *at_) return;
    at_.reset();
    wait(time, "");
  }

  /// The run is over.
  void ended(const oracle::Verdict& verdict) {
    const bool is_failure = verdict.outcome == oracle::Outcome::fail;
    if (!hold_ || (hold_->at ? !at_ : !is_failure)) return;
    wait(world_->now(), verdict.violations.empty() ? "" : verdict.violations.front().text);
  }

 private:
  void wait(Time time, const std::string& why) {
    Outside* const servers = world_->outside();
    if (servers == nullptr || servers->held().empty()) return;
    const auto begin = std::chrono::steady_clock::now();
    hold_->wait(time, why, *servers);
    servers->excuse(std::chrono::steady_clock::now() - begin);
  }

  const std::optional<Hold>& hold_;
  sim::Clock* pace_;
  std::optional<Time> at_;
  sim::World* world_ = nullptr;
};

}  // namespace

Runner::Runner() = default;
Runner::~Runner() = default;

RunResult Runner::run(const Scenario& scenario, const faults::Schedule& schedule,
                      std::uint64_t seed, const RunOptions& options) {
  if (scenario.session.runs_per_start > 1) {
    if (!sessions_) sessions_ = std::make_unique<SessionRuns>();
    return sessions_->run(
        scenario, schedule, seed, options,
        [&](const System& system, const faults::Schedule& one, std::uint64_t number,
            const RunOptions& asked) { return run_here(scenario, system, one, number, asked); });
  }
  if (!scenario.system->traits().may_end_the_process) {
    return run_here(scenario, *scenario.system, schedule, seed, options);
  }
  if (!worker_) {
    worker_ = std::make_unique<WorkerProcess>(
        [this](const Scenario& s, const faults::Schedule& f, std::uint64_t n, const RunOptions& o) {
          return run_here(s, *s.system, f, n, o);
        });
  }
  return worker_->run(scenario, schedule, seed, options);
}

RunResult Runner::run_here(const Scenario& scenario, const System& system,
                           const faults::Schedule& schedule, std::uint64_t seed,
                           const RunOptions& options) {
  const SystemTraits traits = system.traits();
  refuse_impossible_faults(scenario, schedule);
  if (options.branch && options.branch->schedule) {
    refuse_impossible_faults(scenario, *options.branch->schedule);
  }
  Observation observation(scenario);
  std::optional<Recorder> recorder;
  std::optional<MetricsCollector> metrics;
  std::optional<faults::OnlineRun> online;
  std::optional<HistoryCollector> clients;
  if (options.detail != trace::Detail::hash) {
    observation.add(recorder.emplace(scenario, options.detail, options.log));
  }
  if (options.metrics) {
    observation.add(metrics.emplace(scenario.system_description(), scenario.nodes()));
  }
  if (scenario.history) observation.add(clients.emplace());
  for (EventSink* sink : options.sinks) observation.add(*sink);
  if (options.scheduler != nullptr) {
    online.emplace(*options.scheduler, scenario.genes(), scenario.space.rate);
    observation.add(*online);
  }
  const auto interposer =
      online
          ? faults::make_online_interposer(schedule, scenario.nodes(), *online, traits.bystanders)
          : faults::make_interposer(schedule, scenario.nodes(),
                                    scenario.system_description().kinds.size(), traits.bystanders);
  std::unique_ptr<faults::FaultInterposer> other;  // outlives the world that may hold it
  Holder holder(options.hold, options.clock);
  sim::World world(scenario.plan, system, seed, observation, interposer.get(), holder.clock(),
                   memory_);
  observation.attach(world);
  holder.attach(world);
  const auto finish = [&](const oracle::RunEnd& end) {
    RunResult result = result_of(world, end, observation);
    if (clients) {
      result.history_margin = clients->judge(*scenario.history, scenario.name, result.verdict);
    }
    if (world.outside() != nullptr) {
      std::string unjudged = world.outside()->unjudged();
      if (!unjudged.empty()) oracle::add_unjudged(result.verdict, std::move(unjudged));
    }
    note_remarks(world, result.verdict);
    if (recorder || options.log) {
      note_idle_faults(scenario, schedule, interposer.get(), world, result.verdict);
      if (other) {
        note_idle_faults(scenario, *options.branch->schedule, other.get(), world, result.verdict);
      }
    }
    if (recorder) {
      result.records = std::move(recorder->records);
      result.records_cut = recorder->is_cut;
    }
    if (metrics) {
      result.metrics_json = metrics->to_json(scenario.metrics, world.counters(), world.now());
    }
    if (options.log && world.outside() != nullptr) {
      result.attachments = world.outside()->attachments();
    }
    if (options.log && clients) result.attachments.push_back({"history.jsonl", clients->lines()});
    if (online) result.recorded = faults::Schedule{online->recorded(world.now()), schedule.faults};
    return result;
  };
  const auto finish_with = [&](oracle::Violation violation) {
    oracle::RunEnd end;
    end.time = world.now();
    end.violated = true;
    end.reason = violation.property;
    return ended_with_code(finish(end), world, std::move(violation));
  };
  if (traits.may_end_the_process) {
    set_crashed_run(finish_with,
                    {&world.counters().steps, recorder ? &recorder->bytes() : nullptr});
  }
  sim::StopReason stop{};
  const auto go = [&] { stop = run_world(world, scenario, options.branch, other); };
  if (traits.may_end_the_process) {
    go();  // nobody catches what is thrown there: the stack is still there when it is asked for
    end_of_foreign_code();
  } else {
    try {
      go();
    } catch (const InputError&) {
      throw;
    } catch (const OutsideError&) {
      throw;
    } catch (const std::exception& error) {
      return finish_with(violation_of(error));
    }
  }
  // What broke a property has the last word; all else must still live to have held to the end.
  if (stop != sim::StopReason::requested || observation.oracle().goal_reached()) {
    world.look_at_nodes();
  }
  if (stop == sim::StopReason::standstill) {
    return finish_with(standstill_of(world, scenario.plan.limits.instant));
  }
  const bool is_outside = stop == sim::StopReason::outside;
  const auto death = is_outside ? world.outside()->death() : std::nullopt;
  RunResult result = death ? finish_with(violation_of(*death))
                           : finish(end_of(world, stop, scenario, observation.oracle()));
  result.broken_off = is_outside && !death;
  if (!traits.may_end_the_process) {
    try {
      tell_stall_from_slowness(world, stop, result.verdict);
    } catch (const std::exception&) {
      // Code under test that fails after the end of its run is no part of the run.
    }
  }
  holder.ended(result.verdict);
  return result;
}

namespace {
std::string branch_json(const Recipe& recipe) {
  nlohmann::ordered_json json{{"at", recipe.branch->at}};
  if (recipe.branch->seed) json["seed"] = *recipe.branch->seed;
  if (recipe.branch->schedule) {
    json["schedule"] = faults::to_json(
        *recipe.branch->schedule, recipe.scenario.system_description(), recipe.scenario.nodes());
  }
  return json.dump();
}
}  // namespace

trace::Trace to_trace(const Recipe& recipe, trace::Detail detail, RunResult result) {
  const Scenario& scenario = recipe.scenario;
  trace::Trace trace;
  trace.header.program = program_version();
  trace.header.scenario = scenario.text;
  trace.header.scenario_name = scenario.name;
  trace.header.schedule =
      faults::to_json(recipe.schedule, scenario.system_description(), scenario.nodes());
  if (recipe.branch) trace.header.branch = branch_json(recipe);
  trace.header.seed = recipe.seed;
  trace.header.detail = detail;
  trace::describe(scenario.system_description(), scenario.nodes(), trace.header);
  trace.footer.hash = trace::to_hex(result.hash);
  trace.footer.events = result.events;
  trace.footer.recorded = result.records.size();
  trace.footer.stop = result.ended_by;
  trace.footer.outcome = std::string(oracle::to_string(result.verdict.outcome));
  trace.records = std::move(result.records);
  return trace;
}

}  // namespace dissensus::run
