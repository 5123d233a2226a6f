#include "simulated_case.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "case_measurement.h"
#include "supported_consensus.h"
#include "systems/simulated/simulated.h"

namespace dissensus::studies {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string xrp(std::uint64_t drops) {
  return fmt::format("{}.{:06d}", drops / 1'000'000, drops % 1'000'000);
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) {
    result += fmt::format("{}\"{}\"", result.empty() ? "" : ", ", word);
  }
  return result;
}

/// As long as the one recorded network was watched that did not recover within a minute.
constexpr Duration kRecoveryMax = seconds(300);

/// Chosen so that in the groups without transaction delay a fifth of the payments meets another one
/// that came first, as recorded (tefPAST_SEQ for 19 of 96).
constexpr std::int64_t kClientLatenessMaxUs = 3000;

/// Seconds since 1970 at which the network clock reads 0.
constexpr std::int64_t kNetworkEpoch = 946'684'800;

}  // namespace

std::string scenario_text(const CaseSetup& setup) {
  std::string text = fmt::format(
      "format = \"dissensus-scenario/1\"\nname = \"xrpl-study\"\n\n[system]\nkind = \"xrpl\"\n"
      "profile = \"{}\"\nbugs = [{}]\nreserve = {}\n"
      "accounts = {{ alice = \"{}\", bob = \"{}\", carol = \"{}\" }}\n",
      setup.profile, quoted_list(setup.bugs), setup.reserve_xrp, xrp(setup.balance_drops[0]),
      xrp(setup.balance_drops[1]), xrp(setup.balance_drops[2]));
  if (!setup.heartbeat_ms.empty()) {
    // The round that is open at the start closes at each node's first heartbeat.
    text += fmt::format("heartbeat_phases = [{}]\nfirst_close = \"0s\"\n",
                        fmt::join(setup.heartbeat_ms, ", "));
  }
  if (!setup.heartbeat_lateness.empty()) {
    text += fmt::format("heartbeat_lateness = \"{}\"\n", setup.heartbeat_lateness);
  }
  if (!setup.accept_delay.empty()) {
    text += fmt::format("accept_delay = \"{}\"\n", setup.accept_delay);
  }
  if (setup.network_time) text += fmt::format("network_time = {}\n", *setup.network_time);
  text += fmt::format(
      "\n[network]\nlatency = {{ uniform = [\"500us\", \"2500us\"] }}\norder = \"fifo\"\n\n"
      "[schedule]\ntype = \"{}\"\n",
      setup.schedule_type);
  if (setup.schedule_type == "delay") text += "max_delay = \"4s\"\n";
  if (setup.schedule_type == "priority") {
    text += fmt::format("rate = {{ target = {} }}\n", setup.priority_target);
  }
  text +=
      "\n[oracle]\nstop_on_violation = false\n\n[oracle.termination]\nlevel = \"ledger\"\n"
      "bound = \"65s\"\n";
  constexpr std::array<std::string_view, kPayments> kTo{"bob", "bob", "carol", "carol"};
  for (std::size_t node = 0; node < kPayments; ++node) {
    text += fmt::format(
        "\n[[workload]]\nat = \"{}us\"\nnode = {}\nfrom = \"alice\"\nto = \"{}\"\namount = 80\n"
        "sequence = \"{}\"\ntag = {}\n",
        std::llround(setup.submitted_ms[node] * 1000), node, kTo[node],
        setup.same_sequence ? "same" : "next", setup.tags[node]);
  }
  return text;
}

run::Scenario make_scenario(const CaseSetup& setup) {
  return run::parse_scenario(scenario_text(setup), "xrpl-study.toml", simulated_systems());
}

void draw_tags(CaseSetup& setup, Random& random) {
  for (std::uint32_t& tag : setup.tags) tag = static_cast<std::uint32_t>(random.below(1u << 31));
}

