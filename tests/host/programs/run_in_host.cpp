// Runs one command line in virtual time and prints what came of it: for trying things, and for
// tests that kill a supervisor.   run_in_host SECONDS COMMAND ARGUMENTS...
#include <cstdio>
#include <cstdlib>

#include "host/harness.h"

int main(int argc, char** argv) {
  using namespace dissensus::host;
  if (argc < 3) return 2;
  Plan plan;
  plan.machines = {{"one", ""}, {"two", ""}};
  plan.visible = {argv[2]};
  plan.limits.stop_time = std::chrono::milliseconds(1000);
  try {
    TestNetwork network(plan);
    Program program;
    program.name = "subject";
    for (int i = 2; i < argc; ++i) program.command.emplace_back(argv[i]);
    const ProgramId id = network.host().start(program);
    std::printf("started\n");
    std::fflush(stdout);
    const bool is_fine = network.run_until(std::chrono::seconds(std::atol(argv[1])));
    const Report report = network.host().report();
    std::printf("%s", network.output(id).c_str());
    std::printf("--- %s %s at %.6f s, %zu us of wall time, %lu stops, hash %016lx\n",
                is_fine ? "fine" : network.host().trouble().c_str(),
                network.exits().contains(id) ? to_string(network.exits().at(id)).c_str() : "runs",
                static_cast<double>(report.time.count()) * 1e-9,
                static_cast<std::size_t>(report.wall.count() / 1000), report.stops,
                report.journal.hash());
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
