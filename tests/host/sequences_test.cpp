// Calls that are drawn from a seed answer as the kernel of this machine answers natively: the same
// errors, numbers of bytes, contents of sets of signals, addresses, sizes and times of files.
// DISSENSUS_SOAK=1 draws 5,000 sequences.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/harness.h"

namespace dissensus::host {
namespace {

using ::testing::IsEmpty;

struct Range {
  int first = 1;
  int count = 25;
};

std::map<std::string, std::string> by_sequence(const std::string& text) {
  std::map<std::string, std::string> sequences;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    sequences[line.substr(0, line.find('.'))] += line + "\n";
  }
  return sequences;
}

/// Where that is allowed: the ports of this machine are others' business.
void enter_network_of_its_own() {
  if (unshare(CLONE_NEWNET) != 0) return;
  const int any = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  ioctl(any, SIOCSIFFLAGS, &request);
  close(any);
}

/// As somebody without privileges, as in the sandbox.
std::string run_natively(const Range& range) {
  char folder[] = "/tmp/sequences-XXXXXX";
  if (mkdtemp(folder) == nullptr) return {};
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  const std::string file = std::string(folder) + "/output";
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644), 1);
    enter_network_of_its_own();
    constexpr unsigned kNobody = 65534;
    if (geteuid() == 0 &&
        (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0)) {
      _exit(1);
    }
    execl(HOST_SEQUENCES, HOST_SEQUENCES, folder, std::to_string(range.first).c_str(),
          std::to_string(range.count).c_str(), nullptr);
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

std::string run_here(const Range& range, Report& report) {
  Plan plan;
  plan.machines = {{"one", ""}};
  plan.visible = {HOST_SEQUENCES};
  TestNetwork network(plan);
  Program program;
  program.command = {HOST_SEQUENCES, "/node/tmp", std::to_string(range.first),
                     std::to_string(range.count)};
  const ProgramId id = network.host().start(program);
  EXPECT_TRUE(network.run_until(std::chrono::hours(1))) << network.host().trouble();
  report = network.host().report();
  return network.output(id);
}

void compare(const Range& range) {
  Report report;
  const auto here = by_sequence(run_here(range, report));
  EXPECT_THAT(report.doubts, IsEmpty());
  const auto natively = by_sequence(run_natively(range));
  EXPECT_GE(natively.size(), static_cast<std::size_t>(range.count));
  for (const auto& [number, lines] : natively) {
    const auto found = here.find(number);
    EXPECT_EQ(found == here.end() ? "" : found->second, lines);
  }
}

TEST(Sequences, AnswerAsTheyDoNatively) {
  if (std::getenv("DISSENSUS_SOAK") == nullptr) {
    compare({});
    return;
  }
  constexpr int kAll = 5000;
  constexpr int kStep = 100;
  for (int first = 1; first <= kAll; first += kStep) compare({first, kStep});
}

TEST(Sequences, AnswerTheSameInEveryRun) {
  Report first;
  Report second;
  EXPECT_EQ(run_here({}, first), run_here({}, second));
  EXPECT_EQ(first_difference(first.journal, second.journal), std::nullopt);
}

}  // namespace
}  // namespace dissensus::host
