// What programs see of the kernel where tests of other people found it otherwise.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/harness.h"

namespace dissensus::host {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

struct Said {
  std::string output;
  Report report;
};

Said say(std::vector<std::string> command) {
  Plan plan;
  plan.machines = {{"one", ""}};
  TestNetwork network(plan);
  Program program;
  program.name = "subject";
  program.command = std::move(command);
  const ProgramId id = network.host().start(program);
  EXPECT_TRUE(network.run_until(std::chrono::minutes(1))) << network.host().trouble();
  Report report = network.host().report();
  EXPECT_THAT(report.doubts, IsEmpty());
  return {network.output(id), std::move(report)};
}

TEST(HostKernel, ASignalEndsAWaitForAChild) {
  const Said said = say({"/usr/bin/perl", "-e",
                         "$SIG{ALRM} = sub { die }; $t = time; alarm 3;"
                         "eval { system('/bin/sleep', '6') }; print time - $t"});
  EXPECT_EQ(said.output, "3");
}

TEST(HostKernel, StandardStreamsHaveNames) {
  const Said said =
      say({"/bin/sh", "-c", "echo out > /dev/stdout; echo in | cat /dev/stdin; cat /dev/fd/0"});
  EXPECT_EQ(said.output, "out\nin\n");
}

/// Who walks through a tree does not look for folders where there can be none.
TEST(HostKernel, AFolderHasALinkForEachFolderInIt) {
  const Said said = say({"/bin/sh", "-c", "mkdir -p a/b a/c; stat -c %h a; stat -c %h /usr"});
  EXPECT_EQ(said.output, "4\n1\n");
}

TEST(HostKernel, AHiddenFileAndARefusedCallAreNoted) {
  const Said said = say({"/usr/bin/perl", "-e",
                         "open(F, '/etc/shadow') or print $!{ENOENT} ? 'hidden ' : $!;"
                         "syscall(425, 8, 0) == 0 or print $!{ENOSYS} ? 'refused' : $!"});
  EXPECT_EQ(said.output, "hidden refused");
  EXPECT_THAT(said.report.notes, Contains("/etc/shadow was hidden from subject"));
  EXPECT_THAT(said.report.notes,
              Contains("subject makes the call io_uring_setup, which is refused (ENOSYS)"));
}

/// Numbers that the machine gives to pipes and namespaces differ from run to run.
TEST(HostKernel, WhatIsBehindADescriptorHasTheSameNameInEveryRun) {
  const std::vector<std::string> command{
      "/bin/sh", "-c", "readlink /proc/self/ns/pid /proc/self/fd/1; stat -Lc %i /dev/stdout"};
  const Said first = say(command);
  EXPECT_THAT(first.output,
              ::testing::MatchesRegex("pid:\\[1[0-9]+\\]\npipe:\\[1[0-9]+\\]\n1[0-9]+\n"));
  EXPECT_EQ(say(command).output, first.output);
}

/// What comes later than the first reading has to fit into the buffers that programs ask for.
TEST(HostKernel, BuffersAreAsSmallAsAskedFor) {
  const Said said =
      say({"/usr/bin/perl", "-MSocket", "-e",
           "socket(L, PF_INET, SOCK_STREAM, 0); setsockopt(L, SOL_SOCKET, SO_RCVBUF, 4096);"
           "bind(L, sockaddr_in(7000, INADDR_LOOPBACK)); listen(L, 1);"
           "socket(C, PF_INET, SOCK_STREAM, 0); setsockopt(C, SOL_SOCKET, SO_SNDBUF, 4096);"
           "connect(C, sockaddr_in(7000, INADDR_LOOPBACK)); $all = 0;"
           "for (1 .. 500) { $w = ''; vec($w, fileno(C), 1) = 1; last unless select(undef, $w, "
           "undef, 0.01);"
           "$all += send(C, 'x' x 1000, 0x40) }"
           "print $all < 100_000 ? 'full' : $all"});
  EXPECT_EQ(said.output, "full");
}

}  // namespace
}  // namespace dissensus::host
