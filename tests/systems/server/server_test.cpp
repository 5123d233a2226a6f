// Real servers of Debian, unmodified, through kind = "server": equal seeds give equal runs, with
// partitions, kills and pauses. SERVER_RUNS=50 makes it as many; servers that are not installed are
// said to be missing (scripts/setup servers).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/outside.h"
#include "dissensus/programs.h"

#include "hosted/framing.h"
#include "hunt/first_run.h"
#include "run/runner.h"
#include "shrink/shrink.h"
#include "systems/built_in/built_in.h"
#include "systems/server/settings.h"

namespace dissensus::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string source(const std::string& path) {
  return std::string(DISSENSUS_SOURCE_DIR) + "/" + path;
}

int run_count() {
  const char* wanted = std::getenv("SERVER_RUNS");
  return wanted != nullptr ? std::atoi(wanted) : 1;
}

/// A partition and a kill whose times and places depend on the seed.
faults::Schedule faults_of(const run::Scenario& scenario, std::uint64_t seed) {
  const std::uint64_t cut = seed % 3;
  const std::uint64_t killed = (seed + 1 + seed / 3 % 2) % 3;
  const std::string text = fmt::format(
      R"({{"format":"dissensus-schedule/1","system":"server","nodes":3,"faults":[
      {{"type":"partition","groups":[[{}]],"from":"{}ms","until":"{}ms"}},
      {{"type":"crash","node":{},"at":"{}ms","restart_after":"{}ms"}}]}})",
      cut, 2000 + seed * 37 % 1000, 4500 + seed * 91 % 2000, killed, 7000 + seed * 53 % 1500,
      500 + seed * 29 % 1000);
  return faults::parse_schedule(text, "test", scenario.system_description(), scenario.nodes());
}

run::RunResult run_once(const run::Scenario& scenario, std::uint64_t seed) {
  run::Runner runner;
  run::RunOptions options;
  options.log = true;
  return runner.run(scenario, faults_of(scenario, seed), seed, options);
}

run::RunResult run_with(const run::Scenario& scenario, const faults::Schedule& schedule) {
  run::Runner runner;
  run::RunOptions options;
  options.log = true;
  return runner.run(scenario, schedule, 1, options);
}

std::string attachment(const run::RunResult& result, const std::string& name) {
  for (const Outside::Attachment& file : result.attachments) {
    if (file.name == name) return file.text;
  }
  return {};
}

/// The lines of host.txt that have to be equal.
std::string hashes(const run::RunResult& result) {
  const std::string text = attachment(result, "host.txt");
  return text.substr(0, text.find("virtual"));
}

/// The same run when calls that could be answered inside the programs stop.
void expect_same_with_stops(const std::string& path, const run::RunResult& inside) {
  std::ifstream file(source(path));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string kind = "kind = \"server\"\n";
  ASSERT_NE(text.find(kind), text.npos);
  text.insert(text.find(kind) + kind.size(), "answers = \"stops\"\n");
  const run::Scenario scenario = run::parse_scenario(text, source(path), built_in_systems());
  const run::RunResult stopped = run_once(scenario, 1);
  EXPECT_EQ(inside.hash, stopped.hash);
  EXPECT_EQ(hashes(inside), hashes(stopped));
  EXPECT_THAT(attachment(stopped, "host.txt"), HasSubstr("inside   0 calls"));
}

void expect_repeats(const std::string& path, const std::string& log_line) {
  const run::Scenario scenario = run::load_scenario(source(path), built_in_systems());
  double virtual_s = 0;
  double wall_s = 0;
  int passes = 0;
  std::string cost;
  for (int i = 0; i < run_count(); ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    const auto begin = std::chrono::steady_clock::now();
    const run::RunResult first = run_once(scenario, seed);
    wall_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    virtual_s += static_cast<double>(microseconds_of(first.end)) * 1e-6;
    const run::RunResult second = run_once(scenario, seed);
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(hashes(first), hashes(second)) << "seed " << seed;
    EXPECT_FALSE(first.broken_off) << first.ended_by;
    EXPECT_GT(first.counters.deliveries, 100U);
    EXPECT_THAT(attachment(first, "host.txt"), HasSubstr("nothing is known against"));
    EXPECT_THAT(attachment(first, "servers/0.log"), HasSubstr(log_line));
    if (first.verdict.outcome == oracle::Outcome::pass) ++passes;
    if (seed == 1) expect_same_with_stops(path, first);
    std::printf("seed %d: %016lx and %016lx, %s\n", i + 1, first.hash, second.hash,
                std::string(oracle::to_string(first.verdict.outcome)).c_str());
    std::fflush(stdout);
    cost = attachment(first, "host.txt");
  }
  std::printf("%s", cost.substr(cost.find("virtual")).c_str());
  std::printf("%s: %d pairs, %d pass, %.1f virtual s in %.1f s of wall time (%.1f times)\n",
              path.c_str(), run_count(), passes, virtual_s, wall_s, virtual_s / wall_s);
}