namespace {

/// The ids of the payments by submitting node.
std::array<Digest, kPayments> payment_ids(const run::Scenario& scenario) {
  std::array<Digest, kPayments> ids{};
  for (const sim::Submission& submission : scenario.plan.submissions) {
    for (const auto& [name, value] : submission.request->fields()) {
      if (name == "transaction") ids[submission.node] = std::get<Digest>(value);
    }
  }
  return ids;
}

template <class Value>
std::array<std::size_t, kPayments> order_of(const std::array<Value, kPayments>& values) {
  std::array<std::size_t, kPayments> order{0, 1, 2, 3};
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// One run of the case with given limits, from the common beginning.
class CaseRuns {
 public:
  CaseRuns(run::Runner& runner, const run::Scenario& scenario, const faults::Schedule& schedule,
           std::uint64_t seed, const CaseOptions& options)
      : runner_(runner), scenario_(scenario), seed_(seed), options_(options) {
    // Servers took a few milliseconds, each its own, from a client's request to the open ledger.
    Random random(seed, "client");
    for (sim::Submission& submission : scenario_.plan.submissions) {
      const std::int64_t lateness_us = random.between(1000, kClientLatenessMaxUs);
      submission.at += options.warm_up + Duration(lateness_us);
    }
    std::stable_sort(scenario_.plan.submissions.begin(), scenario_.plan.submissions.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    scenario_.plan.limits.virtual_time = options.warm_up;
    const run::RunResult warm = runner_.run(scenario_, {}, seed_);
    branch_.at = warm.events;
    branch_.schedule = schedule;
  }

  run::RunResult run(Duration window) {
    scenario_.plan.limits.virtual_time = options_.warm_up + window;
    run::RunOptions run_options;
    run_options.detail = options_.messages ? trace::Detail::everything : trace::Detail::decisions;
    run_options.branch = branch_;
    return runner_.run(scenario_, {}, seed_, run_options);
  }
  run::RunResult run_with_recovery(Duration window, Duration recovery) {
    scenario_.plan.fault_phase_end = Time{} + options_.warm_up + window;
    return run(window + recovery);
  }
  const SystemDescription& description() const { return scenario_.system_description(); }

 private:
  run::Runner& runner_;
  run::Scenario scenario_;
  std::uint64_t seed_;
  CaseOptions options_;
  run::Branch branch_;
};

}  // namespace

SimulatedCase simulate_case(run::Runner& runner, const run::Scenario& scenario,
                            const faults::Schedule& schedule, std::uint64_t seed,
                            const CaseOptions& options) {
  CaseRuns runs(runner, scenario, schedule, seed, options);
  SimulatedCase result;
  result.warm_up = options.warm_up;
  // Most cases are over soon. A run that was cut too early is repeated with a later limit, which
  // changes nothing of what came before.
  for (const Duration limit : {seconds(26), seconds(45), seconds(151)}) {
    run::RunResult run = runs.run(limit);
    const CaseMeasurement measured(run.records, runs.description(), Time{} + options.warm_up);
    if (!measured.is_over() && limit != seconds(151)) continue;
    result.metrics = measured.metrics();
    if (options.messages) {
      result.unsupported = unsupported_declarations(run.records, runs.description());
    }
    result.verdict = std::move(run.verdict);
    break;
  }
  if (options.recovery) {
    // The end of a case is noticed by asking every 50 ms.
    const auto window = Duration(std::llround(result.metrics.window_s * 1e6)) + milliseconds(25);
    for (const Duration limit : {Duration(seconds(10)), Duration(seconds(60)), kRecoveryMax}) {
      const run::RunResult run = runs.run_with_recovery(window, limit);
      const auto end =
          recovery_end(run.records, runs.description(), Time{} + options.warm_up + window);
      if (!end && limit != kRecoveryMax) continue;
      result.recovered = end.has_value();
      const Duration took = end ? *end - (Time{} + options.warm_up + window) : limit;
      result.recovery_s = static_cast<double>(took.count()) / 1e6;
      break;
    }
  }
  return result;
}

RepeatedCase repeat(const RecordedCase& recorded) {
  RepeatedCase result;
  CaseSetup& setup = result.setup;
  setup.profile = recorded.version;
  setup.same_sequence = recorded.same_sequence;
  setup.reserve_xrp = recorded.reserve_xrp;
  setup.balance_drops = recorded.balance_drops;
  setup.submitted_ms = recorded.submitted_ms;
  // Two undisturbed rounds of 3 s before the one that is under way at the start. The run begins
  // with a whole second of the network clock.
  constexpr double kTwoRoundsMs = 6000;
  const double first = *std::min_element(recorded.closed_ms.begin(), recorded.closed_ms.end());
  std::int64_t warm_up = static_cast<std::int64_t>(std::ceil(kTwoRoundsMs - first));
  while ((recorded.start_epoch_ms - warm_up) % 1000 != 0) ++warm_up;
  for (const double closed : recorded.closed_ms) {
    setup.heartbeat_ms.push_back(
        std::llround(closed + static_cast<double>(warm_up) - kTwoRoundsMs));
  }
  // Any ids with the recorded order will do; 1 in 24 has it.
  Random random(0, recorded.id);
  do {
    draw_tags(setup, random);
  } while (order_of(payment_ids(make_scenario(setup))) != order_of(recorded.payment_hash));
  setup.network_time = (recorded.start_epoch_ms - warm_up) / 1000 - kNetworkEpoch;
  result.warm_up = milliseconds(warm_up);
  return result;
}

}  // namespace dissensus::studies
