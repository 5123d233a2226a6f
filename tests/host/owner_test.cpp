// What the owner of the programs can do: the network, ends, pauses, the disk, the calendar.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/procfs.h>

#include "host/harness.h"

namespace dissensus::host {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Plan plan_of() {
  Plan plan;
  plan.has_own_uptimes = false;  // times of several machines are compared
  plan.machines = {{"one", ""}, {"two", ""}, {"three", ""}};
  plan.visible = {HOST_SUBJECT};
  return plan;
}

ProgramId start(TestNetwork& network, MachineId machine, std::vector<std::string> words) {
  Program program;
  program.machine = machine;
  program.name = words.front();
  program.command = {HOST_SUBJECT};
  program.command.insert(program.command.end(), words.begin(), words.end());
  return network.host().start(program);
}

struct Talk {
  std::string client;
  std::string server;
  Report report;
};

Talk talk(const std::string& how, const std::function<void(TestNetwork&, ProgramId)>& faults = {},
          Answers answers = Answers::inside) {
  Plan plan = plan_of();
  plan.answers = answers;
  TestNetwork network(plan, 3ms);
  const ProgramId server = start(network, 1, {how + "-server"});
  EXPECT_TRUE(network.run_until(1s));
  const ProgramId client = start(network, 0, {how + "-client", "127.0.0.11"});
  if (faults) faults(network, server);
  EXPECT_TRUE(network.run_until(30s)) << network.host().trouble();
  EXPECT_THAT(network.host().report().doubts, IsEmpty());
  return {network.output(client), network.output(server), network.host().report()};
}

TEST(HostNetwork, StreamsCarryEverythingAndRepeat) {
  const Talk first = talk("tcp");
  EXPECT_THAT(first.client, HasSubstr("3145728 bytes"));
  EXPECT_THAT(first.client, HasSubstr("refused after 6000000"));
  EXPECT_THAT(first.server, HasSubstr("from 127.0.0.10:4000"));
  const Talk second = talk("tcp");
  EXPECT_EQ(first.client, second.client);
  EXPECT_EQ(first_difference(first.report.journal, second.report.journal), std::nullopt);
}

TEST(HostNetwork, DatagramsCarryTheirSendersAddressAndRepeat) {
  const Talk first = talk("udp");
  EXPECT_THAT(first.client, HasSubstr("message 19 from 127.0.0.10:40000"));
  const Talk second = talk("udp");
  EXPECT_EQ(first.client, second.client);
  EXPECT_EQ(first_difference(first.report.journal, second.report.journal), std::nullopt);
}

TEST(HostNetwork, TheSameIsCarriedWhetherCallsAreAnsweredInsideOrStop) {
  for (const char* how : {"tcp", "udp"}) {
    const Talk inside = talk(how);
    const Talk stopped = talk(how, {}, Answers::stops);
    EXPECT_EQ(inside.client, stopped.client);
    EXPECT_EQ(first_difference(inside.report.journal, stopped.report.journal), std::nullopt);
  }
}

TEST(HostNetwork, WhatIsCutOffIsNotHeard) {
  const Talk cut = talk("udp", [](TestNetwork& network, ProgramId) {
    network.at(1s + 20ms, [&network] { network.cut_off(1); });
  });
  EXPECT_THAT(cut.client, HasSubstr("message 0 from"));
  EXPECT_THAT(cut.client, HasSubstr("no answer to 19"));
}

TEST(HostOwner, AConnectionEndsWithTheProgramThatHadIt) {
  const Talk killed = talk("tcp", [](TestNetwork& network, ProgramId server) {
    network.at(1s + 25ms, [&network, server] { network.host().kill(server); });
  });
  EXPECT_THAT(killed.client, Not(HasSubstr("all bytes at")));
}

TEST(HostOwner, APausedProgramGetsNoTimeAndGoesOnAfterwards) {
  const Talk paused = talk("udp", [](TestNetwork& network, ProgramId server) {
    network.at(1s + 13ms, [&network, server] { network.host().pause(server); });
    network.at(1s + 500ms, [&network, server] { network.host().resume(server); });
  });
  EXPECT_THAT(paused.client, HasSubstr("no answer to 2"));
  // What it answers late is taken for the answer to a later message.
  EXPECT_THAT(paused.client, HasSubstr("1001503000000 message 2 from"));
}

TEST(HostOwner, AProgramCanBeStartedAgainOnTheSamePort) {
  TestNetwork network(plan_of());
  const ProgramId first = start(network, 1, {"tcp-server"});
  ASSERT_TRUE(network.run_until(1s));
  EXPECT_TRUE(network.host().is_listening(1, 9000));
  network.host().kill(first);
  EXPECT_FALSE(network.host().is_listening(1, 9000));
  EXPECT_TRUE(network.exits().at(first).by_owner);
  start(network, 1, {"tcp-server"});
  const ProgramId client = start(network, 2, {"tcp-client", "127.0.0.11"});
  ASSERT_TRUE(network.run_until(60s));
  EXPECT_THAT(network.output(client), HasSubstr("3145728 bytes"));
}

TEST(HostOwner, SyncsCostWhatTheModelSays) {
  Plan plan = plan_of();
  plan.disk.write = 10us;
  plan.disk.sync = 5ms;
  TestNetwork network(plan);
  const ProgramId id = start(network, 0, {"disk", "50"});
  ASSERT_TRUE(network.run_until(1s));
  EXPECT_EQ(network.output(id), "written at 1000006000000\n");
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(HostOwner, ALossOfPowerKeepsWhatWasSyncedAndAPrefixOfTheRest) {
  std::set<std::size_t> kept;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Plan plan = plan_of();
    plan.seed = seed;
    plan.disk.keeps_unsynced = true;
    TestNetwork network(plan);
    start(network, 0, {"disk", "50"});
    ASSERT_TRUE(network.run_until(1s));
    network.host().power_loss(0);
    const auto lines = lines_of(network.host().folder(0) + "/numbers");
    ASSERT_GE(lines.size(), 51U);
    for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i], std::to_string(i));
    kept.insert(lines.size());
  }
  EXPECT_GT(kept.size(), 1U);
}

