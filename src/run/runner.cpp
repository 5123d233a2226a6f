#include "run/runner.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "faults/online_interposer.h"
#include "faults/schedule_interposer.h"
#include "oracle/oracle.h"
#include "run/worker_process.h"

namespace dissensus::run {

std::string program_version() {
  return "dissensus " DISSENSUS_VERSION;
}

namespace {

bool is_message_or_timer(EventType type) {
  return type == EventType::send || type == EventType::deliver || type == EventType::drop ||
         type == EventType::duplicate || type == EventType::timer;
}

/// Sees every event of a run: hashes it, shows it to the oracle, keeps what is asked for, and ends
/// the fault phase and the run when their time has come.
class Observer final : public EventSink {
 public:
  Observer(const Scenario& scenario, const RunOptions& options)
      : scenario_(scenario),
        options_(options),
        oracle_(scenario.oracle, scenario.system_description(), scenario.nodes()) {
    if (options.metrics) metrics_.emplace(scenario.system_description(), scenario.nodes());
  }

  void attach(sim::World& world, faults::OnlineRun* online) {
    world_ = &world;
    online_ = online;
    is_observed_ = options_.observer != nullptr || online_ != nullptr;
    if (is_observed_) sent_.resize(scenario_.system_description().kinds.size());
  }
  /// Nodes that the schedule makes lie are exempt from all properties.
  void exempt(const faults::Schedule& schedule) {
    for (const NodeId node : faults::byzantine_nodes(schedule.faults)) oracle_.mark_faulty(node);
  }
  bool wants_log() const override { return options_.log; }
  bool wants_steps() const override {
    return options_.observer != nullptr && options_.observer->wants_steps();
  }
  void on_step(const StepReport& step) override { options_.observer->on_step(step); }

  void on_event(const Event& event) override {
    hash_.add(event);
    oracle_.on_event(event);
    if (options_.detail != trace::Detail::hash) keep(event);
    if (metrics_) metrics_->on_event(event);
    if (is_observed_) {
      // Messages are counted here: a call for each of them would cost more than all the rest.
      if (event.type == EventType::send) {
        ++sent_[event.message->kind()];
      } else if (event.type >= EventType::propose) {
        show(event);
      }
    }
    if (event.type == EventType::decide) end_phase_if_reached();
    if (oracle_.goal_reached() || (scenario_.stop_on_violation && oracle_.violated())) {
      world_->request_stop();
    }
  }

  /// The run ends here because the code under test ends the process.
  RunResult crash(const sim::World& world, oracle::Violation violation) {
    violation.event = world.last_event();
    violation.time = world.now();
    RunResult result = finish(world, sim::StopReason::event_limit);
    result.verdict.outcome = oracle::Outcome::fail;
    result.verdict.properties.push_back({"crash", oracle::Outcome::fail, violation.text});
    result.verdict.violations.push_back(std::move(violation));
    result.ended_by = "crash";
    return result;
  }

  RunResult finish(const sim::World& world, sim::StopReason stop) {
    RunResult result;
    oracle::RunEnd end;
    end.time = world.now();
    end.quiet = stop == sim::StopReason::quiet;
    end.cut = stop == sim::StopReason::event_limit || stop == sim::StopReason::queue_limit ||
              stop == sim::StopReason::outside;
    end.reason = stop == sim::StopReason::outside ? world.outside()->trouble()
                                                  : std::string(sim::to_string(stop));
    if (stop == sim::StopReason::requested) {
      end.reason = oracle_.goal_reached() ? "goal" : "violation";
    }
    result.broken_off = stop == sim::StopReason::outside;
    result.verdict = oracle_.finish(end);
    result.hash = hash_.value();
    result.ended_by = end.reason;
    result.events = world.last_event();
    result.end = world.now();
    result.counters = world.counters();
    result.sent = std::move(sent_);
    result.records = std::move(records_);
    result.records_cut = records_cut_;
    if (metrics_)
      result.metrics_json = metrics_->to_json(scenario_.metrics, world.counters(), world.now());
    return result;
  }

 private:
  void show(const Event& event) {
    if (options_.observer != nullptr) options_.observer->on_event(event);
    if (online_ != nullptr) online_->on_event(event);
  }

  void keep(const Event& event) {
    if (options_.detail == trace::Detail::decisions && is_message_or_timer(event.type)) return;
    if (record_bytes_ >= scenario_.plan.limits.trace_bytes) {
      records_cut_ = true;
      return;
    }
    trace::Record& record =
        records_.emplace_back(trace::to_record(event, scenario_.system_description()));
    record_bytes_ +=
        sizeof(trace::Record) + record.fields.size() * sizeof(FieldValue) + record.text.size();
  }

