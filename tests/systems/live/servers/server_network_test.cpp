#include "systems/live/servers/server_network.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/live/servers/network_fixture.h"

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

class Network : public StandInNetwork {
 protected:
  static std::string start_error(const ServerNetworkOptions& options) {
    return error_of_call([&] {
      boost::asio::io_context context;
      VirtualServers servers(context, {.seed = 1});
      ServerNetwork(context, servers, options).start();
    });
  }
};

// Servers come up with their own addresses, and go in the middle of everything.
TEST_F(Network, StartsAndGoes) {
  {
    ServerNetwork network(context_, servers_, stand_ins(3));
    network.start();
    EXPECT_EQ(network.version(), "0.0.0-stand-in");
    std::set<std::string> addresses;
    for (NodeId node = 0; node < 3; ++node) {
      addresses.insert(network.peer_address(node));
      EXPECT_TRUE(network.state(node).running);
    }
    EXPECT_EQ(addresses.size(), 3U);
    pass(std::chrono::milliseconds(100));
    EXPECT_EQ(network.dead_server(), "");
  }
  pass(std::chrono::milliseconds(100));  // what was under way ends without touching the network
}

// Bad circumstances at start are one line each that names the culprit.
TEST_F(Network, BadCircumstancesAtStart) {
  ServerNetworkOptions options = stand_ins(2);
  options.rippled = "/no/such/rippled";
  EXPECT_EQ(start_error(options), "/no/such/rippled: no such file");
  options.rippled = "/etc/passwd";
  EXPECT_EQ(start_error(options), "/etc/passwd: not an executable file");
  options.rippled = "no-such-rippled";
  EXPECT_EQ(start_error(options),
            "no-such-rippled: not found on PATH; name the binary with --rippled PATH");
  options.rippled = "/bin/ls";
  EXPECT_THAT(start_error(options), HasSubstr("/bin/ls: not a rippled: '--version' printed"));
  options = stand_ins(2);
  options.log_level = "loud";
  EXPECT_THAT(start_error(options), HasSubstr("log level 'loud'"));
}

// A server that dies at start ends the wait at once, with its last words.
TEST_F(Network, DeathAtStart) {
  ServerNetworkOptions options = stand_ins(3);
  options.environment.insert(options.environment.end(),
                             {"STAND_IN_DIE_AT_START=1", "STAND_IN_NODE=1"});
  ServerNetwork network(context_, servers_, options);
  network.start();
  EXPECT_EQ(error_of_call([&] { network.wait_until_ready(in_seconds(30)); }),
            "node 1: exited with code 1: stand-in: asked to die at start");
  EXPECT_TRUE(network.state(0).running);
}

// A server that dies in mid-run is noticed at once.
TEST_F(Network, DeathInMidRun) {
  ServerNetworkOptions options = stand_ins(3);
  options.environment.insert(options.environment.end(),
                             {"STAND_IN_DIE_AFTER_MS=500", "STAND_IN_NODE=2"});
  ServerNetwork network(context_, servers_, options);
  network.start();
  ASSERT_TRUE(network.run_until([&] { return !network.dead_server().empty(); }, in_seconds(30)));
  EXPECT_THAT(network.dead_server(), AllOf(HasSubstr("node 2: killed by signal 6 (Aborted): "),
                                           HasSubstr("asked to die now")));
  EXPECT_FALSE(network.all_proposing());
  EXPECT_FALSE(network.state(2).running);
  EXPECT_TRUE(network.state(1).running);
}

// At the deadline the message says how far each server has come.
TEST_F(Network, TimeoutTellsTheStateOfEachServer) {
  ServerNetwork network(context_, servers_, stand_ins(2));
  network.start();
  network.run_until([&] { return network.client(0).connected() && network.client(1).connected(); },
                    in_seconds(20));
  const std::string error = error_of_call([&] { network.wait_until_ready(in_seconds(1)); });
  EXPECT_THAT(error, AllOf(HasSubstr("node 0: disconnected, no validated ledger, 0 peers"),
                           HasSubstr("node 1: disconnected")));
}

// Equal seeds give equal keys, other seeds others: runs can be repeated, networks told apart.
TEST_F(Network, KeysFollowFromTheSeed) {
  ServerNetworkOptions options = stand_ins(2);
  const ServerNetwork one(context_, servers_, options);
  const ServerNetwork same(context_, servers_, options);
  options.seed = 2;
  const ServerNetwork other(context_, servers_, options);
  EXPECT_EQ(one.node_keys(1).public_key, same.node_keys(1).public_key);
  EXPECT_NE(one.node_keys(1).public_key, other.node_keys(1).public_key);
  EXPECT_NE(one.node_keys(1).public_key, one.validator_keys(1).public_key);
  EXPECT_NE(one.node_keys(0).public_key, one.node_keys(1).public_key);
}

// No secret is written anywhere but to the configuration: logs and outputs are shown to people.
TEST_F(Network, SeedsStayInTheConfiguration) {
  ServerNetwork network(context_, servers_, stand_ins(1));
  network.start();
  network.run_until([&] { return network.client(0).connected(); }, in_seconds(20));
  std::string seed;
  std::ifstream configuration(servers_.folder(0) + "/rippled.cfg");
  for (std::string line; std::getline(configuration, line);) {
    if (line == "[validation_seed]") std::getline(configuration, seed);
  }
  ASSERT_THAT(seed, ::testing::StartsWith("s"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(servers_.folder(0))) {
    if (!entry.is_regular_file() || entry.path().filename() == "rippled.cfg") continue;
    std::ostringstream content;
    content << std::ifstream(entry.path()).rdbuf();
    EXPECT_THAT(content.str(), Not(HasSubstr(seed))) << entry.path();
  }
  EXPECT_THAT(servers_.cluster().written(0), Not(HasSubstr(seed)));
}

}  // namespace
}  // namespace dissensus::live