TEST(Servers, EtcdRepeats) {
  if (!std::filesystem::exists("/opt/dissensus/etcd-server/usr/bin/etcd") ||
      !std::filesystem::exists("/usr/bin/etcdctl")) {
    GTEST_SKIP() << "etcd is not installed: scripts/setup servers";
  }
  expect_repeats("scenarios/server/etcd.toml", "elected leader");
}

TEST(Servers, OvsdbRepeats) {
  if (!std::filesystem::exists("/usr/sbin/ovsdb-server")) {
    GTEST_SKIP() << "ovsdb-server is not installed: scripts/setup servers";
  }
  expect_repeats("scenarios/server/ovsdb.toml", "elected leader");
}

/// Nothing reaches node 1: who wants to connect hears so after two minutes, as from any kernel.
TEST(Servers, AConnectionThatNobodyAnswersIsGivenUp) {
  const std::string text =
      "format = \"dissensus-scenario/1\"\nname = \"silence\"\n"
      "[system]\nkind = \"server\"\nnodes = 2\ncommand = [\"/bin/sleep\", \"1000\"]\n"
      "[[workload]]\nat = \"1s\"\nnode = 0\nmay_fail = true\n"
      "command = [\"/bin/bash\", \"-c\", \"exec 3<>/dev/tcp/{address:1}/5000\"]\n"
      "[[oracle.rule]]\nname = \"told\"\nproperty = \"progress\"\nwhen = \"end\"\n"
      "check = \"sum(clients_failed) == 1\"\n[limits]\nvirtual_time = ";
  faults::PartitionFault apart;
  apart.groups = {{0}, {1}};
  const auto outcome = [&](const std::string& end, const faults::Schedule& schedule) {
    const run::Scenario scenario =
        run::parse_scenario(text + end, "silence.toml", built_in_systems());
    run::Runner runner;
    return runner.run(scenario, schedule, 1).verdict.outcome;
  };
  EXPECT_EQ(outcome("\"120s\"\n", {{}, {apart}}), oracle::Outcome::fail);
  EXPECT_EQ(outcome("\"160s\"\n", {{}, {apart}}), oracle::Outcome::pass);
  EXPECT_EQ(outcome("\"3s\"\n", {}), oracle::Outcome::pass);  // refused at once
}

/// A rule demands what a client achieves. Without the client it fails as well, but that is no
/// explanation: what is left is the partition, and the client.
TEST(Servers, ShrinkingKeepsTheClientsThatARuleSpeaksOf) {
  const run::Scenario scenario = run::parse_scenario(
      "format = \"dissensus-scenario/1\"\nname = \"clients\"\n"
      "[system]\nkind = \"server\"\nnodes = 2\ncommand = [\"/bin/sleep\", \"1000\"]\n"
      "[[workload]]\nat = \"1s\"\nnode = 0\nmay_fail = true\n"
      "command = [\"/bin/bash\", \"-c\", \"exec 3<>/dev/tcp/{address:1}/5000\"]\n"
      "[[workload]]\nat = \"1s\"\nnode = 1\ncommand = [\"/bin/true\"]\n"
      "[[oracle.rule]]\nname = \"told\"\nproperty = \"progress\"\nwhen = \"end\"\n"
      "check = \"sum(clients_failed) == 1\"\n[limits]\nvirtual_time = \"10s\"\n",
      "clients.toml", built_in_systems());
  faults::PartitionFault apart;
  apart.groups = {{0}, {1}};
  faults::CrashFault crash;
  crash.node = 1;
  crash.at = std::chrono::milliseconds(300);
  crash.restart_after = std::chrono::milliseconds(300);
  shrink::ShrinkOptions options;
  options.seeds = 0;
  const shrink::ShrinkResult result =
      shrink::shrink(scenario, {{}, {crash, apart}}, 1, options, built_in_systems());
  EXPECT_TRUE(result.minimal);
  EXPECT_TRUE(result.only_removed);
  EXPECT_EQ(result.after.requests, 1u);
  ASSERT_EQ(result.recipe.schedule.faults.size(), 1u);
  EXPECT_TRUE(result.recipe.schedule.faults.front().as<faults::PartitionFault>() != nullptr);
  EXPECT_THAT(result.recipe.scenario.text, HasSubstr("/dev/tcp"));
  run::Runner runner;
  const run::Recipe& recipe = result.recipe;
  EXPECT_EQ(trace::to_hex(runner.run(recipe.scenario, recipe.schedule, recipe.seed).hash),
            recipe.hash);
}

