// Runs one command line in virtual time and prints what it writes and what came of it: for trying
// things, for scripts/kernel-tests, and for tests that kill a supervisor.
//   run_in_host [--visible PATH | --environment NAME=VALUE]... SECONDS COMMAND ARGUMENTS...
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "host/harness.h"

namespace {

using namespace dissensus::host;

/// Shows output as it comes.
class ShownNetwork final : public TestNetwork {
 public:
  using TestNetwork::TestNetwork;
  void on_output(ProgramId, Stream, std::string_view bytes) override {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  plan.machines = {{"one", ""}, {"two", ""}};
  plan.limits.stop_time = std::chrono::milliseconds(1000);
  Program program;
  program.name = "subject";
  int at = 1;
  for (; at + 1 < argc && std::strncmp(argv[at], "--", 2) == 0; at += 2) {
    if (std::strcmp(argv[at], "--visible") == 0) {
      plan.visible.emplace_back(argv[at + 1]);
    } else if (std::strcmp(argv[at], "--environment") == 0) {
      program.environment.emplace_back(argv[at + 1]);
    } else {
      return 2;
    }
  }
  if (argc < at + 2) return 2;
  const std::chrono::seconds until(std::atol(argv[at++]));
  plan.visible.emplace_back(argv[at]);
  for (; at < argc; ++at) program.command.emplace_back(argv[at]);
  try {
    ShownNetwork network(plan);
    const ProgramId id = network.host().start(program);
    std::printf("started\n");
    std::fflush(stdout);
    const bool is_fine = network.run_until(until);
    const Report report = network.host().report();
    std::printf("--- %s %s at %.6f s, %zu us of wall time, %lu stops, hash %016lx\n",
                is_fine ? "fine" : network.host().trouble().c_str(),
                network.exits().contains(id) ? to_string(network.exits().at(id)).c_str() : "runs",
                static_cast<double>(report.time.count()) * 1e-9,
                static_cast<std::size_t>(report.wall.count() / 1000), report.stops,
                report.journal.hash());
    constexpr std::size_t kShown = 16;
    std::printf("calls: %lu inside;", report.inside);
    for (std::size_t i = 0; i < std::min(kShown, report.calls.size()); ++i) {
      std::printf(" %s %lu", report.calls[i].first.c_str(), report.calls[i].second);
    }
    std::printf("\n");
    for (const std::string& doubt : report.doubts) std::printf("doubt: %s\n", doubt.c_str());
    for (const std::string& note : report.notes) std::printf("note: %s\n", note.c_str());
    if (std::getenv("JOURNAL") != nullptr) {
      for (const JournalEntry& entry : report.journal.entries()) {
        std::printf("%.9f p%u.%u.%u %s %016lx\n", static_cast<double>(entry.time_ns) * 1e-9,
                    entry.program, entry.process, entry.thread, call_name(entry.call).c_str(),
                    entry.hash);
      }
    }
    if (std::getenv("THREADS") != nullptr) {
      for (const ThreadView& thread : network.host().threads()) {
        std::printf("%s: %s\n", thread.name.c_str(), thread.state.c_str());
        for (const std::string& call : thread.last_calls) std::printf("    %s\n", call.c_str());
      }
      for (const auto& [name, count] : report.calls) std::printf("%8lu %s\n", count, name.c_str());
    }
  } catch (const dissensus::OutsideError& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