TEST(HostOwner, AKilledProgramLosesNothing) {
  TestNetwork network(plan_of());
  const ProgramId id = start(network, 0, {"disk", "50"});
  ASSERT_TRUE(network.run_until(1s));
  network.host().kill(id);
  EXPECT_EQ(lines_of(network.host().folder(0) + "/numbers").size(), 100U);
}

TEST(HostOwner, AFolderIsFilledFirst) {
  const std::string folder = ::testing::TempDir() + "/host_contents";
  std::filesystem::create_directories(folder + "/inner");
  std::ofstream(folder + "/inner/text") << "from the template\n";
  Plan plan = plan_of();
  plan.machines[0].contents = folder;
  TestNetwork network(plan);
  Program program;
  program.command = {"/bin/sh", "-c", "cat inner/text; echo more >> inner/text; hostname"};
  const ProgramId id = network.host().start(program);
  ASSERT_TRUE(network.run_until(1s));
  EXPECT_EQ(network.output(id), "from the template\none\n");
  EXPECT_EQ(lines_of(folder + "/inner/text").size(), 1U);
}

TEST(HostOwner, AProgramThatIsNotThereIsOneLine) {
  TestNetwork network(plan_of());
  Program program;
  program.command = {"/usr/bin/no-such-program"};
  try {
    network.host().start(program);
    FAIL();
  } catch (const OutsideError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/usr/bin/no-such-program: No such file or directory"));
  }
}

TEST(HostOwner, ThreadsCanBeLookedAt) {
  TestNetwork network(plan_of());
  start(network, 0, {"tcp-server"});
  ASSERT_TRUE(network.run_until(1s));
  const auto threads = network.host().threads();
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].name, "tcp-server process 0 thread 0");
  EXPECT_EQ(threads[0].state, "waits in accept");
  EXPECT_THAT(threads[0].last_calls.back(), HasSubstr("accept("));
}

/// The numbers of the threads of a core file, by its notes.
std::vector<int> threads_in_core(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  Elf64_Phdr notes{};
  file.read(reinterpret_cast<char*>(&notes), sizeof notes);
  std::string bytes(notes.p_filesz, '\0');
  file.seekg(static_cast<std::streamoff>(notes.p_offset));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  std::vector<int> numbers;
  for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= bytes.size();) {
    Elf64_Nhdr note{};
    std::memcpy(&note, bytes.data() + at, sizeof note);
    const std::size_t content = at + sizeof note + padded(note.n_namesz);
    if (note.n_type == NT_PRSTATUS) {
      elf_prstatus status{};
      std::memcpy(&status, bytes.data() + content, sizeof status);
      numbers.push_back(status.pr_pid);
    }
    at = content + padded(note.n_descsz);
  }
  return numbers;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece{};
  for (std::size_t got = 0; (got = fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
    text.append(piece.data(), got);
  }
  pclose(pipe);
  return text;
}

/// By the numbers that the program knows, since its thread library tells those to the debugger.
TEST(HostCores, ADebuggerSeesEveryThreadOnce) {
  TestNetwork network(plan_of());
  start(network, 0, {"threads"});
  ASSERT_TRUE(network.run_until(3ms));
  const std::string folder = testing::TempDir() + "host-cores";
  std::filesystem::remove_all(folder);
  const std::vector<std::string> files = network.host().write_cores(folder);
  ASSERT_EQ(files.size(), 1U);
  const ProcessView process = network.host().processes().front();
  EXPECT_EQ(process.tids.size(), 13U);
  EXPECT_EQ(threads_in_core(files.front()), process.inner_tids);
  if (std::filesystem::exists("/usr/bin/gdb")) {
    const std::string text = output_of(fmt::format(
        "/usr/bin/gdb --batch -nx -ex 'info threads' {} {} 2>&1", HOST_SUBJECT, files.front()));
    std::size_t rows = 0;
    for (std::istringstream lines(text.substr(std::min(text.size(), text.find("Target Id"))));
         !lines.eof();) {
      std::string line;
      std::getline(lines, line);
      if (line.find("LWP ") != line.npos) ++rows;
    }
    EXPECT_EQ(rows, process.tids.size()) << text;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dissensus::host
