// Whole networks behind the interceptor: consensus, accounts, crashes, faults; with stand-in
// servers, and with real ones where RIPPLED names a binary.
#include <cstdlib>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "systems/live/servers/accounts.h"
#include "systems/live/servers/network_fixture.h"
#include "systems/live/wire/payment.h"

namespace dissensus::live {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class FundedNetwork : public StandInNetwork {
 protected:
  json ask(ServerNetwork& network, NodeId node, const json& command) {
    json reply;
    network.client(node).request(command, [&reply](const json& message) { reply = message; });
    EXPECT_TRUE(network.run_until([&reply] { return !reply.is_null(); }, in_seconds(20)));
    return reply;
  }
  std::string balance(ServerNetwork& network, NodeId node, const std::string& address) {
    const json reply =
        ask(network, node,
            {{"command", "account_info"}, {"account", address}, {"ledger_index", "validated"}});
    return succeeded(reply) ? reply["result"]["account_data"]["Balance"].get<std::string>()
                            : error_of(reply);
  }
  Submission submit(ServerNetwork& network, NodeId node, const Bytes& blob) {
    std::optional<Submission> result;
    network.submit(node, blob, [&result](const Submission& submission) { result = submission; });
    EXPECT_TRUE(network.run_until([&result] { return result.has_value(); }, in_seconds(20)));
    return result.value_or(Submission{});
  }
  static std::uint32_t newest(const ServerNetwork& network) {
    std::uint32_t result = 0;
    for (NodeId node = 0; node < network.size(); ++node) {
      result = std::max(result, network.state(node).validated_seq);
    }
    return result;
  }
  bool advances(ServerNetwork& network, std::uint32_t ledgers, int seconds) {
    const std::uint32_t goal = newest(network) + ledgers;
    const auto is_there = [&] {
      note_ledgers(network);
      return newest(network) >= goal;
    };
    return network.run_until(is_there, in_seconds(seconds));
  }
  /// Remembers what the servers have validated by now.
  void note_ledgers(const ServerNetwork& network) {
    for (NodeId node = 0; node < network.size(); ++node) {
      const ServerState& state = network.state(node);
      if (state.validated_seq > 0) ledgers_[state.validated_seq][node] = state.validated_hash;
    }
  }
  /// Every server has validated the same ledgers, as far as two of them were seen with one.
  void expect_agreement() const {
    std::size_t compared = 0;
    for (const auto& [seq, hashes] : ledgers_) {
      for (const auto& [node, hash] : hashes) {
        EXPECT_EQ(hash.text(), hashes.begin()->second.text())
            << "ledger " << seq << " of node " << node;
      }
      compared += hashes.size() > 1 ? 1 : 0;
    }
    EXPECT_GT(compared, 0U);
  }
  void pay_and_check(ServerNetwork& network, int seconds);