TEST(Servers, AClientOfACutOffServerIsNotAnswered) {
  if (!std::filesystem::exists("/usr/sbin/ovsdb-server")) {
    GTEST_SKIP() << "ovsdb-server is not installed: scripts/setup servers";
  }
  const run::Scenario scenario =
      run::load_scenario(source("scenarios/server/ovsdb.toml"), built_in_systems());
  const faults::Schedule cut = faults::parse_schedule(
      R"({"format": "dissensus-schedule/1", "system": "server", "nodes": 3,
          "faults": [{"type": "partition", "groups": [[2]], "from": "5s", "until": "19s"}]})",
      "test", scenario.system_description(), scenario.nodes());
  run::Runner runner;
  const run::RunResult result = runner.run(scenario, cut, 1);
  ASSERT_EQ(result.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(runner.run(scenario, {}, 1).verdict.outcome, oracle::Outcome::pass);
}

/// A kill between the snapshot that a joining server gets and its admission: its file then says
/// that it has joined, and what it has of the log that it has not.
TEST(Servers, OvsdbDoesNotStartAgainAfterAKillWhileJoining) {
  if (!std::filesystem::exists("/usr/sbin/ovsdb-server")) {
    GTEST_SKIP() << "ovsdb-server is not installed: scripts/setup servers";
  }
  const run::Scenario scenario =
      run::load_scenario(source("scenarios/ovsdb/join.toml"), built_in_systems());
  const faults::Schedule kill =
      run::load_schedule(source("scenarios/ovsdb/killed-while-joining.schedule.json"), scenario);
  const run::RunResult first = run_with(scenario, kill);
  EXPECT_EQ(first.verdict.violations.at(0).signature(), "crash/no-server-dies");
  EXPECT_THAT(attachment(first, "servers/2.log"), HasSubstr("server does not belong to cluster"));
  EXPECT_EQ(run_with(scenario, kill).hash, first.hash);
  EXPECT_EQ(run_with(scenario, {}).verdict.outcome, oracle::Outcome::pass);
}

std::string scenario_of(const std::string& script) {
  return "format = \"dissensus-scenario/1\"\nname = \"shell\"\n[system]\nkind = \"server\"\nnodes "
         "= 2\n"
         "command = [\"/bin/sh\", \"-c\", \"" +
         script +
         "\"]\n[[system.decide]]\nlevel = \"said\"\npattern = \"decides ([0-9]+) ([a-z]+)\"\n"
         "[[oracle.rule]]\nname = \"alive\"\nproperty = \"crash\"\ncheck = \"max(died) == 0\"\n"
         "[limits]\nvirtual_time = \"5s\"\n";
}

run::RunResult run_shell(const std::string& script) {
  const run::Scenario scenario =
      run::parse_scenario(scenario_of(script), "shell", built_in_systems());
  return run_with(scenario, {});
}

TEST(Servers, ADecisionIsReadInTheLogAndJudged) {
  EXPECT_EQ(run_shell("echo decides 1 yes; sleep 100").verdict.outcome, oracle::Outcome::pass);
  EXPECT_EQ(run_shell("echo decides 1 $(hostname | tr 01 ab); sleep 100").verdict.outcome,
            oracle::Outcome::fail);
}

