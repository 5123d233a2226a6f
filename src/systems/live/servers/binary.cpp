#include "systems/live/servers/binary.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/host.h"
#include "hosted/files.h"
#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

bool is_executable_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

/// What a program writes, and that it has ended.
class Output final : public host::HostListener {
 public:
  std::string text;
  bool has_ended = false;

 private:
  void on_connect(const host::Connection&) override {}
  void on_bytes(const host::Connection&, host::Side, std::string) override {}
  void on_end(const host::Connection&, host::Side, bool) override {}
  void on_datagram(host::Datagram) override {}
  void on_output(host::ProgramId, host::Stream, std::string_view bytes) override { text += bytes; }
  void on_exit(host::ProgramId, const host::Exit&) override { has_ended = true; }
};

}  // namespace

std::string find_rippled(const std::string& named) {
  const std::string name = named.empty() ? "rippled" : named;
  if (name.find('/') != std::string::npos) {
    std::error_code error;
    if (!std::filesystem::exists(name, error)) throw NoServerProgram(name + ": no such file");
    if (!is_executable_file(name)) throw NoServerProgram(name + ": not an executable file");
    return std::filesystem::absolute(name).string();
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    std::string candidate = folder + "/" + name;
    if (is_executable_file(candidate)) return candidate;
  }
  throw NoServerProgram(
      fmt::format("{}: not found on PATH; name the binary with --rippled PATH", name));
}

std::string server_version(const std::string& program) {
  constexpr auto kLimit = std::chrono::seconds(10);
  constexpr auto kStep = std::chrono::milliseconds(100);
  Output output;
  host::Plan plan;
  plan.machines.push_back({"version", ""});
  plan.visible = {program};
  plan.limits.wall_time = kLimit;
  host::Host host(plan, output);
  host::Program asked;
  asked.name = "version";
  asked.command = {program, "--version"};
  host.start(asked);
  while (!output.has_ended && host.now() < kLimit && host.run_until(host.now() + kStep)) {
  }
  if (!output.has_ended) {
    throw NoServerProgram(
        fmt::format("{}: not a rippled: '--version' did not end within 10 s", program));
  }
  const std::string first_line = output.text.substr(0, output.text.find('\n'));
  constexpr std::string_view kPrefix = "rippled version ";
  if (!first_line.starts_with(kPrefix)) {
    throw NoServerProgram(
        fmt::format("{}: not a rippled: '--version' printed '{}', expected 'rippled version X'",
                    program, first_line.substr(0, 80)));
  }
  return first_line.substr(kPrefix.size());
}

std::vector<ServerBinary> list_binaries(const std::vector<std::string>& programs,
                                        const std::vector<std::string>& restart_programs) {
  std::vector<ServerBinary> binaries;
  const auto entry = [&binaries](const std::string& path) -> ServerBinary& {
    const auto found = std::find_if(binaries.begin(), binaries.end(),
                                    [&path](const auto& binary) { return binary.path == path; });
    if (found != binaries.end()) return *found;
    binaries.push_back({path, hosted::file_digest(path)});
    if (binaries.back().digest.empty()) throw NoServerProgram(path + ": cannot be read");
    return binaries.back();
  };
  for (std::size_t node = 0; node < programs.size(); ++node) {
    entry(programs[node]).nodes.push_back(static_cast<NodeId>(node));
  }
  for (std::size_t node = 0; node < restart_programs.size(); ++node) {
    if (restart_programs[node] == programs[node]) continue;
    entry(restart_programs[node]).restarts.push_back(static_cast<NodeId>(node));
  }
  return binaries;
}

std::vector<std::string> find_binaries(const std::vector<std::string>& binaries,
                                       const std::string& rippled, std::size_t nodes,
                                       std::string_view key) {
  if (binaries.empty()) return std::vector<std::string>(nodes, find_rippled(rippled));
  std::vector<std::string> programs;
  for (std::size_t node = 0; node < binaries.size(); ++node) {
    try {
      programs.push_back(find_rippled(binaries[node]));
    } catch (const LiveError& error) {
      throw NoServerProgram(fmt::format("system.servers.{}[{}]: {}", key, node, error.what()));
    }
  }
  return programs;
}

}  // namespace dissensus::live
