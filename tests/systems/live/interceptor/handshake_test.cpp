// How links come up: what the interceptor presents to servers, what it demands of them, and what it
// says about those that do not comply.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <array>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>

#include "systems/live/interceptor/test_network.h"
#include "systems/live/wire/base58.h"
#include "systems/live/wire/error.h"

namespace dissensus::live::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// --- An independent reading of xrpl/peer-protocol.md 3.1, with OpenSSL's own curve ---------------

std::array<std::uint8_t, 32> shared_by_hand(const Bytes& one, const Bytes& other) {
  std::array<std::uint8_t, 64> a{};
  std::array<std::uint8_t, 64> b{};
  SHA512(one.data(), one.size(), a.data());
  SHA512(other.data(), other.size(), b.data());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
  SHA512(a.data(), a.size(), b.data());
  std::array<std::uint8_t, 32> half{};
  std::copy(b.begin(), b.begin() + 32, half.begin());
  return half;
}

using CurveKey = std::unique_ptr<EC_KEY, decltype(&EC_KEY_free)>;

CurveKey curve_key() {
  return {EC_KEY_new_by_curve_name(NID_secp256k1), &EC_KEY_free};
}

bool verified_by_openssl(const PublicKey& key, const std::array<std::uint8_t, 32>& digest,
                         const Bytes& signature) {
  const CurveKey curve = curve_key();
  if (EC_KEY_oct2key(curve.get(), key.bytes.data(), key.bytes.size(), nullptr) != 1) return false;
  return ECDSA_verify(0, digest.data(), static_cast<int>(digest.size()), signature.data(),
                      static_cast<int>(signature.size()), curve.get()) == 1;
}

Bytes signed_by_openssl(const KeyPair& keys, const std::array<std::uint8_t, 32>& digest) {
  const CurveKey curve = curve_key();
  BIGNUM* const secret =
      BN_bin2bn(keys.secret.data(), static_cast<int>(keys.secret.size()), nullptr);
  EC_KEY_set_private_key(curve.get(), secret);
  BN_free(secret);
  Bytes signature(static_cast<std::size_t>(ECDSA_size(curve.get())));
  unsigned length = 0;
  ECDSA_sign(0, digest.data(), static_cast<int>(digest.size()), signature.data(), &length,
             curve.get());
  signature.resize(length);
  return signature;
}

std::string base64_by_openssl(const Bytes& bytes) {
  Bytes text(4 * (bytes.size() + 2) / 3 + 4);
  const int length = EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(bytes.size()));
  return std::string(text.begin(), text.begin() + length);
}

std::string header_by_hand(const std::string& request, const std::string& name) {
  const std::size_t begin = request.find("\r\n" + name + ": ");
  if (begin == std::string::npos) return "";
  const std::size_t value = begin + name.size() + 4;
  return request.substr(value, request.find("\r\n", value) - value);
}

std::string answer_by_hand(const Upgrade& upgrade, const KeyPair& keys) {
  const auto shared = shared_by_hand(upgrade.own_finished, upgrade.peer_finished);
  return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: XRPL/2.2\r\n"
         "Connect-As: Peer\r\nServer: rippled-1.7.2\r\nCrawl: private\r\nX-Protocol-Ctl: \r\n"
         "Public-Key: " +
         keys.public_key.node_text() +
         "\r\nSession-Signature: " + base64_by_openssl(signed_by_openssl(keys, shared)) +
         "\r\n\r\n";
}

/// Every connection to node 0 is treated like this; node 1 is a good server.
BehaviourOf node_0_behaves(const Behaviour& behaviour) {
  return [behaviour](NodeId node, std::size_t) { return node == 0 ? behaviour : Behaviour{}; };
}

// -------------------------------------------------------------------------------------------------

