// Scenarios of programs that cannot work: each is told in one line that names what is wrong, and
// never judged.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Wrong {
  std::string name;
  std::string system;  ///< lines of [system], without its head
  int exit_code = 2;   ///< 2: the scenario; 5: what it runs
  std::string told;    ///< a part of the line
  std::string verb = "run";
};

std::string scenario_of(const Wrong& wrong) {
  return "format = \"dissensus-scenario/1\"\nname = \"wrong\"\n\n[system]\n" + wrong.system +
         "\n[network]\nlatency = \"1ms\"\n\n[limits]\nvirtual_time = \"2s\"\n\n[schedule]\ntype = "
         "\"delay\"\n"
         "max_delay = \"10ms\"\n";
}

std::string server(const std::string& more) {
  return "kind = \"server\"\nnodes = 2\n" + more + "\n";
}
std::string server_of(const std::string& command, const std::string& more = "") {
  return server("command = " + command + "\n" + more);
}
std::string process_of(const std::string& command, const std::string& more = "") {
  return "kind = \"process\"\nclock = \"virtual\"\nnodes = 2\ncommand = " + command + "\n" + more +
         "\n";
}
std::string told_of(const std::string& command, const std::string& more = "") {
  return "kind = \"process\"\nnodes = 2\ncommand = " + command + "\n" + more + "\n";
}
std::string rippled_of(const std::string& program, const std::string& more = "") {
  return "kind = \"rippled\"\nnodes = 2\n\n[system.servers]\nrippled = \"" + program +
         "\"\nstart_limit = \"20s\"\n" + more + "\n";
}
const std::string kSleeps = R"(["/bin/sleep", "100"])";

