#include "systems/live/servers/process.h"

#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "systems/live/servers/network_fixture.h"

namespace dissensus::live {
namespace {

using ::testing::HasSubstr;

bool exists(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

int end_of(Process& process) {
  for (int i = 0; i < 2000; ++i) {
    if (const auto status = process.poll()) return *status;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ADD_FAILURE() << "the process does not end";
  return -1;
}

std::string error_of_call(const std::function<void()>& call) {
  try {
    call();
  } catch (const LiveError& error) {
    return error.what();
  }
  return "no error";
}

class Processes : public ::testing::Test {
 protected:
  Process shell(const std::string& script) {
    return spawner_->spawn({{"/bin/sh", "-c", script}, {"COLOUR=green"}, output()});
  }
  std::string output() const { return folder_.path() + "/output.log"; }
  std::string script(const std::string& name, const std::string& content) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << content << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Spawner> spawner_ = std::make_unique<Spawner>();
};

// The end of a process is told in words, with the code or the signal's name.
TEST_F(Processes, ExitIsDescribed) {
  Process leaves = shell("exit 3");
  EXPECT_EQ(exit_text(end_of(leaves)), "exited with code 3");
  EXPECT_FALSE(leaves.running());
  Process crashes = shell("kill -SEGV $$");
  EXPECT_EQ(exit_text(end_of(crashes)), "killed by signal 11 (SIGSEGV)");
}

// Output and errors go to the file, the environment is ours plus what was added, input is empty.
TEST_F(Processes, OutputAndEnvironment) {
  Process process = shell("cat; echo out $COLOUR; echo err >&2");
  EXPECT_EQ(exit_text(end_of(process)), "exited with code 0");
  EXPECT_EQ(last_lines(output(), 5), "out green | err");
  EXPECT_EQ(last_lines(output(), 1), "err");
  EXPECT_EQ(last_lines(folder_.path() + "/none", 1), "");
}

// A child inherits no descriptor of ours: neither sockets nor files that others hold locks on.
TEST_F(Processes, DescriptorsAreClosed) {
  const int leak = ::open("/dev/null", O_RDONLY);  // no O_CLOEXEC, on purpose
  Process process = shell("ls /proc/self/fd | tr '\\n' ' '");
  end_of(process);
  ::close(leak);
  // 3 is the folder that ls itself reads.
  EXPECT_EQ(last_lines(output(), 1), "0 1 2 3 ");
}

// What a server started itself dies with it: the whole group is killed.
TEST_F(Processes, GroupIsKilled) {
  Process process = shell("sleep 60 & echo $!; wait");
  pid_t grandchild = 0;
  for (int i = 0; i < 400 && grandchild == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::ifstream(output()) >> grandchild;
  }
  ASSERT_GT(grandchild, 0);
  EXPECT_EQ(::getpgid(grandchild), process.pid());
  const auto status = process.kill();
  ASSERT_TRUE(status);
  EXPECT_EQ(exit_text(*status), "killed by signal 9 (SIGKILL)");
  for (int i = 0; i < 400 && ::getpgid(grandchild) > 0 && exists(grandchild); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // Its new parent reaps it some time; until then it is a zombie without a life.
  std::string state;
  std::ifstream(fmt::format("/proc/{}/stat", grandchild)) >> state >> state >> state;
  EXPECT_TRUE(state.empty() || state == "Z") << state;
}

// Children die when the thread that started them ends, even if nobody kills them; none is a zombie.
TEST_F(Processes, DieWithTheSpawner) {
  Process process = shell("sleep 60");
  const pid_t pid = process.pid();
  EXPECT_TRUE(exists(pid));
  spawner_.reset();
  EXPECT_EQ(exit_text(end_of(process)), "killed by signal 9 (SIGKILL)");
  EXPECT_FALSE(exists(pid));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// A program that cannot be started, or whose output cannot be written, is an error, not a dead
// child.
TEST_F(Processes, FailureToStartIsTold) {
  const auto start = [&](const std::string& program, const std::string& output_file) {
    return error_of_call([&] { spawner_->spawn({{program}, {}, output_file}); });
  };
  EXPECT_THAT(start("/no/such/program", output()), HasSubstr("No such file"));
  EXPECT_THAT(start("/bin/true", "/no/such/folder/log"), HasSubstr("/no/such/folder/log"));
  const std::string data = folder_.path() + "/data";
  std::ofstream(data) << "no program";
  std::filesystem::permissions(data, std::filesystem::perms::owner_all);
  EXPECT_THAT(start(data, output()), HasSubstr("Exec format error"));
}

// A missing or unusable binary is named in one line.
TEST_F(Processes, BinaryIsLookedFor) {
  const auto find = [](const std::string& name) {
    return error_of_call([&] { find_rippled(name); });
  };
  EXPECT_EQ(find("/no/such/rippled"), "/no/such/rippled: no such file");
  EXPECT_EQ(find("/tmp/"), "/tmp/: not an executable file");
  EXPECT_THAT(find("no-such-rippled"), HasSubstr("not found on PATH"));
  EXPECT_THAT(find_rippled("sh"), HasSubstr("/sh"));
}

// Only a program that says "rippled version" passes for a server.
TEST_F(Processes, VersionIsAsked) {
  const auto version = [&](const std::string& program) {
    return server_version(*spawner_, program, folder_.path() + "/version",
                          std::chrono::milliseconds(300));
  };
  EXPECT_EQ(version(script("good", "echo rippled version 1.7.2")), "1.7.2");
  EXPECT_EQ(version(script("talkative", "echo rippled version 2.4.0; echo Git: x")), "2.4.0");
  EXPECT_THAT(error_of_call([&] { version("/bin/ls"); }),
              HasSubstr("/bin/ls: not a rippled: '--version' printed 'ls"));
  EXPECT_THAT(error_of_call([&] { version("/bin/true"); }),
              HasSubstr("expected 'rippled version X'"));
  EXPECT_THAT(error_of_call([&] { version(script("slow", "sleep 60")); }),
              HasSubstr("did not end within 300 ms"));
}

}  // namespace
}  // namespace dissensus::live
