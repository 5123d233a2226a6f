#include "run/session_runs.h"

#include <utility>

#include <fmt/format.h>

#include "dissensus/outside.h"

namespace dissensus::run {

namespace {

constexpr std::int64_t kRunsPerStartMax = 1000;

/// The scenario's system, with clusters from a session.
class SystemInSession final : public System {
 public:
  SystemInSession(const System& system, Session& session) : system_(system), session_(session) {}

  const SystemDescription& description() const override { return system_.description(); }
  std::size_t node_count() const override { return system_.node_count(); }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    return session_.make_cluster(seed);
  }
  std::shared_ptr<const Request> make_request(const Options& options) const override {
    return system_.make_request(options);
  }
  std::vector<NodeId> links_of(NodeId id) const override { return system_.links_of(id); }
  SystemTraits traits() const override { return system_.traits(); }

 private:
  const System& system_;
  Session& session_;
};

std::unique_ptr<Session> make_session(const System& system, std::size_t runs_per_start) {
  const auto* const maker = dynamic_cast<const SessionMaker*>(&system);
  return maker == nullptr ? nullptr : maker->make_session(runs_per_start);
}

}  // namespace

SessionPlan read_session(const Options& options, const Scenario& scenario) {
  SessionPlan plan;
  plan.runs_per_start =
      static_cast<std::size_t>(options.integer("runs_per_start", 1, 1, kRunsPerStartMax));
  for (const Options& table : options.tables("earlier")) {
    const OptionValue schedule = table.at("schedule");
    EarlierRun& run = plan.earlier.emplace_back();
    run.seed = static_cast<std::uint64_t>(table.at("seed").integer(0));
    try {
      run.schedule = faults::parse_schedule(schedule.text(), "schedule",
                                            scenario.system_description(), scenario.nodes());
    } catch (const InputError& error) {
      schedule.fail(error.what());
    }
  }
  if (plan.earlier.size() >= plan.runs_per_start && !plan.earlier.empty()) {
    options.fail("runs_per_start",
                 fmt::format("expected more than the {} earlier runs", plan.earlier.size()));
  }
  if (plan.runs_per_start > 1 && !make_session(*scenario.system, plan.runs_per_start)) {
    options.fail("runs_per_start",
                 fmt::format("servers of \"{}\" do not stay up between runs (those of \"rippled\" "
                             "in virtual time do)",
                             scenario.system_description().name));
  }
  return plan;
}

Scenario with_earlier(const Scenario& scenario, const std::vector<EarlierRun>& earlier,
                      const SystemRegistry& systems) {
  std::string text = scenario.text;
  for (const EarlierRun& run : earlier) {
    text +=
        fmt::format("\n[[session.earlier]]\nseed = {}\nschedule = '''\n{}'''\n", run.seed,
                    faults::to_json(run.schedule, scenario.system_description(), scenario.nodes()));
  }
  return parse_scenario(text, scenario.path, systems);
}

RunResult SessionRuns::run(const Scenario& scenario, const faults::Schedule& schedule,
                           std::uint64_t seed, const RunOptions& options, const RunOn& run_on) {
  if (options.continues && scenario.session.earlier.empty()) {
    return continue_with(scenario, schedule, seed, options, run_on);
  }
  session_.reset();  // a thread has the servers of one session at a time
  const auto session = make_session(*scenario.system, scenario.session.runs_per_start);
  const SystemInSession system(*scenario.system, *session);
  for (const EarlierRun& earlier : scenario.session.earlier) {
    run_on(system, earlier.schedule, earlier.seed, {});
  }
  RunResult result = run_on(system, schedule, seed, options);
  if (session->earlier_runs() != scenario.session.earlier.size()) {
    throw OutsideError(fmt::format(
        "{}: the servers had {} runs before this one and not {}: they were started anew",
        scenario.path, session->earlier_runs(), scenario.session.earlier.size()));
  }
  return result;
}

RunResult SessionRuns::continue_with(const Scenario& scenario, const faults::Schedule& schedule,
                                     std::uint64_t seed, const RunOptions& options,
                                     const RunOn& run_on) {
  if (!session_ || system_ != scenario.system) {
    session_.reset();
    system_ = scenario.system;
    session_ = make_session(*system_, scenario.session.runs_per_start);
  }
  RunResult result;
  try {
    result = run_on(SystemInSession(*system_, *session_), schedule, seed, options);
  } catch (...) {
    session_.reset();
    throw;
  }
  if (session_->earlier_runs() == 0) since_start_.clear();
  result.earlier = since_start_;
  since_start_.push_back({result.recorded ? *result.recorded : schedule, seed});
  return result;
}

}  // namespace dissensus::run
