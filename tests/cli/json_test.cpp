// Every verb speaks JSON: README says so.
#include <cctype>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// The verbs that a help text lists under any heading: words with two blanks after them, in lines
/// that are not about arguments.
std::vector<std::string> verbs_in(const std::string& help) {
  std::istringstream lines(help);
  std::vector<std::string> verbs;
  bool is_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(':')) is_list = line != "Arguments:";
    const std::size_t end = line.size() > 2 ? line.find(' ', 2) : line.npos;
    const bool has_two_blanks = end != line.npos && line.find_first_not_of(' ', end) >= end + 2;
    if (is_list && line.starts_with("  ") && std::islower(line[2]) != 0 && has_two_blanks) {
      verbs.push_back(line.substr(2, end - 2));
    }
  }
  return verbs;
}

TEST(Json, IsAnOptionOfEveryVerbAndOfEveryPartOfOne) {
  const WorkFolder folder;
  std::size_t leaves = 0;
  const std::vector<std::string> verbs = verbs_in(folder.run({"--help"}).out);
  EXPECT_GE(verbs.size(), 16u);
  for (const std::string& verb : verbs) {
    const std::string help = folder.run({verb, "--help"}).out;
    const std::vector<std::string> parts = verbs_in(help);
    leaves += parts.empty() ? 1 : parts.size();
    if (parts.empty()) {
      EXPECT_THAT(help, HasSubstr("--json")) << verb;
    }
    for (const std::string& part : parts) {
      EXPECT_THAT(folder.run({verb, part, "--help"}).out, HasSubstr("--json"))
          << verb << ' ' << part;
    }
  }
  EXPECT_GE(leaves, 25u);
}

TEST(Json, ReportExportAndCompletionSayWhatTheyMade) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const json report = json::parse(folder.run({"report", "runs/latest", "--json"}).out);
  EXPECT_EQ(report["report"], "runs/latest/report.html");
  EXPECT_EQ(report["shrunk"], true);
  EXPECT_THAT(report["replay"].get<std::string>(), HasSubstr(" replay runs/latest/minimal"));
  EXPECT_THAT(report["signature"].get<std::string>(), HasSubstr("agreement"));
  EXPECT_EQ(folder.run({"report", "runs/latest", "--quiet"}).out, "");

  const json drawn =
      json::parse(folder.run({"export", "runs/latest", "--to", "dot", "--json"}).out);
  EXPECT_EQ(drawn["format"], "dot");
  EXPECT_EQ(drawn["content"], read_text(folder.file("runs/latest/graph.dot")));
  const json written = json::parse(
      folder.run({"export", "runs/latest", "--to", "dot", "--out", "a \"b\".dot", "--json"}).out);
  EXPECT_EQ(written["written"], "a \"b\".dot");

  const json completion = json::parse(folder.run({"completion", "bash", "--json"}).out);
  EXPECT_EQ(completion["script"], folder.run({"completion", "bash"}).out);
}

}  // namespace
}  // namespace dissensus::cli_test