// Each server meets the other: its address, its key, and the proof that it owns the key. Checked
// with nothing of the product but the text of keys.
TEST(Handshake, PlaysEachServerToTheOther) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  for (const std::size_t node : {0u, 1u}) {
    const std::size_t played = 1 - node;
    const std::vector<Upgrade> upgrades = network.peers[node].upgrades();
    ASSERT_EQ(upgrades.size(), 1u);
    const Upgrade& upgrade = upgrades[0];
    EXPECT_EQ(upgrade.source_address, test_address(played));
    EXPECT_EQ(upgrade.tls_version, "TLSv1.3");
    EXPECT_EQ(upgrade.request.find("GET / HTTP/1.1\r\n"), 0u);
    EXPECT_EQ(header_by_hand(upgrade.request, "Connection"), "Upgrade");
    EXPECT_EQ(header_by_hand(upgrade.request, "Connect-As"), "Peer");
    EXPECT_THAT(header_by_hand(upgrade.request, "Upgrade"), HasSubstr("XRPL/2."));
    EXPECT_THAT(upgrade.request, Not(HasSubstr("compr")));
    EXPECT_EQ(header_by_hand(upgrade.request, "Public-Key"),
              test_keys(played).public_key.node_text());
    const std::string proof = header_by_hand(upgrade.request, "Session-Signature");
    Bytes signature(proof.size());
    const int decoded =
        EVP_DecodeBlock(signature.data(), reinterpret_cast<const unsigned char*>(proof.data()),
                        static_cast<int>(proof.size()));
    ASSERT_GT(decoded, 8);
    signature.resize(std::size_t{signature[1]} + 2);  // without the padding
    EXPECT_TRUE(verified_by_openssl(test_keys(played).public_key,
                                    shared_by_hand(upgrade.own_finished, upgrade.peer_finished),
                                    signature));
  }
  EXPECT_EQ(network.handler.events.size(), 1u);
  EXPECT_TRUE(network.handler.events[0].up);
  EXPECT_TRUE(network.interceptor->is_up(0, 1));
  EXPECT_TRUE(network.interceptor->is_up(1, 0));
}

// A server that shares no code with the product, in TLS 1.3 and in TLS 1.2. Its signatures have a
// random S, high or low.
TEST(Handshake, AcceptsAnIndependentServer) {
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    Behaviour by_hand;
    by_hand.tls_version_max = version;
    by_hand.answer = [](const Upgrade& upgrade) { return answer_by_hand(upgrade, test_keys(0)); };
    TestNetwork network(2, node_0_behaves(by_hand));
    ASSERT_TRUE(network.until_up());
    EXPECT_EQ(network.peers[0].upgrades()[0].tls_version,
              version == TLS1_3_VERSION ? "TLSv1.3" : "TLSv1.2");
    EXPECT_EQ(network.counters().sessions_dialled, 2u);
  }
}

TEST(Handshake, RefusesAServerThatSignsAnotherSession) {
  Behaviour behaviour;
  behaviour.answer = [](const Upgrade& upgrade) {
    Upgrade other = upgrade;
    other.own_finished[0] ^= 1;
    return answer_by_hand(other, test_keys(0));
  };
  TestNetwork network(2, node_0_behaves(behaviour));
  ASSERT_TRUE(network.until([&] { return network.counters().servers_refused >= 2; }));
  EXPECT_THAT(network.last_error(), HasSubstr("node 0 did not prove its identity: "));
  EXPECT_EQ(network.interceptor->links_up(), 0u);
  EXPECT_TRUE(network.handler.events.empty());
}

TEST(Handshake, RefusesAServerWithAnotherKey) {
  Behaviour behaviour;
  behaviour.answer = [](const Upgrade& upgrade) { return answer_by_hand(upgrade, test_keys(5)); };
  TestNetwork network(2, node_0_behaves(behaviour));
  ASSERT_TRUE(network.until([&] { return network.counters().servers_refused >= 1; }));
  EXPECT_EQ(network.last_error(),
            fmt::format("node 0 presented the key {}, expected {}",
                        test_keys(5).public_key.node_text(), test_keys(0).public_key.node_text()));
}