 private:
  std::map<std::uint32_t, std::map<NodeId, Hash256>> ledgers_;  ///< by sequence and node
};

/// Two accounts; a payment between them through another server than the one that funded them.
void FundedNetwork::pay_and_check(ServerNetwork& network, int seconds) {
  const auto accounts =
      fund_accounts(network, {{"alice", 100'000'100}, {"bob", 20'000'000}}, in_seconds(seconds));
  ASSERT_EQ(accounts.size(), 2U);
  EXPECT_EQ(accounts[0].name, "alice");
  EXPECT_GT(accounts[0].sequence, 0U);
  for (NodeId node = 0; node < network.size(); ++node) {
    EXPECT_EQ(balance(network, node, accounts[0].address()), "100000100");
    EXPECT_EQ(balance(network, node, accounts[1].address()), "20000000");
  }
  Payment payment;
  payment.keys = accounts[0].keys;
  payment.destination = accounts[1].address();
  payment.drops = 80'000'000;
  payment.sequence = accounts[0].sequence;
  const NodeId last = static_cast<NodeId>(network.size() - 1);
  EXPECT_EQ(submit(network, last, sign_payment(payment).blob).engine_result, "tesSUCCESS");
  payment.drops = 80'000'001;  // the same Sequence again: a conflict
  const Submission conflict = submit(network, last, sign_payment(payment).blob);
  EXPECT_THAT(conflict.engine_result, HasSubstr("te"));
  EXPECT_NE(conflict.engine_result, "tesSUCCESS");
  EXPECT_TRUE(
      network.run_until([&] { return balance(network, 0, accounts[1].address()) == "100000000"; },
                        in_seconds(seconds)));
  const Submission nonsense = submit(network, 0, Bytes{1, 2, 3});
  EXPECT_EQ(nonsense.engine_result, "");
  EXPECT_THAT(nonsense.error, HasSubstr("invalidTransaction"));
}

// Five servers behind the interceptor propose, validate the same ledgers, and carry out payments.
TEST_F(FundedNetwork, FiveStandInsReachConsensus) {
  ServerNetwork network(context_, servers_, stand_ins(5));
  network.start();
  const Links links(context_, network);
  network.wait_until_ready(in_seconds(60));
  EXPECT_TRUE(network.all_proposing());
  for (NodeId node = 0; node < 5; ++node) EXPECT_EQ(network.state(node).peers, 4U);
  pay_and_check(network, 60);
  // Each call has new accounts.
  const auto again = fund_accounts(network, {{"alice", 10'000'000}}, in_seconds(60));
  EXPECT_EQ(balance(network, 4, again.front().address()), "10000000");
  EXPECT_TRUE(advances(network, 3, 60));
  expect_agreement();
}

// More accounts than a server queues of one sender are funded all the same.
TEST_F(FundedNetwork, ManyAccounts) {
  ServerNetwork network(context_, servers_, stand_ins(2));
  network.start();
  const Links links(context_, network);
  network.wait_until_ready(in_seconds(60));
  std::vector<AccountRequest> requests;
  for (int i = 0; i < 40; ++i) requests.push_back({"account " + std::to_string(i), 10'000'000});
  const auto accounts = fund_accounts(network, requests, in_seconds(60));
  std::set<std::string> addresses;
  for (const FundedAccount& account : accounts) addresses.insert(account.address());
  EXPECT_EQ(addresses.size(), 40U);
  EXPECT_EQ(balance(network, 1, accounts.back().address()), "10000000");
}

// Less than the reserve is refused with the server's word for it, not waited for.
TEST_F(FundedNetwork, TooLittleMoney) {
  ServerNetwork network(context_, servers_, stand_ins(2));
  network.start();
  const Links links(context_, network);
  network.wait_until_ready(in_seconds(60));
  try {
    fund_accounts(network, {{"poor", 5}}, in_seconds(60));
    ADD_FAILURE() << "expected a LiveError";
  } catch (const LiveError& error) {
    EXPECT_STREQ(error.what(), "account poor: cannot be paid 5 drops: tecNO_DST_INSUF_XRP");
  }
  // The payment took a Sequence of genesis; the next call copes.
  EXPECT_EQ(fund_accounts(network, {{"rich", 50'000'000}}, in_seconds(60)).size(), 1U);
}

// A network that loses all proposals stalls: funding says so at its deadline. It recovers
// afterwards.
TEST_F(FundedNetwork, StallsWithoutProposals) {
  ServerNetwork network(context_, servers_, stand_ins(4));
  network.start();
  Links links(context_, network);
  network.wait_until_ready(in_seconds(60));
  links.loses = [](NodeId, NodeId, const Frame& frame) {
    return frame.type == FrameType::propose_ledger;
  };
  advances(network, 1, 1);  // what was under way
  EXPECT_FALSE(advances(network, 2, 2));
  try {
    fund_accounts(network, {{"late", 10'000'000}}, in_seconds(1));
    ADD_FAILURE() << "expected a LiveError";
  } catch (const LiveError& error) {
    EXPECT_THAT(error.what(), HasSubstr("accounts not funded in time"));
  }
  links.loses = {};
  EXPECT_TRUE(advances(network, 2, 60));
  expect_agreement();
}

// Servers that lost proposals split between two ledgers; they come together again.
TEST_F(FundedNetwork, SplitHeals) {
  ServerNetwork network(context_, servers_, stand_ins(4));
  network.start();
  Links links(context_, network);
  network.wait_until_ready(in_seconds(60));
  links.loses = [](NodeId, NodeId to, const Frame& frame) {
    return frame.type == FrameType::propose_ledger && to >= 2;
  };
  EXPECT_FALSE(advances(network, 4, 3));
  links.loses = {};
  EXPECT_TRUE(advances(network, 3, 60));
  expect_agreement();
}

// A crashed server is missed but not needed; restarted, it gets the ledger from the others and
// proposes.
TEST_F(FundedNetwork, CrashAndRestart) {
  ServerNetwork network(context_, servers_, stand_ins(5));
  network.start();
  const Links links(context_, network);
  network.wait_until_ready(in_seconds(60));
  links.interceptor->disconnect_node(3);
  network.kill_server(3);
  EXPECT_FALSE(network.state(3).running);
  EXPECT_EQ(network.dead_server(), "") << "a crash that was asked for is no trouble";
  EXPECT_TRUE(advances(network, 3, 60));
  network.restart_server(3);
  links.interceptor->reconnect_node(3);
  network.wait_until_ready(in_seconds(60));
  expect_agreement();
}

// A server that never proposes keeps the network from being called ready.
TEST_F(FundedNetwork, NeverReady) {
  ServerNetworkOptions options = stand_ins(5);
  options.environment.insert(options.environment.end(),
                             {"STAND_IN_NEVER_READY=1", "STAND_IN_NODE=4"});
  ServerNetwork network(context_, servers_, options);
  network.start();
  const Links links(context_, network);
  EXPECT_TRUE(advances(network, 3, 60));
  try {
    network.wait_until_ready(in_seconds(2));
    ADD_FAILURE() << "expected a LiveError";
  } catch (const LiveError& error) {
    EXPECT_THAT(error.what(), HasSubstr("node 4: full, validated ledger"));
  }
}

// The same with real servers: five of them propose, agree, and carry out payments.
TEST_F(FundedNetwork, LiveRippled) {
  const char* const binary = std::getenv("RIPPLED");
  if (binary == nullptr) GTEST_SKIP() << "needs a real server: RIPPLED names no binary";
  ServerNetworkOptions options = stand_ins(5);
  options.rippled = binary;
  options.log_level = "info";
  options.poll_interval = std::chrono::seconds(1);
  ServerNetwork network(context_, servers_, options);
  network.start();
  const Links links(context_, network);
  const auto seconds = [&network, begin = network.now()] {
    return std::chrono::duration<double>(network.now() - begin).count();
  };
  network.wait_until_ready(in_seconds(180));
  std::cout << "rippled " << network.version() << ": ready after " << seconds() << " s\n";
  pay_and_check(network, 60);
  std::cout << "accounts funded and a payment validated after " << seconds() << " s\n";
  const double before = seconds();
  ASSERT_TRUE(advances(network, 10, 60));
  std::cout << "ten ledgers in " << seconds() - before << " s\n";
  expect_agreement();
  EXPECT_EQ(links.interceptor->counters().disconnects, 0U);

  links.interceptor->disconnect_node(3);
  network.kill_server(3);
  EXPECT_TRUE(advances(network, 3, 60));
  network.restart_server(3);
  links.interceptor->reconnect_node(3);
  const double restart = seconds();
  network.wait_until_ready(in_seconds(180));
  std::cout << "a crashed server proposes again after " << seconds() - restart << " s\n";
}

}  // namespace
}  // namespace dissensus::live
