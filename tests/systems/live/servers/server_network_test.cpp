#include "systems/live/servers/server_network.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "systems/live/servers/addresses.h"
#include "systems/live/servers/network_fixture.h"
#include "systems/live/servers/process.h"

namespace dissensus::live {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of_call(const std::function<void()>& call) {
  try {
    call();
  } catch (const LiveError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "no error";
}

/// Running or waiting to be reaped.
bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/// Alive, and not just waiting to be reaped.
bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return (file >> number >> name >> state) && state != "Z" && state != "X";
}

class Network : public StandInNetwork {
 protected:
  std::string start_error(const ServerNetworkOptions& options) {
    return error_of_call([&] { ServerNetwork(context_, options).start(); });
  }
};

// Servers come up with their own addresses and keys, and nothing of them is left afterwards.
TEST_F(Network, StartsAndStops) {
  ServerNetwork network(context_, stand_ins(3));
  network.start();
  EXPECT_EQ(network.version(), "0.0.0-stand-in");
  std::set<std::string> addresses;
  for (NodeId node = 0; node < 3; ++node) {
    addresses.insert(network.peer_address(node));
    EXPECT_TRUE(network.state(node).running);
    EXPECT_EQ(::getpgid(network.state(node).pid), network.state(node).pid);
  }
  EXPECT_EQ(addresses.size(), 3U);
  network.stop();
  EXPECT_FALSE(has_children());
  EXPECT_THAT(network.state(0).exit_text, HasSubstr("SIGTERM"));
  EXPECT_EQ(network.trouble(), "");
  network.start();  // again, on the same addresses
  EXPECT_TRUE(addresses.contains(network.peer_address(0)));
  EXPECT_EQ(network.starts(), 2U);
}

// A server that does not listen to SIGTERM is killed after the limit.
TEST_F(Network, StopInsists) {
  ServerNetworkOptions options = stand_ins(2);
  options.environment.push_back("STAND_IN_IGNORE_TERM=1");
  options.stop_limit = std::chrono::milliseconds(300);
  ServerNetwork network(context_, options);
  network.start();
  ASSERT_TRUE(network.run_until([&] { return network.client(1).connected(); }, in_seconds(20)));
  network.stop();
  EXPECT_THAT(network.state(1).exit_text, HasSubstr("killed by signal 9 (SIGKILL)"));
  EXPECT_FALSE(has_children());
}

// The destructor leaves nothing behind either, in the middle of everything.
TEST_F(Network, DestructorCleansUp) {
  {
    ServerNetwork network(context_, stand_ins(3));
    network.start();
    network.run_until([] { return false; },
                      std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
  }
  EXPECT_FALSE(has_children());
  context_.restart();
  context_.poll();  // what was under way ends without touching the network
}

// Even kill -9 of the program leaves no server.
TEST_F(Network, NothingSurvivesAKilledParent) {
  Spawner spawner;
  const std::string output = folder_.path() + "/pids";
  Process holder =
      spawner.spawn({{NETWORK_HOLDER, STAND_IN_SERVER, folder_.path() + "/held"}, {}, output});
  std::string line;
  for (int i = 0; i < 2000 && line.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream file(output);
    if (!std::getline(file, line) || file.eof()) line.clear();  // not the whole line yet
  }
  std::istringstream numbers(line);
  std::vector<pid_t> pids;
  for (pid_t pid = 0; numbers >> pid;) pids.push_back(pid);
  ASSERT_EQ(pids.size(), 3U) << last_lines(output, 3);
  for (const pid_t pid : pids) EXPECT_TRUE(is_alive(pid));
  ::kill(holder.pid(), SIGKILL);  // the program alone; its servers have groups of their own
  const auto some_alive = [&] { return std::any_of(pids.begin(), pids.end(), is_alive); };
  for (int i = 0; i < 1000 && some_alive(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(some_alive());
}

// Bad circumstances at start are one line each that names the culprit.
TEST_F(Network, BadCircumstancesAtStart) {
  ServerNetworkOptions options = stand_ins(2);
  options.rippled = "/no/such/rippled";
  EXPECT_EQ(start_error(options), "/no/such/rippled: no such file");
  options.rippled = "/bin/ls";
  EXPECT_THAT(start_error(options), HasSubstr("/bin/ls: not a rippled: '--version' printed"));
  options = stand_ins(2);
  options.folder = "/dev/null/network";
  EXPECT_THAT(start_error(options), HasSubstr("/dev/null/network: folder cannot be made"));
  options = stand_ins(2);
  options.log_level = "loud";
  EXPECT_THAT(start_error(options), HasSubstr("log level 'loud'"));
  EXPECT_FALSE(has_children());
}

// A port that someone else uses is named, or avoided where the choice is free.
TEST_F(Network, PortInUse) {
  const AddressBlock other(78, std::nullopt, 2);
  ServerNetworkOptions options = stand_ins(2);
  options.address_number = other.number();
  EXPECT_THAT(start_error(options), AllOf(HasSubstr("127.78." + std::to_string(other.number())),
                                          HasSubstr("port in use")));
  options.address_number.reset();
  ServerNetwork network(context_, options);
  network.start();
  EXPECT_NE(network.peer_address(0), other.address(0));
}

// A server that dies at start ends the wait at once, with its last words and where to read more.
TEST_F(Network, DeathAtStart) {
  ServerNetworkOptions options = stand_ins(3);
  options.environment.insert(options.environment.end(),
                             {"STAND_IN_DIE_AT_START=1", "STAND_IN_NODE=1"});
  ServerNetwork network(context_, options);
  network.start();
  EXPECT_EQ(error_of_call([&] { network.wait_until_ready(in_seconds(30)); }),
            "node 1: exited with code 1; see " + network.node_folder(1) +
                "/output.log: stand-in: asked to die at start");
  EXPECT_TRUE(network.state(0).running);
}

// A server that dies in mid-run is noticed within moments, and is trouble from then on.
TEST_F(Network, DeathInMidRun) {
  ServerNetworkOptions options = stand_ins(3);
  options.environment.insert(options.environment.end(),
                             {"STAND_IN_DIE_AFTER_MS=500", "STAND_IN_NODE=2"});
  ServerNetwork network(context_, options);
  network.start();
  ASSERT_TRUE(network.run_until([&] { return !network.trouble().empty(); }, in_seconds(30)));
  EXPECT_THAT(network.trouble(), AllOf(HasSubstr("node 2: killed by signal 6 (SIGABRT); see "),
                                       HasSubstr("asked to die now")));
  EXPECT_FALSE(network.all_proposing());
  EXPECT_FALSE(network.state(2).running);
  EXPECT_TRUE(network.state(1).running);
}

// At the deadline the message says how far each server has come.
TEST_F(Network, TimeoutTellsTheStateOfEachServer) {
  ServerNetwork network(context_, stand_ins(2));
  network.start();
  network.run_until([&] { return network.client(0).connected() && network.client(1).connected(); },
                    in_seconds(20));
  const std::string error = error_of_call([&] { network.wait_until_ready(in_seconds(1)); });
  EXPECT_THAT(error, AllOf(HasSubstr("node 0: disconnected, no validated ledger, 0 peers"),
                           HasSubstr("node 1: disconnected"), HasSubstr("node-*/debug.log")));
}

// Who waits can be interrupted.
TEST_F(Network, WaitIsInterruptible) {
  ServerNetworkOptions options = stand_ins(1);
  bool interrupted = false;
  options.is_interrupted = [&interrupted] { return interrupted; };
  ServerNetwork network(context_, options);
  network.start();
  interrupted = true;
  EXPECT_EQ(error_of_call([&] { network.wait_until_ready(in_seconds(30)); }), "interrupted");
}

// A log that grows too large is noticed, and the server is told to write less.
TEST_F(Network, LogLimit) {
  ServerNetworkOptions options = stand_ins(1);
  options.environment.push_back("STAND_IN_LOG_FLOOD=100000");
  options.log_bytes_max = 200'000;
  ServerNetwork network(context_, options);
  network.start();
  ASSERT_TRUE(
      network.run_until([&] { return network.state(0).log_limit_reached; }, in_seconds(30)));
  EXPECT_THAT(network.trouble(), HasSubstr("debug.log is larger than"));
  const auto size = [&] { return std::filesystem::file_size(network.log_file(0)); };
  std::uintmax_t before = 0;
  EXPECT_TRUE(network.run_until(
      [&] {
        const bool still = before == size();
        before = size();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return still;
      },
      in_seconds(30)));
}

// A disk that fills up is told before it is full.
TEST_F(Network, LowDiskIsTrouble) {
  ServerNetworkOptions options = stand_ins(1);
  options.disk_bytes_min = ~0ULL >> 1;
  ServerNetwork network(context_, options);
  network.start();
  EXPECT_TRUE(network.run_until([&] { return !network.trouble().empty(); }, in_seconds(30)));
  EXPECT_THAT(network.trouble(), HasSubstr("free on the disk"));
}

// Servers end themselves on a disk that is nearly full, and say nothing of it that helps.
TEST_F(Network, NoServerIsStartedWhereTheDiskHasNoRoom) {
  ServerNetworkOptions options = stand_ins(1);
  options.disk_bytes_to_start = ~0ULL >> 1;
  ServerNetwork network(context_, options);
  try {
    network.start();
    ADD_FAILURE() << "started";
  } catch (const NoPlaceForServers& error) {
    EXPECT_THAT(error.what(), HasSubstr(options.folder + ": "));
    EXPECT_THAT(error.what(), HasSubstr(" MiB free on the disk, expected at least "));
    EXPECT_THAT(error.what(), HasSubstr("--servers-folder"));
  }
  EXPECT_FALSE(network.state(0).running);
}

// Equal seeds give equal keys, other seeds others: runs can be repeated, networks told apart.
TEST_F(Network, KeysFollowFromTheSeed) {
  ServerNetworkOptions options = stand_ins(2);
  const ServerNetwork one(context_, options);
  const ServerNetwork same(context_, options);
  options.seed = 2;
  const ServerNetwork other(context_, options);
  EXPECT_EQ(one.node_keys(1).public_key, same.node_keys(1).public_key);
  EXPECT_NE(one.node_keys(1).public_key, other.node_keys(1).public_key);
  EXPECT_NE(one.node_keys(1).public_key, one.validator_keys(1).public_key);
  EXPECT_NE(one.node_keys(0).public_key, one.node_keys(1).public_key);
}

// No secret is written anywhere but to the configuration: logs and outputs are shown to people.
TEST_F(Network, SeedsStayInTheConfiguration) {
  ServerNetwork network(context_, stand_ins(1));
  network.start();
  network.run_until([&] { return network.client(0).connected(); }, in_seconds(20));
  std::string seed;
  std::ifstream configuration(network.node_folder(0) + "/rippled.cfg");
  for (std::string line; std::getline(configuration, line);) {
    if (line == "[validation_seed]") std::getline(configuration, seed);
  }
  ASSERT_THAT(seed, ::testing::StartsWith("s"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(network.node_folder(0))) {
    if (!entry.is_regular_file() || entry.path().filename() == "rippled.cfg") continue;
    std::ostringstream content;
    content << std::ifstream(entry.path()).rdbuf();
    EXPECT_THAT(content.str(), Not(HasSubstr(seed))) << entry.path();
  }
}

}  // namespace
}  // namespace dissensus::live