/// `folder` has a file "plain" without the right to be run, and "secret", which nobody may read.
std::vector<Wrong> wrong_scenarios(const WorkFolder& folder) {
  const std::string plain = folder.file("plain").string();
  const std::string secret = folder.file("secret").string();
  return {
      // Any server.
      {"no command", server(""), 2, "system.command"},
      {"a command without words", server_of("[]"), 2, "system.command"},
      {"a command that is no list", server_of("\"/bin/sleep\""), 2, "system.command"},
      {"a relative path", server_of(R"(["sleep", "1"])"), 2, "expected an absolute path"},
      {"an unknown command", server_of(R"(["/no/such/server"])"), 2, "/no/such/server"},
      {"a folder as a command", server_of(R"(["/usr/bin"])"), 5, "/usr/bin"},
      {"a file without permission", server_of("[\"" + plain + "\"]"), 5, plain},
      {"a file that is nobody's", server_of("[\"" + secret + "\"]"), 5, secret},
      {"no contents", server_of(kSleeps, R"(contents = "/no/such/folder")"), 2, "/no/such/folder"},
      {"contents that are a file", server_of(kSleeps, R"(contents = "/etc/passwd")"), 2,
       "/etc/passwd"},
      {"an unknown preparation",
       server_of(kSleeps, R"(prepare = [{ command = ["/no/such/tool"] }])"), 5, "/no/such/tool"},
      {"a preparation that fails",
       server_of(kSleeps, R"(prepare = [{ command = ["/bin/ls", "/no/such"] }])"), 5,
       "cannot access '/no/such'"},
      {"a preparation without end",
       server_of(kSleeps, R"(prepare = [{ command = ["/bin/sleep", "9999"] }])"), 5,
       "does not end"},
      {"something visible that is not there", server_of(kSleeps, R"(visible = ["/no/such/data"])"),
       2, "/no/such/data"},
      {"a program that ends at once", server_of(R"(["/bin/false"])"), 5, "ends before it has begun",
       "hunt"},
      {"a port in use", server_of(R"py(["/usr/bin/python3", "-c", """
import socket
one = socket.create_server(("0.0.0.0", 80))
other = socket.create_server(("0.0.0.0", 80))"""])py"),
       5, "Address already in use", "hunt"},
      {"no port", server_of(kSleeps, "ready = { port = 70000 }"), 2, "system.ready.port"},
      {"an expression that is none", server_of(kSleeps, R"(ready = { line = "(" })"), 2,
       "system.ready.line"},
      {"an unknown protocol", server_of(kSleeps, R"(protocol = "carrier-pigeon")"), 2,
       "system.protocol"},
      {"two ways to find messages", server_of(kSleeps, "protocol = \"redis\"\nframing = \"lines\""),
       2, "system.framing"},
      {"no nodes", "kind = \"server\"\nnodes = 0\ncommand = " + kSleeps + "\n", 2, "system.nodes"},
      {"a misspelt key", server_of(kSleeps, "enviroment = []"), 2, "did you mean 'environment'"},
      {"no memory", server_of(kSleeps, "limits = { memory_mib = 0 }"), 2,
       "system.limits.memory_mib"},
      // Programs that speak in lines, supervised and told.
      {"an unknown program", process_of(R"(["/no/such/program"])"), 2, "/no/such/program"},
      {"a program not on PATH", process_of(R"(["no-such-program"])"), 5, "no-such-program"},
      {"a program without permission", process_of("[\"" + plain + "\"]"), 5, plain},
      {"no folder", process_of(R"(["/bin/cat"])", R"(folder = "/no/such/folder")"), 2,
       "/no/such/folder"},
      {"an unknown clock", "kind = \"process\"\nclock = \"real\"\nnodes = 2\ncommand = " + kSleeps,
       2, "system.clock"},
      {"an unknown service", process_of(R"(["/bin/cat"])", R"(services = ["oracle"])"), 2,
       "system.services"},
      {"an unknown workload", process_of(R"(["/bin/cat"])", R"(workload = { kind = "work" })"), 2,
       "system.workload.kind"},
      {"an unknown program that is told", told_of(R"(["/no/such/program"])"), 2,
       "/no/such/program"},
      {"a told program without permission", told_of("[\"" + plain + "\"]"), 2, plain},
      // rippled.
      {"an unknown rippled", rippled_of("/no/such/rippled"), 2, "/no/such/rippled: no such file"},
      {"no rippled on PATH", rippled_of("no-such-rippled"), 2, "not found on PATH"},
      {"a rippled without permission", rippled_of(plain), 2, "not an executable file"},
      {"a rippled that is none", rippled_of("/bin/ls"), 2, "not a rippled"},
      {"a rippled that cannot be run", rippled_of(secret), 5, secret},
      {"a clock of real time", rippled_of(STAND_IN_SERVER, "clock = \"real\""), 2,
       "system.servers.clock"},
      {"too few binaries", rippled_of(STAND_IN_SERVER, "binaries = [\"a\"]"), 2,
       "1 binaries for 2 nodes"},
      {"a configuration that breaks the network",
       rippled_of(STAND_IN_SERVER, "configuration = \"[port_peer]\\nport = 1\""), 2,
       "this section is written"},
      {"a rippled that dies at the start",
       rippled_of(STAND_IN_SERVER, "environment = [\"STAND_IN_DIE_AT_START=1\"]"), 5,
       "node 0: exited with code 1: stand-in: asked to die at start"},
      {"a rippled that never proposes",
       rippled_of(STAND_IN_SERVER,
                  "environment = [\"STAND_IN_NEVER_READY=1\", \"STAND_IN_TICK_MS=40\"]"),
       5, "the servers do not propose in time"},
  };
}

TEST(WrongScenarios, OfAllKindsAreToldInOneLine) {
  const WorkFolder folder;
  folder.write("plain", "#!/bin/sh\nsleep 100\n");
  folder.write("secret", "#!/bin/sh\nsleep 100\n");
  fs::permissions(folder.file("secret"), fs::perms::owner_all);
  for (const Wrong& wrong : wrong_scenarios(folder)) {
    SCOPED_TRACE(wrong.name);
    folder.write("wrong.toml", scenario_of(wrong));
    std::vector<std::string> words{wrong.verb, "wrong.toml"};
    if (wrong.verb == "hunt") words.insert(words.end(), {"--budget", "1runs"});
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, wrong.exit_code) << result.out << result.err;
    EXPECT_THAT(result.err, StartsWith("dissensus: "));
    EXPECT_THAT(result.err, HasSubstr(wrong.told));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace dissensus::cli_test