// What a server says when it does not want us, and who it was, reaches the person who reads.
TEST(Handshake, ReportsRefusals) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"HTTP/1.1 400 Bad Request (Failed to verify session)\r\nContent-Length: 0\r\n\r\n",
       "node 0 refused the handshake: 400 Bad Request (Failed to verify session)"},
      {"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 15\r\n\r\n{\"peer-ips\":[]}",
       "node 0 refused the handshake: 503 Service Unavailable"},
  };
  for (const auto& [answer, reason] : cases) {
    Behaviour behaviour;
    behaviour.answer = [text = answer](const Upgrade&) { return text; };
    TestNetwork network(2, node_0_behaves(behaviour));
    ASSERT_TRUE(network.until([&] { return network.counters().handshakes_refused >= 2; }));
    EXPECT_EQ(network.last_error(), reason);
    EXPECT_EQ(network.counters().links[0].times_up, 0u);
    EXPECT_GE(network.counters().links[0].failed_attempts, 2u);
  }
}

// Answers that are no answer to an upgrade, in whole records and byte by byte.
TEST(Handshake, RefusesMalformedAnswers) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 abc\r\n\r\n",
      std::string("\0\0\0\5\0\3abcde\r\n\r\n", 15),
      "HTTP/1.1 101 Switching Protocols\r\nPadding: " + std::string(20000, 'x'),
  };
  for (const std::string& answer : answers) {
    Behaviour behaviour;
    behaviour.answer = [answer](const Upgrade&) { return answer; };
    behaviour.answer_piece = answer.size() > 1000 ? 1000 : 1;
    TestNetwork network(2, node_0_behaves(behaviour));
    ASSERT_TRUE(network.until([&] {
      return network.counters().servers_refused + network.counters().protocol_errors >= 1;
    })) << answer;
    EXPECT_THAT(network.last_error(), HasSubstr("node 0 ")) << answer;
    EXPECT_EQ(network.interceptor->links_up(), 0u);
  }
}

// Frames may come in the same record as the answer, and the answer in many; nothing is lost.
TEST(Handshake, KeepsFramesThatComeWithTheAnswer) {
  const Bytes first = frame_bytes(33, {1, 2, 3});
  const Bytes second = frame_bytes(2, {4, 5, 6});
  for (const std::size_t piece : {0u, 1u, 7u}) {
    Behaviour behaviour;
    behaviour.answer_piece = piece;
    behaviour.answer = [&](const Upgrade& upgrade) {
      std::string answer = answer_by_hand(upgrade, test_keys(0));
      answer.append(first.begin(), first.end());
      answer.append(second.begin(), second.end());
      return answer;
    };
    TestNetwork network(2, node_0_behaves(behaviour));
    ASSERT_TRUE(network.until([&] { return network.peers[1].frames() == 2; }));
    EXPECT_THAT(network.peers[1].inbox(0), testing::ElementsAre(first, second));
    ASSERT_EQ(network.handler.passed.size(), 1u);
    EXPECT_EQ(network.handler.passed[0].frame.bytes, first);
  }
}

// A good server is not bothered with a new peer while the other end of the link cannot be reached,
// or does not get as far as TLS.
TEST(Handshake, UpgradesOnlyWhenBothServersAreReached) {
  TestNetwork network(
      2,
      [](NodeId node, std::size_t connection) {
        Behaviour behaviour;
        behaviour.silent = node == 1 && connection == 0;
        return behaviour;
      },
      {}, [](InterceptorOptions& options) { options.handshake_timeout = std::chrono::seconds(2); });
  ASSERT_TRUE(network.until([&] { return network.counters().timeouts == 1; }));
  EXPECT_TRUE(network.peers[0].upgrades().empty());
  EXPECT_THAT(network.last_error(), HasSubstr("node 1 did not finish the handshake"));
  network.peers.stop(1);
  ASSERT_TRUE(network.until([&] { return network.counters().unreachable >= 3; }));
  EXPECT_THAT(network.last_error(), HasSubstr("node 1 cannot be reached at 127.21.7.12:"));
  network.peers.start(1);
  EXPECT_TRUE(network.until_up());
}

struct Interruption {
  const char* name;
  Behaviour behaviour;
  const char* reason;
};

/// Either server treats us badly on its first connection.
class InterruptedHandshake : public testing::TestWithParam<std::tuple<Interruption, NodeId>> {};

