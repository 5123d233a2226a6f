#include "systems/live/servers/server_client.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "systems/live/servers/network_fixture.h"

namespace dissensus::live {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Client : public StandInNetwork {
 protected:
  void start(ServerNetworkOptions options) {
    network_ = std::make_unique<ServerNetwork>(context_, servers_, std::move(options));
    network_->start();
  }
  bool connects() {
    return network_->run_until([this] { return network_->client(0).connected(); }, in_seconds(20));
  }
  json ask(const json& command, std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    json reply;
    network_->client(0).request(
        command, [&reply](const json& message) { reply = message; }, limit);
    EXPECT_TRUE(reply.is_null()) << "answered from within request()";
    EXPECT_TRUE(network_->run_until([&reply] { return !reply.is_null(); }, in_seconds(20)));
    return reply;
  }

  std::unique_ptr<ServerNetwork> network_;
};

// Replies come back to their own requests, and a server's refusal is passed on as it is.
TEST_F(Client, RequestsAndRefusals) {
  start(stand_ins(1));
  ASSERT_TRUE(connects());
  const json info = ask({{"command", "server_info"}});
  ASSERT_TRUE(succeeded(info)) << info;
  EXPECT_EQ(info["result"]["info"]["pubkey_validator"],
            network_->validator_keys(0).public_key.node_text());
  const json refusal = ask({{"command", "dance"}});
  EXPECT_FALSE(succeeded(refusal));
  EXPECT_THAT(live::error_of(refusal), HasSubstr("unknownCmd"));

  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    network_->client(0).request({{"command", "ping"}}, [&order, i](const json& reply) {
      EXPECT_TRUE(succeeded(reply));
      order.push_back(i);
    });
  }
  EXPECT_TRUE(network_->run_until([&order] { return order.size() == 100; }, in_seconds(20)));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// A server that hangs costs a time limit, not the run; when it goes on, so does the client.
TEST_F(Client, SilenceIsATimeout) {
  start(stand_ins(1));
  ASSERT_TRUE(connects());
  servers_.cluster().set_program_paused(0, true);
  EXPECT_EQ(ask({{"command", "ping"}}, std::chrono::milliseconds(200))["error"], "timeout");
  servers_.cluster().set_program_paused(0, false);
  EXPECT_TRUE(succeeded(ask({{"command", "ping"}})));
}

// Requests under way when a server dies are answered with an error, later ones too; after a restart
// the client is back by itself and subscribed again.
TEST_F(Client, ReconnectsAfterACrash) {
  start(stand_ins(1));
  ASSERT_TRUE(connects());
  json under_way;
  network_->client(0).request({{"command", "ping"}},
                              [&under_way](const json& reply) { under_way = reply; });
  servers_.cluster().host().signal(0, SIGKILL);
  ASSERT_TRUE(network_->run_until([&] { return !under_way.is_null(); }, in_seconds(20)));
  EXPECT_EQ(under_way["error"], "disconnected");
  EXPECT_EQ(ask({{"command", "ping"}})["error"], "notConnected");

  network_->kill_server(0);
  EXPECT_FALSE(network_->state(0).running);
  network_->restart_server(0);
  ASSERT_TRUE(connects());
  EXPECT_EQ(network_->client(0).connections(), 2U);
  EXPECT_TRUE(succeeded(ask({{"command", "ping"}})));
}

// Something that is no JSON ends the connection with a reason; the program goes on.
TEST_F(Client, GarbageIsNoReply) {
  ServerNetworkOptions options = stand_ins(1);
  options.environment.push_back("STAND_IN_GARBAGE=1");
  start(options);
  const ServerClient& client = network_->client(0);
  EXPECT_TRUE(network_->run_until(
      [&] { return client.connections() > 1 && client.last_error().find("JSON") < 100; },
      in_seconds(20)));
  EXPECT_THAT(network_->describe(0), HasSubstr("no WebSocket connection (a message that is not"));
}

// All streams of a server arrive, and handlers may be replaced or dropped while it talks.
TEST_F(Client, StreamsArrive) {
  start(stand_ins(2));
  const Links links(context_, *network_);
  std::set<std::string> types;
  network_->client(0).on_event([&types](const json& event) { types.insert(event["type"]); });
  const std::set<std::string> expected = {"ledgerClosed", "validationReceived", "consensusPhase",
                                          "peerStatusChange"};
  EXPECT_TRUE(network_->run_until([&] { return types == expected; }, in_seconds(40)));
  network_->client(0).on_event({});
  types.clear();
  pass(std::chrono::milliseconds(700));
  EXPECT_TRUE(types.empty());
}

}  // namespace
}  // namespace dissensus::live