// A pattern that no line matches has judged nothing.
TEST(Servers, APatternThatNeverMatchesLeavesTheRunUnknown) {
  const oracle::Verdict verdict = run_shell("echo decided 1 yes; sleep 100").verdict;
  EXPECT_EQ(verdict.outcome, oracle::Outcome::unknown);
  EXPECT_EQ(verdict.properties.back().property, oracle::kEvidence);
  EXPECT_EQ(verdict.properties.back().reason, "no node decided anything (said)");
  const run::Scenario never_ready = run::parse_scenario(
      scenario_of("echo decides 1 yes; sleep 100") + "[system.ready]\nport = 2379\n", "shell",
      built_in_systems());
  EXPECT_EQ(run_with(never_ready, {}).verdict.properties.back().reason,
            "no server was ever ready (system.ready)");
}

// A last line without an end is a line.
TEST(Servers, WhatAServerSaysLastIsRead) {
  EXPECT_EQ(run_shell("printf 'decides 1 %s' $(hostname | tr 01 ab)").verdict.outcome,
            oracle::Outcome::fail);
}

std::string first_error(const std::string& script) {
  const run::Scenario scenario =
      run::parse_scenario(scenario_of(script), "shell", built_in_systems());
  try {
    hunt::try_without_faults(scenario, 1);
  } catch (const OutsideError& error) {
    return error.what();
  }
  return "none";
}

// Without any fault, a server that ends at its start is trouble; one that ends later is a finding.
TEST(Servers, AServerThatEndsAtItsStartIsNoFinding) {
  const std::string error = first_error("echo no such table >&2; exit 3");
  EXPECT_THAT(error, HasSubstr("node 0 ends before it has begun"));
  EXPECT_THAT(error, HasSubstr("no such table"));
  EXPECT_EQ(first_error("echo decides 1 yes; sleep 1; exit 3"), "none");
}

// A program that comes with the contents is one of the node's folder.
TEST(Servers, AProgramOfTheContentsIsStarted) {
  const std::string folder = testing::TempDir() + "contents-of-a-node";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file("/bin/sh", folder + "/h",
                             std::filesystem::copy_options::overwrite_existing);
  const auto scenario = [&folder](const std::string& program) {
    std::string text = scenario_of("echo decides 1 yes; sleep 100");
    text.replace(text.find("/bin/sh"), 7, program);
    text.insert(text.find("command = "), "contents = \"" + folder + "\"\n");
    return run::parse_scenario(text, "shell", built_in_systems());
  };
  EXPECT_EQ(run_with(scenario("/node/h"), {}).verdict.outcome, oracle::Outcome::pass);
  const auto missing = [](const run::Scenario& its) {
    return dynamic_cast<const UsesPrograms&>(*its.system).missing_programs();
  };
  EXPECT_THAT(missing(scenario("/node/h")), ::testing::IsEmpty());
  EXPECT_THAT(
      missing(scenario("/node/g")),
      ElementsAre(HasSubstr("system.command: /node/g: no such program in system.contents")));
  EXPECT_THAT(missing(scenario("/no/such")), ElementsAre(HasSubstr("/no/such: no such program")));
  std::filesystem::remove_all(folder);
}

TEST(Servers, AServerThatNeverWaitsIsSeen) {
  const run::Scenario scenario = run::parse_scenario(
      scenario_of("exec python3 -c 'from select import *\\nwhile True: select([], [], [], 0)'") +
          "[[oracle.rule]]\nname = \"waits\"\nproperty = \"hang\"\ncheck = \"max(spun) == 0\"\n",
      "shell", built_in_systems());
  const run::RunResult result = run_with(scenario, {});
  EXPECT_EQ(result.verdict.violations.at(0).signature(), "hang/waits");
  EXPECT_GT(result.end, Time{} + std::chrono::milliseconds(900));
  EXPECT_EQ(run_with(scenario, {}).hash, result.hash);
}

