// Scenarios of programs, for tests.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/process/system.h"

namespace dissensus::process {

inline SystemRegistry registry() {
  SystemRegistry systems;
  systems.add(process_entry());
  return systems;
}

inline std::string source(const std::string& path) {
  return std::string(DISSENSUS_SOURCE_DIR) + "/" + path;
}

/// A scenario of two nodes and an echo workload, with this command (TOML) and more of [system].
inline run::Scenario echo_scenario(const std::string& command, const std::string& more = {}) {
  const std::string text = fmt::format(R"(
format = "dissensus-scenario/1"
name = "test"
[system]
kind = "process"
command = {}
nodes = 2
{}
[system.workload]
kind = "echo"
clients = 2
interval = "100ms"
until = "1s"
[oracle.history]
model = "echo"
[limits]
virtual_time = "2s"
)",
                                       command, more);
  return run::parse_scenario(text, "test.toml", registry());
}

/// A command that runs this Python text, in TOML.
inline std::string python(const std::string& text) {
  return "[\"/usr/bin/python3\", \"-c\", '''" + text + "''']";
}

/// Answers after a moment, from a thread of its own, and says what time it is.
inline constexpr const char* kThreaded = R"(
import json, random, sys, threading, time
lock = threading.Lock()
def say(message):
    with lock:
        print(json.dumps(message), flush=True)
def answer(request, body):
    time.sleep(random.uniform(0.001, 0.05))
    body["in_reply_to"] = request["body"]["msg_id"]
    say({"src": request["dest"], "dest": request["src"], "body": body})
for text in sys.stdin:
    request = json.loads(text)
    kind = request["body"]["type"]
    body = {"type": kind + "_ok", "at": time.time()}
    if kind == "echo":
        body["echo"] = request["body"]["echo"]
    threading.Thread(target=answer, args=(request, body)).start()
)";

inline run::RunResult run_random(run::Runner& runner, const run::Scenario& scenario,
                                 std::uint64_t seed, const run::RunOptions& options = {}) {
  Random random(seed, "test schedule");
  return runner.run(scenario, run::random_schedule(scenario, random), seed, options);
}

/// The first node is killed and comes back.
inline run::RunResult run_with_a_restart(const run::Scenario& scenario) {
  const std::string text =
      R"({"format":"dissensus-schedule/1","system":"process","nodes":4,"faults":[
          {"type":"crash","node":0,"at":"300ms","restart_after":"200ms"}]})";
  run::Runner runner;
  return runner.run(
      scenario,
      faults::parse_schedule(text, "test", scenario.system_description(), scenario.nodes()), 1);
}

inline std::string first_signature(const run::RunResult& result) {
  return result.verdict.violations.empty() ? "" : result.verdict.violations.front().signature();
}

}  // namespace dissensus::process