  void end_phase_if_reached() {
    if (!scenario_.fault_phase) return;
    const FaultPhase& phase = *scenario_.fault_phase;
    const auto reached = [](std::int64_t decided, const std::optional<std::uint64_t>& wanted) {
      return wanted && decided >= static_cast<std::int64_t>(*wanted);
    };
    if (reached(oracle_.least_decided(phase.level), phase.all) ||
        reached(oracle_.most_decided(phase.level), phase.any)) {
      world_->end_fault_phase();
    }
  }

  const Scenario& scenario_;
  const RunOptions& options_;
  trace::TraceHash hash_;
  oracle::Oracle oracle_;
  std::optional<MetricsCollector> metrics_;
  std::vector<std::uint64_t> sent_;
  std::vector<trace::Record> records_;
  std::uint64_t record_bytes_ = 0;
  bool records_cut_ = false;
  sim::World* world_ = nullptr;
  faults::OnlineRun* online_ = nullptr;
  bool is_observed_ = false;
};

}  // namespace

namespace {
/// A real server has one process and one clock.
void refuse_simulated_faults(const Scenario& scenario, const std::vector<faults::Fault>& list) {
  for (const faults::Fault& fault : list) {
    if (std::holds_alternative<faults::TwinsFault>(fault) ||
        std::holds_alternative<faults::SkewFault>(fault)) {
      throw InputError(fmt::format(
          "{}: the schedule has {}, which real servers cannot be given; run it simulated",
          scenario.path,
          std::holds_alternative<faults::TwinsFault>(fault) ? "twins" : "a wrong clock"));
    }
  }
}
}  // namespace

Runner::Runner() = default;
Runner::~Runner() = default;

RunResult Runner::run(const Scenario& scenario, const faults::Schedule& schedule,
                      std::uint64_t seed, const RunOptions& options) {
  if (!scenario.system->may_end_the_process()) return run_here(scenario, schedule, seed, options);
  if (options.scheduler != nullptr) {
    throw InputError(scenario.path +
                     ": system.forked: online searches decide within the process, expected false");
  }
  if (!worker_) {
    worker_ = std::make_unique<WorkerProcess>(
        [this](const Scenario& s, const faults::Schedule& f, std::uint64_t n, const RunOptions& o) {
          return run_here(s, f, n, o);
        });
  }
  return worker_->run(scenario, schedule, seed, options);
}

RunResult Runner::run_here(const Scenario& scenario, const faults::Schedule& schedule,
                           std::uint64_t seed, const RunOptions& options) {
  if (scenario.system->is_live()) refuse_simulated_faults(scenario, schedule.faults);
  const std::size_t kinds = scenario.system_description().kinds.size();
  Observer observer(scenario, options);
  observer.exempt(schedule);
  if (options.branch && options.branch->schedule) observer.exempt(*options.branch->schedule);
  std::optional<faults::OnlineRun> online;
  if (options.scheduler != nullptr) {
    online.emplace(*options.scheduler, scenario.genes(), scenario.space.rate);
  }
  const auto interposer = online
                              ? faults::make_online_interposer(schedule, scenario.nodes(), *online)
                              : faults::make_interposer(schedule, scenario.nodes(), kinds);
  std::unique_ptr<sim::Interposer> other;  // outlives the world that may hold it
  sim::World world(scenario.plan, *scenario.system, seed, observer, interposer.get(), options.clock,
                   memory_);
  observer.attach(world, online ? &*online : nullptr);
  if (scenario.system->may_end_the_process()) {
    set_crashed_run([&](const oracle::Violation& crash) { return observer.crash(world, crash); });
  }
  if (options.branch) {
    const Branch& branch = *options.branch;
    const sim::StopReason stop = world.run(branch.at);
    if (stop != sim::StopReason::event_reached) return observer.finish(world, stop);
    if (branch.schedule) {
      other = faults::make_interposer(*branch.schedule, scenario.nodes(), kinds);
      world.replace_interposer(other.get());
    }
    if (branch.seed) world.reseed(*branch.seed);
  }
  const sim::StopReason stop = world.run();
  RunResult result = observer.finish(world, stop);
  if (options.log && world.outside() != nullptr)
    result.attachments = world.outside()->attachments();
  if (online) result.recorded = faults::Schedule{online->recorded(world.now()), schedule.faults};
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
