// The steps and states that validators report to formal models (specs/xrpl/README.md).
#include "systems/xrpl/steps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "run/runner.h"
#include "run/scenario.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"
#include "systems/xrpl/simulation.h"

namespace dissensus::xrpl::testing {
namespace {

struct Reported {
  NodeId node;
  Step step;
  std::vector<StateValue> arguments;
  StateValue::Record state;
};

class StepSink final : public EventSink {
 public:
  void on_event(const Event&) override {}
  bool wants_steps() const override { return true; }
  void on_step(const StepReport& report) override {
    steps.push_back({report.node,
                     static_cast<Step>(report.step),
                     {report.arguments.begin(), report.arguments.end()},
                     *report.state});
  }
  std::vector<Reported> steps;
};

const std::string& text_of(const StateValue& value) {
  return std::get<std::string>(value.value);
}
std::int64_t number_of(const StateValue& value) {
  return std::get<std::int64_t>(value.value);
}
const StateValue& field(const Reported& reported, std::string_view name) {
  for (const auto& [key, value] : reported.state.fields) {
    if (key == name) return value;
  }
  throw std::out_of_range(std::string(name));
}

/// Conflicting payments under random delays of up to four seconds.
run::Scenario slow_scenario(const std::string& bugs) {
  return run::parse_scenario(
      "format = \"dissensus-scenario/1\"\nname = \"steps\"\n[system]\n"
      "kind = \"xrpl\"\nbugs = [" +
          bugs + "]\n" + std::string(kAccounts) + double_spend("same") + R"(
[network]
latency = "1ms"
order = "any"
[schedule]
type = "delay"
max_delay = "4s"
[limits]
virtual_time = "40s"
)",
      "test", simulated_systems());
}

std::vector<Reported> steps_of(const run::Scenario& scenario, std::uint64_t seed) {
  Random random(seed);
  const faults::Schedule schedule = run::random_schedule(scenario, random);
  StepSink sink;
  run::RunOptions options;
  options.sinks = {&sink};
  run::Runner().run(scenario, schedule, seed, options);
  return std::move(sink.steps);
}

/// Protects: whoever listens to steps sees the run as it would have been.
TEST(Steps, ListeningChangesNothing) {
  const run::Scenario scenario = slow_scenario("\"B3-fixed\"");
  Random random(1);
  const faults::Schedule schedule = run::random_schedule(scenario, random);
  StepSink sink;
  run::RunOptions options;
  options.sinks = {&sink};
  const auto heard = run::Runner().run(scenario, schedule, 1, options);
  const auto unheard = run::Runner().run(scenario, schedule, 1, {});
  EXPECT_EQ(heard.hash, unheard.hash);
  EXPECT_GT(sink.steps.size(), 200u);
}

/// Protects: mappings name arguments and fields, so all steps of a kind have the same.
TEST(Steps, HaveTheArgumentsThatAreDescribed) {
  const std::vector<StepDescription> described = describe_steps();
  const std::vector<Reported> steps = steps_of(slow_scenario("\"B3-fixed\""), 2);
  EXPECT_GT(steps.size(), 100u);
  for (const Reported& reported : steps) {
    const auto index = static_cast<std::size_t>(reported.step);
    ASSERT_LT(index, described.size());
    EXPECT_EQ(reported.arguments.size(), described[index].arguments.size())
        << described[index].name;
    EXPECT_EQ(reported.state.fields.size(), 11u);
  }
}

/// Protects: a round is started, closed, accepted and built, in this order, and a ledger that is
/// signed was built just before.
TEST(Steps, FollowTheOrderOfARound) {
  std::map<NodeId, Step> last;
  std::map<NodeId, std::string> built;
  for (const Reported& reported : steps_of(slow_scenario("\"B3-fixed\""), 3)) {
    const bool first = !last.contains(reported.node);
    const Step before = first ? Step::build : last[reported.node];
    switch (reported.step) {
      case Step::close:
        EXPECT_EQ(before, Step::start_round);
        EXPECT_EQ(text_of(field(reported, "phase")), "establish");
        break;
      case Step::accept:
        EXPECT_EQ(before, Step::close);
        EXPECT_EQ(text_of(field(reported, "phase")), "accepted");
        break;
      case Step::build:
        EXPECT_TRUE(before == Step::accept || first);
        built[reported.node] = text_of(reported.arguments[0]);
        EXPECT_EQ(text_of(field(reported, "closed")), built[reported.node]);
        break;
      case Step::validate:
        EXPECT_EQ(text_of(reported.arguments[0]), built[reported.node]);
        continue;
      case Step::start_round:
        EXPECT_EQ(text_of(field(reported, "phase")), "open");
        EXPECT_EQ(text_of(field(reported, "prior")), text_of(reported.arguments[0]));
        break;
      default:
        continue;
    }
    last[reported.node] = reported.step;
  }
  EXPECT_EQ(last.size(), 5u);
}

/// Positions that replaced a newer one of the same peer in the same round.
std::size_t regressions(const std::vector<Reported>& steps) {
  std::map<std::pair<NodeId, std::int64_t>, std::int64_t> newest;
  std::size_t count = 0;
  for (const Reported& reported : steps) {
    if (reported.step == Step::start_round || reported.step == Step::switch_ledger) {
      std::erase_if(newest, [&](const auto& entry) { return entry.first.first == reported.node; });
    } else if (reported.step == Step::expire) {
      newest.erase({reported.node, number_of(reported.arguments[0])});
    } else if (reported.step == Step::receive_proposal) {
      const std::pair key{reported.node, number_of(reported.arguments[0])};
      const std::int64_t seq = number_of(reported.arguments[1]);
      if (newest.contains(key) && seq <= newest[key]) ++count;
      newest[key] = seq;
    }
  }
  return count;
}

/// Protects: the guard of RecvProposal tells B1 from the correct rule.
TEST(Steps, ShowOldProposalsOnlyWithB1) {
  std::size_t correct = 0;
  std::size_t faulty = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    correct += regressions(steps_of(slow_scenario("\"B3-fixed\""), seed));
    faulty += regressions(steps_of(slow_scenario("\"B1\", \"B3-fixed\""), seed));
  }
  EXPECT_EQ(correct, 0u);
  EXPECT_GT(faulty, 0u);
}

