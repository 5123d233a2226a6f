// The [system] table of a scenario, and requests.
#include "systems/xrpl/system.h"

#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "systems/xrpl/amount.h"
#include "systems/xrpl/network.h"
#include "systems/xrpl/node.h"

namespace dissensus::xrpl {
namespace {

NetworkConfig read(const std::string& text) {
  const Options options = Options::from_toml(text, "s.toml");
  NetworkConfig config = read_network(options);
  options.finish();
  return config;
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(System, Defaults) {
  const NetworkConfig config = read("");
  EXPECT_EQ(config.nodes, 5u);
  EXPECT_EQ(config.start, NetworkConfig::Start::warm);
  EXPECT_TRUE(config.relay);
  EXPECT_EQ(config.scheme, KindScheme::thirteen);
  EXPECT_EQ(config.links[2], (std::vector<NodeId>{0, 1, 3, 4}));
  EXPECT_EQ(config.fees.reserve, 200 * kDropsPerXrp);
}

TEST(System, ProfilesBugsAndParametersCombine) {
  const NetworkConfig config = read(
      "nodes = 2\nprofiles = [\"1.7.2\", \"2.4.0\"]\nbugs = [\"B1\"]\n"
      "parameters = { ledgerMIN_CLOSE = \"3s\", minCONSENSUS_PCT = 60, proposeFRESHNESS = \"9s\" "
      "}\n");
  EXPECT_FALSE(config.parameters[0].revive_acquisition);
  EXPECT_TRUE(config.parameters[1].revive_acquisition);
  for (const Parameters& parameters : config.parameters) {
    EXPECT_TRUE(parameters.ignore_propose_sequence);
    EXPECT_EQ(parameters.min_close_ms, 3000);
    EXPECT_EQ(parameters.min_consensus_percent, 60);
    EXPECT_EQ(parameters.propose_freshness_s, 9);
  }
}

TEST(System, TrustAndTopology) {
  const NetworkConfig two = read("nodes = 7\nunl = \"two-unl\"\n");
  EXPECT_FALSE(two.trusted[3][5]);
  EXPECT_TRUE(two.trusted[4][6]);
  const NetworkConfig custom =
      read("nodes = 3\nunl = [[1], [0], [0, 1]]\ntopology = [[1], [2], []]\n");
  EXPECT_EQ(custom.trusted[0], (std::vector<bool>{true, true, false}));
  EXPECT_EQ(custom.links[1], (std::vector<NodeId>{0, 2})) << "links lead both ways";
}

// Mistakes name the file, the line, the key and what was expected.
TEST(System, MistakesAreExplained) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"nodes = 0\n", "nodes"},
      {"profile = \"9.9\"\n", "profile"},
      {"profiles = [\"1.7.2\"]\n", "one per node"},
      {"bugs = [\"B9\"]\n", "bugs"},
      {"parameters = { ledgerFOO = \"1s\" }\n", "ledgerFOO"},
      {"parameters = { ledgerGRANULARITY = \"0s\" }\n", "at least"},
      {"unl = \"two-unl\"\n", "nodes = 7"},
      {"unl = [[0]]\n", "one per node"},
      {"message_kinds = 8\n", "expected 13"},
      {"accounts = { alice = \"1.0000001\" }\n", "six decimals"},
      {"heartbeat_phases = [1, 2]\n", "one per node"},
      {"final_levels = [\"nothing\"]\n", "final_levels"},
      {"typo = 1\n", "typo"},
  };
  for (const auto& [text, expected] : mistakes) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(expected), std::string::npos) << text << " -> " << error;
    EXPECT_EQ(error.rfind("s.toml:", 0), 0u) << error;
  }
}

TEST(System, AmountsAreExact) {
  EXPECT_EQ(parse_xrp("100.0001"), 100'000'100u);
  EXPECT_EQ(parse_xrp("0.000001"), 1u);
  EXPECT_EQ(parse_xrp("100000000000"), 100'000'000'000 * kDropsPerXrp);
  for (const char* bad : {"", ".5", "1.", "1.0000001", "-1", "1e3", "100000000000.000001", "x"}) {
    EXPECT_FALSE(parse_xrp(bad).has_value()) << bad;
  }
}

// "same" is the account's first sequence, "next" counts on in the order of the file, a number is an
// offset.
TEST(System, SequencesOfRequests) {
  const auto system = xrpl_entry().make(Options::from_toml("", "s.toml"));
  const auto sequence = [&](const std::string& rule) {
    const Options options = Options::from_toml(
        "from = \"a\"\nto = \"b\"\namount = 1\n" + (rule.empty() ? "" : "sequence = " + rule),
        "w.toml");
    const auto request = system->make_request(options);
    options.finish();
    return dynamic_cast<const PaymentRequest&>(*request).payment().sequence;
  };
  EXPECT_EQ(sequence("\"same\""), 1u);
  EXPECT_EQ(sequence("\"next\""), 1u);
  EXPECT_EQ(sequence("\"same\""), 1u);
  EXPECT_EQ(sequence(""), 2u);
  EXPECT_EQ(sequence("7"), 8u);
  EXPECT_EQ(sequence("\"next\""), 3u);
}

// Equal payments of one file are different transactions, as signed ones are.
TEST(System, RequestsAreDistinct) {
  const auto system = xrpl_entry().make(Options::from_toml("", "s.toml"));
  const Options options = Options::from_toml(
      "from = \"a\"\nto = \"b\"\namount = \"1.5\"\nsequence = \"same\"\nfee = \"0.00002\"\n", "w");
  const auto first = system->make_request(options);
  const auto second = system->make_request(options);
  const auto& payment = dynamic_cast<const PaymentRequest&>(*first).payment();
  EXPECT_EQ(payment.amount, 1'500'000u);
  EXPECT_EQ(payment.fee, 20u);
  EXPECT_NE(transaction_id(payment),
            transaction_id(dynamic_cast<const PaymentRequest&>(*second).payment()));
  EXPECT_EQ(first->fields().front().first, "from");
}

TEST(System, DescriptionNamesLevelsAndObservables) {
  const auto system = xrpl_entry().make(
      Options::from_toml("message_kinds = 7\nfinal_levels = [\"transaction-set\"]\n", "s.toml"));
  const SystemDescription& description = system->description();
  EXPECT_EQ(description.kinds.size(), 7u);
  EXPECT_EQ(description.observables.size(), kObservables);
  ASSERT_EQ(description.levels.size(), 6u);
  EXPECT_EQ(description.levels[static_cast<std::size_t>(Report::ledger)].name, "ledger");
  EXPECT_TRUE(description.levels[static_cast<std::size_t>(Report::ledger)].final);
  EXPECT_TRUE(description.levels[static_cast<std::size_t>(Report::transaction_set)].final);
  EXPECT_FALSE(description.levels[static_cast<std::size_t>(Report::built)].final);
}

}  // namespace
}  // namespace dissensus::xrpl