// Whatever breaks while a link is made, on either half: the reason names the server, and the link
// comes up once the server behaves.
TEST_P(InterruptedHandshake, IsReportedAndDialledAgain) {
  const auto& [interruption, culprit] = GetParam();
  TestNetwork network(
      2,
      [bad = interruption.behaviour, node_of_bad = culprit](NodeId node, std::size_t connection) {
        return node == node_of_bad && connection == 0 ? bad : Behaviour{};
      },
      {},
      [](InterceptorOptions& options) {
        options.handshake_timeout = std::chrono::milliseconds(kSanitized ? 2000 : 1000);
      });
  ASSERT_TRUE(network.until_up());
  EXPECT_THAT(network.last_error(), HasSubstr(fmt::format("node {} ", culprit)));
  EXPECT_THAT(network.last_error(), HasSubstr(interruption.reason));
  EXPECT_EQ(network.counters().links[0].times_up, 1u);
}

std::vector<Interruption> interruptions() {
  Behaviour closes_at_once;
  closes_at_once.close_on_accept = true;
  Behaviour silent;
  silent.silent = true;
  Behaviour no_tls;
  no_tls.instead_of_tls = "HTTP/1.1 400 This port speaks plain text\r\n\r\n";
  Behaviour closes_on_request;
  closes_on_request.close_on_request = true;
  Behaviour half_an_answer;
  half_an_answer.answer = [](const Upgrade&) { return "HTTP/1.1 101 Swit"; };
  half_an_answer.close_after_answer = true;
  Behaviour never_ends;
  never_ends.answer = [](const Upgrade&) { return "HTTP/1.1 101 Switching Protocols\r\n"; };
  return {{"ClosedBeforeTls", closes_at_once, "the TLS handshake"},
          {"Silent", silent, "did not finish the handshake within"},
          {"NoTls", no_tls, "failed the TLS handshake"},
          {"ClosedOnRequest", closes_on_request, "without answering the upgrade"},
          {"HalfAnAnswer", half_an_answer, "in the middle of its answer"},
          {"AnswerNeverEnds", never_ends, "did not finish the handshake within"}};
}

INSTANTIATE_TEST_SUITE_P(, InterruptedHandshake,
                         testing::Combine(testing::ValuesIn(interruptions()),
                                          testing::Values(NodeId{0}, NodeId{1})),
                         [](const auto& each) {
                           return fmt::format("{}ByNode{}", std::get<0>(each.param).name,
                                              std::get<1>(each.param));
                         });

// The tests' own server refuses what a server must refuse, so that the tests above mean something.
TEST(Handshake, TestPeerRefusesAWrongProof) {
  TestPeers peers(2);
  KeyPair mixed = test_keys(0);
  mixed.public_key = test_keys(1).public_key;  // says it is node 1, signs as node 0
  const TestClient liar(peers[0], test_address(1), mixed);
  EXPECT_THAT(liar.answer(), HasSubstr("503"));
  const TestClient honest(peers[0], test_address(1), test_keys(1));
  EXPECT_THAT(honest.answer(), HasSubstr("101"));
  const TestClient twice(peers[0], test_address(1), test_keys(1));
  EXPECT_THAT(twice.answer(), HasSubstr("503"));
}

TEST(Handshake, DemandsSensibleOptions) {
  MachineLoop loop;
  boost::asio::io_context& io = loop.io;
  PassThrough handler;
  InterceptorOptions options;
  options.peers = {{"127.21.7.11", 1, test_keys(0)}, {"127.21.7.12", 1, test_keys(1)}};
  for (const std::vector<std::pair<NodeId, NodeId>>& links :
       {std::vector<std::pair<NodeId, NodeId>>{{1, 0}}, {{0, 0}}, {{0, 2}}, {{0, 1}, {0, 1}}}) {
    options.links = links;
    EXPECT_THROW(Interceptor(io, options, handler), LiveError);
  }
  options.links = {{0, 1}};
  options.peers[1].address = "node two";
  EXPECT_THROW(Interceptor(io, options, handler), LiveError);
}

}  // namespace
}  // namespace dissensus::live::test
