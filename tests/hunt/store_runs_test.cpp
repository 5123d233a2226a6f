// The runs of a store come back with their messages, outcomes and labels.
#include "hunt/store_runs.h"

#include <set>

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

struct Counted {
  std::size_t runs = 0;
  std::size_t failing = 0;
  std::set<std::string> names;
  friend bool operator==(const Counted&, const Counted&) = default;
};

Counted count(StoreSource& source) {
  Counted counted;
  isolate::Run run;
  while (source.next(run)) {
    ++counted.runs;
    counted.failing += run.failing ? 1 : 0;
    counted.names.insert(run.name);
  }
  return counted;
}

// A run is a pure function: the same campaign made twice is no more evidence than made once.
TEST_F(StoreTest, ACampaignThatWasMadeTwiceCountsOnce) {
  const run::Scenario buggy = run::load_scenario(kOvertaken, simulated_systems());
  add_campaign(file("once"), buggy, 60);
  add_campaign(file("twice"), buggy, 60);
  add_campaign(file("twice"), buggy, 80);
  add_campaign(file("twice"), fixed_scenario(), 20);
  StoreSource once(file("once"), std::nullopt, simulated_systems());
  StoreSource first(file("twice"), std::nullopt, simulated_systems(), 1);
  const Counted truth = count(once);
  EXPECT_EQ(truth.runs, 60u);
  const Counted of_first = count(first);
  EXPECT_EQ(of_first.failing, truth.failing);
  EXPECT_THAT(first.repetitions(), testing::IsEmpty());

  StoreSource longer(file("twice"), std::nullopt, simulated_systems(), 2);
  StoreSource all(file("twice"), std::nullopt, simulated_systems());
  const Counted counted = count(all);
  EXPECT_EQ(counted.runs, 100u);
  EXPECT_EQ(counted.names.size(), 100u) << "no name is two runs";
  EXPECT_EQ(counted.failing, count(longer).failing);
  EXPECT_THAT(all.repetitions(),
              testing::ElementsAre(HasSubstr("60 of the 80 runs of hunt 2 are runs of an earlier "
                                             "hunt, made again: they count once")));
  for (const std::string& name : counted.names) {
    EXPECT_NO_THROW(all.recipe_of(name)) << name;
  }
  EXPECT_EQ(counted.names.count(file("twice") + "#3/20"), 1u) << "rows count from 1";
  EXPECT_THROW(all.recipe_of(file("twice") + "#3/21"), InputError);
  EXPECT_THROW(all.recipe_of("20"), InputError);
  for (const std::string& name : of_first.names)
    EXPECT_TRUE(counted.names.contains(name)) << "one hunt alone has other names: " << name;
  EXPECT_THROW(StoreSource(file("twice"), std::nullopt, simulated_systems(), 4), InputError);
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
