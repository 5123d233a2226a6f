// Servers that do what a script says (tests/host/programs/script.cpp), for tests.
#pragma once

#include <string>

#include <fmt/format.h>

#include "run/runner.h"
#include "systems/process/system.h"
#include "systems/server/system.h"

namespace dissensus::hosted {

inline SystemRegistry systems() {
  SystemRegistry registry;
  registry.add(server::server_entry());
  registry.add(process::process_entry());
  return registry;
}

/// A list of words in TOML: the program with this script.
inline std::string script_command(const std::string& script) {
  std::string command = fmt::format("[\"{}\"", HOST_SCRIPT);
  for (std::size_t at = 0; at < script.size();) {
    const std::size_t end = std::min(script.find(' ', at), script.size());
    command += fmt::format(", \"{}\"", script.substr(at, end - at));
    at = end + 1;
  }
  return command + "]";
}

/// One server for two seconds; `more` is of [system], and may begin tables of it.
inline run::Scenario script_scenario(const std::string& script, const std::string& more) {
  return run::parse_scenario(fmt::format(R"(format = "dissensus-scenario/1"
name = "script"
[limits]
virtual_time = "2s"
[system]
kind = "server"
nodes = 1
command = {}
{})",
                                         script_command(script), more),
                             "script", systems());
}

/// Two nodes that speak the plain protocol, or the superset, and clients that want an echo.
inline run::Scenario process_scenario(const std::string& script, const std::string& more) {
  return run::parse_scenario(fmt::format(R"(format = "dissensus-scenario/1"
name = "script"
[limits]
virtual_time = "2s"
[system]
kind = "process"
nodes = 2
learn = 0
command = {}
{}
[system.workload]
kind = "echo"
clients = 2
interval = "100ms"
until = "1500ms"
[oracle.history]
model = "echo"
)",
                                         script_command(script), more),
                             "script", systems());
}

/// For process_scenario: in virtual time.
inline std::string in_virtual_time() {
  return fmt::format("clock = \"virtual\"\nvisible = [\"{}\"]\n", HOST_SCRIPT);
}

/// "fail crash/exit-1 note process/SIGSEGV".
inline std::string told(const run::RunResult& result) {
  std::string text(oracle::to_string(result.verdict.outcome));
  for (const oracle::Violation& violation : result.verdict.violations) {
    text += " " + violation.signature();
  }
  for (const oracle::Violation& note : result.verdict.notes) text += " note " + note.signature();
  return text;
}

}  // namespace dissensus::hosted
