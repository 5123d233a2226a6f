// The HTTP upgrade: texts, proof of identity, and refusals.
#include "systems/live/wire/handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/live/wire/content.h"

namespace dissensus::live {
namespace {

using ::testing::HasSubstr;

Bytes counted(std::uint8_t first, std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(first + i);
  return bytes;
}

KeyPair known_keys() {
  return node_keys(*Seed::parse("ssb8XB2fkdgNh2oy3P3KMos5mNKU3"));
}

template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const WireError& error) {
    return error.what();
  }
  return "no error";
}

// xrpl/peer-protocol.md 4.4
TEST(SharedValue, IsTheKnownOneAndSymmetric) {
  const Bytes own = counted(0x00, 12);
  const Bytes peer = counted(0x64, 12);
  const auto shared = shared_value(own, peer);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->text(), "B9B85704DBD6650200E435CB79B4330D033C28C0E47A5A811006900EE9C188A5");
  EXPECT_EQ(shared_value(peer, own), shared);
  EXPECT_EQ(session_signature(known_keys(), *shared),
            "MEUCIQDaaZNfxPH3Ao6CT9vrig5CTENcc5rKv6/gz/TI9NRv3QIgOw5ySAQ0DdMYXlg4xgz9oYfs2mWlkEYr"
            "YiSBdV6v/Tw=");
}

TEST(SharedValue, NeedsTwoDifferentLongMessages) {
  EXPECT_FALSE(shared_value(counted(0, 11), counted(100, 12)));
  EXPECT_FALSE(shared_value(counted(0, 12), counted(100, 11)));
  EXPECT_FALSE(shared_value(counted(0, 12), counted(0, 12)));
}

TEST(Upgrade, RequestHasWhatServersDemandAndAsksForNoFeature) {
  Random random(1, "upgrade");
  const KeyPair keys = random_keys(random);
  const Hash256 shared = random_hash(random);
  const std::string text = upgrade_request({&keys, "rippled-1.7.2", 21337}, shared);
  const auto message = parse_upgrade(text);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->status, 0);
  EXPECT_EQ(message->reason, "/");
  EXPECT_EQ(message->bytes, text.size());
  EXPECT_EQ(message->header("upgrade"), "XRPL/2.2");
  EXPECT_EQ(message->header("connection"), "Upgrade");
  EXPECT_EQ(message->header("connect-as"), "Peer");
  EXPECT_EQ(message->header("network-id"), "21337");
  EXPECT_EQ(message->header("user-agent"), "rippled-1.7.2");
  EXPECT_EQ(message->header("x-protocol-ctl"), "");
  EXPECT_EQ(verify_identity(*message, shared), keys.public_key);
}

TEST(Upgrade, ResponseLeavesTheFramesThatFollowIt) {
  Random random(2, "upgrade");
  const KeyPair keys = random_keys(random);
  const Hash256 shared = random_hash(random);
  const std::string head = upgrade_response({&keys, "rippled-2.4.0", {}}, shared);
  const auto message = parse_upgrade(head + std::string("\0\0\0\0\r\n\r\n", 8));
  ASSERT_TRUE(message);
  EXPECT_EQ(message->status, 101);
  EXPECT_EQ(message->reason, "Switching Protocols");
  EXPECT_EQ(message->bytes, head.size());
  EXPECT_EQ(message->headers.count("network-id"), 0U);
  EXPECT_EQ(verify_identity(*message, shared), keys.public_key);
}

TEST(Upgrade, IsIncompleteUntilItsLastByte) {
  Random random(3, "upgrade");
  const KeyPair keys = random_keys(random);
  const std::string text = upgrade_request({&keys, "x", {}}, random_hash(random));
  for (std::size_t size = 0; size < text.size(); ++size) {
    ASSERT_FALSE(parse_upgrade(std::string_view(text).substr(0, size))) << size;
  }
  EXPECT_TRUE(parse_upgrade(text));
}

TEST(Upgrade, HeadersAreTrimmedJoinedAndFoundInAnyCase) {
  const auto message = parse_upgrade(
      "HTTP/1.1 101 OK\r\nUPGRADE: \t XRPL/2.2 \r\nX-Empty:\r\nVia: a\r\nvia: b:c\r\n\r\n");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->header("upgrade"), "XRPL/2.2");
  EXPECT_EQ(message->header("x-empty"), "");
  EXPECT_EQ(message->header("via"), "a, b:c");
  EXPECT_EQ(message->header("none"), "");
}

