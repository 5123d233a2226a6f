// Commands and answers of Redis: what a replica is sent, and what a changed message looks like.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosted/protocols/parts.h"

namespace dissensus::protocols {
namespace {

using ::testing::ElementsAre;

// As redis-server 7.0.15 and its replica said it, with a shorter snapshot.
constexpr const char* kAsks = "*3\r\n$5\r\nPSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n";
constexpr const char* kWrite = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\n17\r\n";
constexpr const char* kAck = "*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$3\r\n117\r\n";
const std::string kSync = "+FULLRESYNC 0d1d67c349a3ed598bd6fbd4107eb0b5a90c115e 0\r\n";
const std::string kDelimiter = "2160fbc166f66c09561cd58d50836cfd542f415f";
const std::string kSnapshot = "$EOF:" + kDelimiter + "\r\nREDIS0010\r\n$1\r\n" + kDelimiter;

std::vector<std::string> kinds(const std::vector<Part>& parts) {
  return names(named("redis"), parts);
}

FieldValue value(const Part& part, std::string_view name) {
  for (const Field& field : named("redis").fields) {
    if (field.name == name) return field.get(*part.content);
  }
  return "no such field";
}

/// The message with another value, as it is written.
std::string changed(const Part& part, std::string_view name, const FieldValue& to) {
  const std::unique_ptr<Content> content = part.content->clone();
  for (const Field& field : named("redis").fields) {
    if (field.name == name) field.set(*content, to);
  }
  return named("redis").write(*content);
}

TEST(RedisProtocol, WhatAPrimarySendsItsReplicaAreCommands) {
  const auto reader = named("redis").make_reader();
  EXPECT_THAT(kinds(reader->add(true, std::string("*1\r\n$4\r\nPING\r\n") + kAsks)),
              ElementsAre("ping", "psync"));
  const std::string stream = "+PONG\r\n" + kSync + "\n" + kSnapshot + kWrite;
  const std::vector<Part> parts = reader->add(false, stream);
  EXPECT_THAT(kinds(parts), ElementsAre("reply", "reply", "bytes", "snapshot", "replicate"));
  EXPECT_EQ(joined(parts), stream);
  EXPECT_EQ(value(parts[4], "command"), FieldValue("SET"));
  EXPECT_EQ(value(parts[4], "key"), FieldValue("a"));
  EXPECT_EQ(value(parts[4], "value"), FieldValue("17"));
  const std::vector<Part> answers = reader->add(true, kAck);
  EXPECT_THAT(kinds(answers), ElementsAre("acknowledge"));
  EXPECT_EQ(value(answers[0], "offset"), FieldValue(std::uint64_t{117}));
}

TEST(RedisProtocol, AnswersToClientsAreNoCommands) {
  const auto reader = named("redis").make_reader();
  EXPECT_THAT(kinds(reader->add(true, kWrite)), ElementsAre("command"));
  EXPECT_THAT(
      kinds(reader->add(false, "+OK\r\n-READONLY no\r\n*2\r\n:1\r\n*1\r\n$-1\r\n$2\r\nab\r\n")),
      ElementsAre("reply", "error", "reply", "reply"));
}

TEST(RedisProtocol, AnnouncedSnapshotsEndWhereTheirLengthSays) {
  const auto reader = named("redis").make_reader();
  reader->add(true, kAsks);
  EXPECT_THAT(kinds(reader->add(false, kSync + "$5\r\nabc")), ElementsAre("reply"));
  EXPECT_THAT(kinds(reader->add(false, std::string("de") + kWrite)),
              ElementsAre("snapshot", "replicate"));
}

TEST(RedisProtocol, AChangedMessageIsWrittenWithItsLengths) {
  const auto reader = named("redis").make_reader();
  const std::vector<Part> parts = reader->add(true, std::string(kWrite) + kAck);
  EXPECT_EQ(changed(parts[0], "value", "17"), kWrite);
  EXPECT_EQ(changed(parts[0], "value", "17'"), "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$3\r\n17'\r\n");
  EXPECT_EQ(changed(parts[1], "offset", std::uint64_t{9}),
            "*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$1\r\n9\r\n");
  EXPECT_EQ(changed(parts[0], "offset", std::uint64_t{9}), kWrite);
}

TEST(RedisProtocol, NoByteIsLost) {
  const std::string good = kSync + kSnapshot + kWrite + kWrite + "\n+OK\r\n";
  expect_no_byte_lost(named("redis"), kAsks, good, 1);
}

}  // namespace
}  // namespace dissensus::protocols
