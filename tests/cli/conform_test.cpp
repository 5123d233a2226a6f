// The verb conform, as a person would use it.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;

const std::string kMapping = kSourceFolder + "/specs/dag/mapping.toml";

TEST(Conform, ModelAndImplementationAgree) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"conform", "check", kMapping, "--rounds", "2", "--walks", "2/200", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["result"], "conforms");
  EXPECT_EQ(json["traces"], 4);
  EXPECT_GT(json["steps"], 1000);
}

// A bug is found, shrunk to the three steps that show it, written, and found again from the file.
TEST(Conform, AFindingIsShrunkAndRepeated) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"conform", "check", kMapping, "--set", "system.bugs=[\"future-vertices\"]",
                  "--out", "finding.json"});
  ASSERT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Type-I violation"));
  EXPECT_THAT(result.out, HasSubstr("r <= round[p]"));
  EXPECT_THAT(result.out, HasSubstr("the steps that show it (3"));
  EXPECT_THAT(result.out, HasSubstr("again: dissensus conform replay finding.json"));
  const CommandResult again = folder.run({"conform", "replay", "finding.json"});
  EXPECT_EQ(again.exit_code, 1) << again.err;
  EXPECT_THAT(again.out, HasSubstr("r <= round[p]"));
}

// The verdict matrix of the ten historic violations, and of the XRP Ledger's bugs.
TEST(Conform, CataloguesGetTheExpectedVerdicts) {
  const WorkFolder folder;
  for (const std::string spec : {"dag", "xrpl"}) {
    const CommandResult result =
        folder.run({"conform", "catalogue", kSourceFolder + "/specs/" + spec + "/violations.toml"});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  }
}

// Nobody may read "they agree" where only the beginning of a run was compared.
TEST(Conform, RunsLongerThanTheLimitAreJudgedInPart) {
  const WorkFolder folder;
  std::vector<std::string> words{"conform",  "check", kMapping,        "--workflow", "one",
                                 "--rounds", "1",     "--limit-steps", "50"};
  const CommandResult text = folder.run(words);
  EXPECT_EQ(text.exit_code, 3) << text.err;
  EXPECT_THAT(text.out, HasSubstr("agree as far as they were compared"));
  EXPECT_THAT(text.out, HasSubstr("judged in part: of 1 traces only the first 50 steps"));
  words.push_back("--json");
  const CommandResult result = folder.run(words);
  EXPECT_EQ(result.exit_code, 3) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["result"], "incomplete");
  EXPECT_EQ(json["cut_traces"], 1);
  EXPECT_EQ(json["steps"], 50);

  folder.write("catalogue.toml", "format = \"dissensus-catalogue/1\"\nmapping = \"" + kMapping +
                                     "\"\n[[violation]]\nnumber = \"5\"\ntitle = \"epochs\"\n"
                                     "side = \"implementation\"\none = \"none\"\n"
                                     "two = \"Type-II\"\n[violation.settings]\n"
                                     "\"system.bugs\" = '[\"ignore-epoch-change\"]'\n");
  const CommandResult table =
      folder.run({"conform", "catalogue", "catalogue.toml", "--limit-steps", "50"});
  EXPECT_EQ(table.exit_code, 1) << table.err;
  EXPECT_THAT(table.out, HasSubstr("none so far (3/3, 27 of 27 traces judged in part)"));
  EXPECT_THAT(table.out, HasSubstr("| NO |"));
}

TEST(Conform, BadInputIsRefusedOnOneLine) {
  const WorkFolder folder;
  const auto refusal = [&](const std::vector<std::string>& words) {
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    return result.err;
  };
  EXPECT_THAT(refusal({"conform", "chek", kMapping}), HasSubstr("no verb 'chek', did you mean"));
  EXPECT_THAT(refusal({"conform"}), HasSubstr("expected what to do"));
  EXPECT_THAT(refusal({"conform", "check", "none.toml"}), HasSubstr("none.toml"));
  EXPECT_THAT(refusal({"conform", "check", kMapping, "--inputs", "3"}), HasSubstr("such as 3/2"));
  EXPECT_THAT(refusal({"conform", "check", kMapping, "--constant", "Nodes"}),
              HasSubstr("expected NAME=VALUE"));
  EXPECT_THAT(refusal({"conform", "check", kMapping, "--set", "system.nodes="}),
              HasSubstr("--set system.nodes=: expected NAME=VALUE"));
  EXPECT_THAT(refusal({"conform", "check", kMapping, "--set", "system.bugs=[\"future-vertex\"]"}),
              HasSubstr("did you mean 'future-vertices'"));
  folder.write("finding.json", "{\"format\": \"other\"}");
  EXPECT_THAT(refusal({"conform", "replay", "finding.json"}), HasSubstr("finding.json:1"));
}

}  // namespace
}  // namespace dissensus::cli_test