TEST(Upgrade, MalformedTextsAreRefused) {
  for (const std::string_view text :
       {"\r\n\r\n", "HELLO\r\n\r\n", "HTTP/1.0 101 OK\r\n\r\n", "HTTP/1.1 OK\r\n\r\n",
        "HTTP/1.1 1 OK\r\n\r\n", "HTTP/1.1 10x OK\r\n\r\n", "HTTP/1.1101 OK\r\n\r\n",
        "HTTP/1.1 -10 OK\r\n\r\n", "POST / HTTP/1.1\r\n\r\n", "GET HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\n: none\r\n\r\n", "GET / HTTP/1.1\r\na b: c\r\n\r\n",
        "GET / HTTP/1.1\r\na: b\rc\r\n\r\n", "GET / HTTP/1.1\na: b\r\n\r\n"}) {
    EXPECT_THAT(error_of([&] { parse_upgrade(text); }), HasSubstr("HTTP upgrade")) << text;
  }
}

TEST(Upgrade, EndlessTextsAreRefused) {
  const std::string endless = "GET / HTTP/1.1\r\na: " + std::string(kUpgradeBytesMax, 'x');
  EXPECT_THAT(error_of([&] { parse_upgrade(endless); }), HasSubstr("longer than 16384 bytes"));
  EXPECT_THAT(error_of([&] { parse_upgrade(endless + "\r\n\r\n"); }), HasSubstr("longer than"));
}

class Identity : public ::testing::Test {
 protected:
  UpgradeMessage response() const {
    return *parse_upgrade(upgrade_response({&keys_, "test", {}}, shared_));
  }
  std::string refusal(const UpgradeMessage& message) const {
    return error_of([&] { verify_identity(message, shared_); });
  }

  Random random_{4, "identity"};
  KeyPair keys_ = random_keys(random_);
  Hash256 shared_ = random_hash(random_);
};

TEST_F(Identity, OfAnotherSessionIsRefused) {
  const Hash256 other = random_hash(random_);
  EXPECT_THAT(error_of([&] { verify_identity(response(), other); }), HasSubstr("does not verify"));
}

TEST_F(Identity, OfAnotherKeyIsRefused) {
  UpgradeMessage message = response();
  message.headers["public-key"] = random_keys(random_).public_key.node_text();
  EXPECT_THAT(refusal(message), HasSubstr("does not verify"));
}

TEST_F(Identity, NeedsKeyAndSignature) {
  UpgradeMessage message = response();
  message.headers["session-signature"] = "not base64";
  EXPECT_THAT(refusal(message), HasSubstr("Session-Signature is missing or not Base64"));
  message.headers.erase("session-signature");
  EXPECT_THAT(refusal(message), HasSubstr("Session-Signature is missing"));
  message.headers["public-key"] = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh";
  EXPECT_THAT(refusal(message), HasSubstr("Public-Key is missing or no node key"));
}

TEST_F(Identity, NeedsOneKnownVersion) {
  UpgradeMessage message = response();
  for (const char* versions : {"", "XRPL/2.1", "XRPL/2.1, XRPL/2.2", "websocket"}) {
    message.headers["upgrade"] = versions;
    EXPECT_THAT(refusal(message), HasSubstr("expected XRPL/2.2")) << versions;
  }
  message = *parse_upgrade(upgrade_request({&keys_, "test", {}}, shared_));
  message.headers["upgrade"] = "RTXP/1.2, XRPL/2.1, xrpl/2.2";
  EXPECT_EQ(verify_identity(message, shared_), keys_.public_key);
  message.headers["connection"] = "close";
  EXPECT_THAT(refusal(message), HasSubstr("Connection"));
  message = response();
  message.headers["connect-as"] = "leaf";
  EXPECT_THAT(refusal(message), HasSubstr("Connect-As"));
}

TEST_F(Identity, OfARefusalIsItsStatusLineMadePrintable) {
  const auto message =
      parse_upgrade("HTTP/1.1 400 Bad Request (Failed to verify \x1b[31msession)\r\n\r\n");
  ASSERT_TRUE(message);
  EXPECT_EQ(refusal(*message),
            "HTTP upgrade: refused with 400 Bad Request (Failed to verify ?[31msession)");
}

}  // namespace
}  // namespace dissensus::live
