#include "campaigns.h"

#include <bit>

#include <fmt/format.h>

#include "core/file.h"
#include "hunt/store_runs.h"
#include "run/recording.h"
#include "run/schedule_space.h"

namespace dissensus::study {

// Held out are raft (another language, clients judged by their history), by system, and vsr-three
// and pbft-seven, by their mistakes and their number of nodes: they are looked at once, when the
// method is settled. Everything may be tuned on the others.
const std::vector<CampaignPlan>& campaign_plans() {
  static const std::vector<CampaignPlan> kPlans{
      {.name = "xrpl-byzantine",
       .scenario = "experiments/causes/xrpl-byzantine.toml",
       .messages = "experiments/messages/xrpl-two-unl.toml",
       .switches = {{"incompatible-ledger", "\"incompatible-ledger\"", "", 1}},
       .without = "insufficient-support"},
      {.name = "xrpl-delays",
       .scenario = "experiments/causes/xrpl-delays.toml",
       .messages = "experiments/messages/xrpl-five.toml",
       .switches = {{"B1", "\"B1\"", "", 1},
                    {"B2", "\"B2-40\"", "", 4},
                    {"B3", "\"B3\"", "\"B3-fixed\"", 15}},
       .without = "",
       .failing = 60,  // two of the three are rare
       .successful = 60,
       .runs_max = 12'000},
      {.name = "dag-two",
       .scenario = "experiments/causes/dag.toml",
       .messages = "",
       .switches = {{"unordered-blocks", "\"unordered-blocks\"", "", 1},
                    {"wave-underflow", "\"wave-underflow\"", "", 1}},
       .without = ""},
      {.name = "dag-three",
       .scenario = "experiments/causes/dag-epochs.toml",
       .messages = "",
       .switches = {{"unordered-blocks", "\"unordered-blocks\"", "", 1},
                    {"wave-underflow", "\"wave-underflow\"", "", 4},
                    {"ignore-epoch-change", "\"ignore-epoch-change\"", "", 1}},
       .without = ""},
      // A mistake of each part of the protocol: recovery, commit, view change, clients.
      {.name = "vsr",
       .scenario = "experiments/causes/vsr.toml",
       .slot = "mistakes = []",
       .slot_before = "mistakes = [",
       .messages = "",
       .switches = {{"forgetful-restart", "\"forgetful-restart\"", "", 1},
                    {"small-commit", "\"small-commit\"", "", 4},
                    {"small-view-change", "\"small-view-change\"", "", 4},
                    {"no-client-table", "\"no-client-table\"", "", 1}},
       .without = ""},
      {.name = "pbft-environment",
       .scenario = "experiments/causes/pbft-environment.toml",
       .messages = "",
       .switches = {{"small-quorum", "\"small-quorum\"", "", 1},
                    {"view-change-forgets", "\"view-change-forgets\"", "", 1},
                    {"early-collection", "\"early-collection\"", "", 1},
                    {"constant-timeout", "\"constant-timeout\"", "", 1}},
       .without = ""},
      {.name = "pbft-byzantine",
       .scenario = "experiments/causes/pbft-byzantine.toml",
       .messages = "",
       .switches = {{"commit-any-request", "\"commit-any-request\"", "", 1},
                    {"first-reply", "\"first-reply\"", "", 1},
                    {"small-quorum", "\"small-quorum\"", "", 1}},
       .without = ""},
      // A mistake of each of three parts: normal operation, view change, state transfer.
      {.name = "vsr-three",
       .is_held_out = true,
       .scenario = "experiments/causes/vsr-three.toml",
       .slot = "mistakes = []",
       .slot_before = "mistakes = [",
       .messages = "",
       .switches = {{"fills-gaps", "\"fills-gaps\"", "", 1},
                    {"view-as-normal", "\"view-as-normal\"", "", 15},
                    {"transfer-keeps-tail", "\"transfer-keeps-tail\"", "", 15}},
       .without = ""},
      {.name = "pbft-seven",
       .is_held_out = true,
       .scenario = "experiments/causes/pbft-seven.toml",
       .messages = "",
       .switches = {{"oldest-certificate", "\"oldest-certificate\"", "", 2},
                    {"sequence-reuse", "\"sequence-reuse\"", "", 1}},
       .without = "",
       .failing = 60,  // both are rare
       .successful = 60,
       .runs_max = 12'000},
      // A run takes a tenth of a second: fewer of them.
      {.name = "raft",
       .is_held_out = true,
       .scenario = "experiments/causes/raft.toml",
       .slot = "raft.py\"]",
       .slot_before = "raft.py\", ",
       .messages = "",
       .switches = {{"reply", "\"--mistake\", \"reply\"", "", 1},
                    {"counting", "\"--mistake\", \"counting\"", "", 1},
                    {"vote", "\"--mistake\", \"vote\"", "", 1},
                    {"read", "\"--mistake\", \"read\"", "", 1}},
       .without = "",
       .failing = 60,
       .successful = 60,
       .runs_max = 3'000},
  };
  return kPlans;
}

std::vector<CampaignPlan> unequal_plans(const std::vector<std::size_t>& failing,
                                        std::size_t successful) {
  std::vector<CampaignPlan> plans;
  for (const CampaignPlan& plan : campaign_plans()) {
    const bool is_asked = plan.name == "xrpl-delays" || plan.name == "dag-three" ||
                          plan.name == "vsr" || plan.name == "pbft-environment";
    if (!is_asked) continue;
    CampaignPlan& unequal = plans.emplace_back(plan);
    unequal.quotas = failing;
    // Where there are three causes, the rarest is as rare.
    unequal.quotas.resize(unequal.switches.size());
    unequal.quotas.back() = failing.back();
    unequal.failing = 0;
    for (const std::size_t quota : unequal.quotas) unequal.failing += quota;
    unequal.successful = successful;
    unequal.runs_max = 200'000;
  }
  return plans;
}

namespace {

/// The scenario's text with the entries of all switches.
std::string with_switches(const CampaignPlan& plan, const std::string& text, std::uint64_t on) {
  std::string entries;
  for (std::size_t i = 0; i < plan.switches.size(); ++i) {
    const std::string& entry = (on >> i & 1) != 0 ? plan.switches[i].on : plan.switches[i].off;
    if (!entry.empty()) entries += fmt::format("{}{}", entries.empty() ? "" : ", ", entry);
  }
  const std::size_t place = text.find(plan.slot);
  if (place == std::string::npos)
    throw InputError(fmt::format("{}: expected {}", plan.scenario, plan.slot));
  std::string result = text;
  return entries.empty()
             ? result
             : result.replace(place, plan.slot.size(), plan.slot_before + entries + "]");
}

}  // namespace

LabelledRuns::LabelledRuns(const CampaignPlan& plan, std::uint64_t first_seed,
                           const SystemRegistry& systems)
    : plan_(plan),
      systems_(systems),
      text_(read_file(plan.scenario, 1 << 20)),
      seed_(first_seed),
      left_(plan.quotas),
      scenarios_(std::size_t{1} << plan.switches.size()) {
  const run::Scenario& scenario = scenario_with(0);
  trace::describe(scenario.system_description(), scenario.nodes(), header_);
  declaration_ = plan.messages.empty() ? isolate::declaration_of(header_)
                                       : isolate::read_declaration(plan.messages);
  collector_ = std::make_unique<isolate::InboxCollector>(declaration_, header_);
  declaration_.schema.labels.clear();
  for (const Switch& one : plan.switches) declaration_.schema.labels.push_back(one.name);
  if (!plan.without.empty()) declaration_.schema.labels.push_back(plan.without);
}

const run::Scenario& LabelledRuns::scenario_with(std::uint64_t switches) {
  std::unique_ptr<run::Scenario>& scenario = scenarios_[switches];
  if (!scenario) {
    scenario = std::make_unique<run::Scenario>(
        run::parse_scenario(with_switches(plan_, text_, switches), plan_.scenario, systems_));
  }
  return *scenario;
}

/// One switch in most runs, two or more in some, none in some.
std::uint64_t LabelledRuns::draw_switches(Random& random) const {
  if (!left_.empty()) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (left_[i] > 0) open.push_back(i);
    }
    if (open.empty() || random.chance(0.1)) return 0;
    return std::uint64_t{1} << open[random.below(open.size())];
  }
  if (random.chance(0.2)) return 0;
  std::uint64_t total = 0;
  for (const Switch& one : plan_.switches) total += one.weight;
  std::uint64_t place = random.below(total);
  std::size_t chosen = 0;
  while (place >= plan_.switches[chosen].weight) place -= plan_.switches[chosen++].weight;
  std::uint64_t on = std::uint64_t{1} << chosen;
  for (std::size_t i = 0; i < plan_.switches.size(); ++i) {
    if (random.chance(0.15)) on |= std::uint64_t{1} << i;
  }
  return on;
}

namespace {
/// Two runs fail alike: the same nodes break the same rule at the same moment.
bool is_alike(const run::RunResult& left, const run::RunResult& right) {
  if (left.verdict.violations.empty() || right.verdict.violations.empty()) return false;
  const oracle::Violation& a = left.verdict.violations.front();
  const oracle::Violation& b = right.verdict.violations.front();
  return a.signature() == b.signature() && a.time == b.time;
}
}  // namespace

std::uint64_t LabelledRuns::causes_of(std::uint64_t on, const faults::Schedule& schedule,
                                      std::uint64_t seed, const run::RunResult& result) {
  if (!plan_.without.empty()) {
    const run::RunResult off = runner_.run(scenario_with(0), schedule, seed);
    if (off.verdict.outcome == oracle::Outcome::fail) {
      return std::uint64_t{1} << plan_.switches.size();
    }
  }
  std::uint64_t fails = 0;
  std::uint64_t alike = 0;
  for (std::size_t i = 0; i < plan_.switches.size(); ++i) {
    const std::uint64_t alone = std::uint64_t{1} << i;
    if ((on & alone) == 0) continue;
    if (on == alone) return alone;
    const run::RunResult one = runner_.run(scenario_with(alone), schedule, seed);
    if (one.verdict.outcome != oracle::Outcome::fail) continue;
    fails |= alone;
    if (is_alike(one, result)) alike |= alone;
  }
  return (fails & (fails - 1)) == 0 || alike == 0 ? fails : alike;
}

/// Counts it.
bool LabelledRuns::is_wanted(std::uint64_t causes) {
  if (left_.empty()) return true;
  if (!std::has_single_bit(causes)) return false;
  std::size_t& left = left_[static_cast<std::size_t>(std::countr_zero(causes))];
  if (left == 0) return false;
  --left;
  return true;
}

bool LabelledRuns::next(isolate::Run& run) {
  while (made_ < plan_.runs_max && (failing_ < plan_.failing || successful_ < plan_.successful)) {
    const std::uint64_t seed = seed_++;
    ++made_;
    Random random(seed, "labelled-campaign");
    const std::uint64_t on = draw_switches(random);
    const run::Scenario& scenario = scenario_with(on);
    const faults::Schedule schedule = run::random_schedule(scenario, random);
    // Most runs are not kept: only those that are get a trace, by being made again.
    const run::RunResult first = runner_.run(scenario, schedule, seed);
    const bool failing = first.verdict.outcome == oracle::Outcome::fail;
    if (!failing && first.verdict.outcome != oracle::Outcome::pass) continue;
    std::size_t& count = failing ? failing_ : successful_;
    if (count >= (failing ? plan_.failing : plan_.successful)) continue;
    if (failing && !is_wanted(on)) continue;
    ++count;
    const run::RunResult result = runner_.run(scenario, schedule, seed, run::with_trace());
    hunt::read_result(result, header_, *collector_, run);
    run.name = fmt::format("{} {}", plan_.name, seed);
    run.link.clear();
    if (failing && asks_) {
      for (isolate::Sign& sign : interventions_.ask(scenario, schedule, seed, run.symptom))
        run.signs.push_back(std::move(sign));
    }
    run.labels = failing ? causes_of(on, schedule, seed, result) : 0;
    return true;
  }
  return false;
}

}  // namespace dissensus::study