/// The fewest signatures that a node knew when it took a ledger for fully validated.
std::size_t fewest_signatures(const std::vector<Reported>& steps) {
  std::map<std::pair<NodeId, std::string>, std::set<std::int64_t>> signers;
  std::size_t fewest = SIZE_MAX;
  for (const Reported& reported : steps) {
    if (reported.step == Step::validate && std::get<bool>(reported.arguments[1].value)) {
      signers[{reported.node, text_of(reported.arguments[0])}].insert(reported.node);
    } else if (reported.step == Step::receive_validation &&
               std::get<bool>(reported.arguments[3].value)) {
      signers[{reported.node, text_of(reported.arguments[1])}].insert(
          number_of(reported.arguments[0]));
    } else if (reported.step == Step::fully_validate) {
      const std::string& ledger = text_of(reported.arguments[0]);
      fewest = std::min(fewest, signers[{reported.node, ledger}].size());
      EXPECT_EQ(text_of(field(reported, "valid")), ledger);
    }
  }
  return fewest;
}

/// Protects: the guard of FullyValidate tells B2 from the correct rule; no signature is missed.
TEST(Steps, ShowTheSignaturesOfAQuorum) {
  EXPECT_GE(fewest_signatures(steps_of(slow_scenario("\"B3-fixed\""), 1)), 4u);
  EXPECT_LT(fewest_signatures(steps_of(slow_scenario("\"B2-40\", \"B3-fixed\""), 1)), 4u);
}

/// The smallest share of positions, in percent, with which a round ended by agreement.
std::int64_t smallest_share(const std::vector<Reported>& steps) {
  std::int64_t smallest = 100;
  for (const Reported& reported : steps) {
    if (reported.step != Step::accept || text_of(reported.arguments[0]) != "yes") continue;
    const std::int64_t self = std::get<bool>(field(reported, "proposing").value) ? 1 : 0;
    const std::int64_t total = number_of(field(reported, "positions"));
    if (total == 0) continue;
    smallest =
        std::min(smallest, (number_of(field(reported, "agreeing")) + self) * 100 / (total + self));
  }
  return smallest;
}

/// Protects: the guard of Accept tells a threshold of 40 % from one of 80 %.
TEST(Steps, ShowTheShareThatEndedARound) {
  std::int64_t correct = 100;
  std::int64_t faulty = 100;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    correct = std::min(correct, smallest_share(steps_of(slow_scenario("\"B3-fixed\""), seed)));
    faulty = std::min(
        faulty,
        smallest_share(steps_of(slow_scenario("\"consensus-threshold-40\", \"B3-fixed\""), seed)));
  }
  EXPECT_GE(correct, 80);
  EXPECT_LT(faulty, 80);
}

}  // namespace
}  // namespace dissensus::xrpl::testing
