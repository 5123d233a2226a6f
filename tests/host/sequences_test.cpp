// Calls that are drawn from a seed answer as the kernel of this machine answers natively: the same
// errors, numbers of bytes, contents of sets of signals, addresses, sizes and times of files.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/harness.h"

namespace dissensus::host {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

constexpr const char* kFirst = "1";
constexpr const char* kCount = "25";
/// Sequences that differ, and why (docs/virtual-time.md).
constexpr const char* kDiffer[] = {
    "8",  // poll of a socket whose connection was refused: readable here, not natively
};

std::map<std::string, std::string> by_sequence(const std::string& text) {
  std::map<std::string, std::string> sequences;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    sequences[line.substr(0, line.find('.'))] += line + "\n";
  }
  return sequences;
}

/// As somebody without privileges, as in the sandbox.
std::string run_natively() {
  char folder[] = "/tmp/sequences-XXXXXX";
  if (mkdtemp(folder) == nullptr) return {};
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  const std::string file = std::string(folder) + "/output";
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644), 1);
    constexpr unsigned kNobody = 65534;
    if (geteuid() == 0 &&
        (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0)) {
      _exit(1);
    }
    execl(HOST_SEQUENCES, HOST_SEQUENCES, folder, kFirst, kCount, nullptr);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove_all(folder);
  return text.str();
}

std::string run_here(Report& report) {
  Plan plan;
  plan.machines = {{"one", ""}};
  plan.visible = {HOST_SEQUENCES};
  TestNetwork network(plan);
  Program program;
  program.command = {HOST_SEQUENCES, "/node/tmp", kFirst, kCount};
  const ProgramId id = network.host().start(program);
  EXPECT_TRUE(network.run_until(std::chrono::hours(1))) << network.host().trouble();
  report = network.host().report();
  return network.output(id);
}

TEST(Sequences, AnswerAsTheyDoNatively) {
  Report report;
  const auto here = by_sequence(run_here(report));
  EXPECT_THAT(report.doubts, IsEmpty());
  std::vector<std::string> differ;
  std::vector<std::string> known(std::begin(kDiffer), std::end(kDiffer));
  for (const auto& [number, lines] : by_sequence(run_natively())) {
    const auto found = here.find(number);
    if (found != here.end() && found->second == lines) continue;
    differ.push_back(number);
    if (std::find(known.begin(), known.end(), number) != known.end()) continue;
    EXPECT_EQ(found == here.end() ? "" : found->second, lines);
  }
  EXPECT_THAT(differ, ElementsAreArray(known));
}

TEST(Sequences, AnswerTheSameInEveryRun) {
  Report first;
  Report second;
  EXPECT_EQ(run_here(first), run_here(second));
  EXPECT_EQ(first_difference(first.journal, second.journal), std::nullopt);
}

}  // namespace
}  // namespace dissensus::host
