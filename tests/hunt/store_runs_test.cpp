// The runs of a store come back with their messages, outcomes and labels.
#include "hunt/store_runs.h"

#include <gmock/gmock.h>

#include "hunt/hunting.h"
#include "hunt/parts.h"
#include "systems/simulated/simulated.h"

namespace dissensus::hunt {
namespace {

using testing::HasSubstr;

void add_campaign(const std::string& path, const run::Scenario& scenario, std::size_t runs) {
  HuntOptions options;
  options.budget.runs = runs;
  options.all = true;
  HuntParts parts;
  parts.search = make_sample_search(scenario, options.seed);
  Store store(path);
  store.begin(describe_hunt(scenario, options));
  hunt(scenario, parts, options, nullptr, &store);
}

TEST_F(StoreTest, RunsComeBackWithMessagesAndLabels) {
  const run::Scenario buggy = run::load_scenario(kOvertaken, simulated_systems());
  add_campaign(file("store"), buggy, 60);
  add_campaign(file("store"), fixed_scenario(), 40);
  StoreSource source(file("store"), std::nullopt, simulated_systems());
  EXPECT_EQ(source.schema().nodes, 3u);
  EXPECT_EQ(source.schema().labels.front(), "agreement");
  isolate::Run run;
  std::size_t runs = 0;
  std::size_t failing = 0;
  while (source.next(run)) {
    ++runs;
    failing += run.failing ? 1 : 0;
    EXPECT_EQ(run.failing, (run.labels & 1) != 0) << run.name;
    std::size_t messages = 0;
    for (const isolate::Inbox& inbox : run.inboxes) messages += inbox.entries.size();
    EXPECT_GT(messages, 0u);
  }
  EXPECT_EQ(runs, 100u);
  EXPECT_GT(failing, 0u);
  EXPECT_LT(failing, 60u);
}

TEST_F(StoreTest, ADeclarationForOtherNodesIsRefused) {
  add_campaign(file("store"), run::load_scenario(kOvertaken, simulated_systems()), 2);
  isolate::Declaration declaration = isolate::parse_declaration(
      "format = \"dissensus-messages/1\"\nnodes = 5\n[[kind]]\nname = \"Commit\"\n"
      "fields = [{ name = \"value\", type = \"value\", compare = \"value\" }]\n",
      "messages.toml");
  try {
    StoreSource source(file("store"), declaration, simulated_systems());
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("other messages or nodes"));
  }
}

}  // namespace
}  // namespace dissensus::hunt