TEST(Servers, AServerThatDiesIsAFinding) {
  EXPECT_EQ(run_shell("sleep 1; kill -SEGV $$").verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(run_shell("sleep 1; exit 3").verdict.outcome, oracle::Outcome::fail);
}

run::RunResult run_held(const run::Scenario& scenario, std::optional<run::Hold> hold) {
  run::Runner runner;
  run::RunOptions options;
  options.log = true;
  options.hold = std::move(hold);
  return runner.run(scenario, {}, 1, options);
}

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

TEST(Servers, ARunCanBeHeldAndLookedAt) {
  const run::Scenario scenario = run::parse_scenario(
      scenario_of("echo decides 1 yes; hostname > /node/who; while sleep 1; do echo tick; done"),
      "shell", built_in_systems());
  int held = 0;
  run::Hold hold;
  hold.at = Time{} + std::chrono::milliseconds(2500);
  hold.wait = [&](Time time, const std::string& why, Outside& servers) {
    ++held;
    EXPECT_GE(time, *hold.at);
    EXPECT_EQ(why, "");
    const std::string text = servers.held();
    EXPECT_THAT(text, HasSubstr("n0       pid "));
    EXPECT_THAT(text, HasSubstr("n1       pid "));
    EXPECT_THAT(servers.held_threads(), HasSubstr("waits in clock_nanosleep"));
    // What the text says is there, and nothing moves.
    const std::size_t at = text.find("/proc/");
    const std::string folder = text.substr(at, text.find(' ', at) - at);
    EXPECT_EQ(first_line_of(folder + "/who"), "n0");
    const std::string core_folder = testing::TempDir() + "held-cores";
    std::filesystem::remove_all(core_folder);
    const std::vector<std::string> cores = servers.write_cores(core_folder);
    EXPECT_EQ(cores.size(), 4U);  // two shells, and what they wait for
    for (const std::string& core : cores) {
      EXPECT_EQ(first_line_of(core).substr(0, 4),
                "\x7f"
                "ELF");
    }
    std::filesystem::remove_all(core_folder);
  };
  const run::RunResult result = run_held(scenario, hold);
  EXPECT_EQ(held, 1);
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass);
  const run::RunResult free = run_held(scenario, std::nullopt);
  EXPECT_EQ(result.hash, free.hash);
  EXPECT_EQ(hashes(result), hashes(free));
}

TEST(Servers, ARunIsHeldWhereAPropertyIsViolated) {
  int held = 0;
  run::Hold hold;
  hold.wait = [&](Time time, const std::string& why, Outside& servers) {
    ++held;
    EXPECT_GE(time, Time{} + std::chrono::seconds(1));
    EXPECT_THAT(why, HasSubstr("alive"));
    EXPECT_THAT(servers.held(), HasSubstr("n1       pid "));
    EXPECT_THAT(servers.held(), ::testing::Not(HasSubstr("n0       pid ")));
    EXPECT_THAT(servers.held_threads(), HasSubstr("has ended"));
  };
  const auto outcome = [&](const std::string& script) {
    return run_held(run::parse_scenario(scenario_of(script), "shell", built_in_systems()), hold)
        .verdict.outcome;
  };
  EXPECT_EQ(outcome("sleep 1; test $(hostname) = n0 && kill -SEGV $$; sleep 100"),
            oracle::Outcome::fail);
  EXPECT_EQ(held, 1);
  EXPECT_EQ(outcome("echo decides 1 yes; sleep 100"), oracle::Outcome::pass);
  EXPECT_EQ(held, 1);
}

TEST(Servers, PlaceholdersAreFilledInAndOtherBracesStay) {
  EXPECT_EQ(fill_in("{name}@{address}:{node} {address:2} {folder}/x {\"a\":{}}", 1, 3),
            "n1@127.0.0.11:1 127.0.0.12 /node/x {\"a\":{}}");
  EXPECT_EQ(fill_in("{addresses}", 3, 2), "127.0.0.10 127.0.0.11");
}

TEST(Framing, MessagesAreFoundInPieces) {
  using hosted::Framer;
  using hosted::Framing;
  Framer lines(Framing::lines);
  EXPECT_THAT(lines.add("one\ntw"), ElementsAre("one\n"));
  EXPECT_THAT(lines.add("o\n"), ElementsAre("two\n"));
  Framer counted(Framing::length_u32);
  EXPECT_THAT(counted.add(std::string("\0\0\0\2ab\0\0", 8)),
              ElementsAre(std::string("\0\0\0\2ab", 6)));
  Framer json(Framing::json);
  EXPECT_THAT(json.add(R"({"a":"}{"}{"b":[1,)"), ElementsAre(R"({"a":"}{"})"));
  EXPECT_THAT(json.add("2]}"), ElementsAre(R"({"b":[1,2]})"));
  Framer http2(Framing::http2);
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const std::string frame("\0\0\3\0\0\0\0\0\1abc", 12);
  EXPECT_THAT(http2.add(preface + frame), ElementsAre(preface, frame));
}

}  // namespace
}  // namespace dissensus::server
