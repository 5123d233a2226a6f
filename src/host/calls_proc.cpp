// What /proc says about a process, without what differs from run to run.
#include <algorithm>
#include <array>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "host/calls.h"
#include "host/image.h"

namespace dissensus::host {

namespace {

constexpr std::uint64_t kBytesOfPage = 4096;
/// As getrusage says.
constexpr std::uint64_t kResidentPages = 50'000'000 / kBytesOfPage;

struct Sizes {
  std::uint64_t all = 0;
  std::uint64_t code = 0;
  std::uint64_t data = 0;
  std::uint64_t shared = 0;
  std::uint64_t resident = 0;
};

/// In pages. What is mapped is the same in every run; what is resident is not, and is made up.
Sizes sizes_of(pid_t tid) {
  Sizes sizes;
  for (const Mapping& mapping : read_mappings(tid)) {
    const std::uint64_t pages = (mapping.end - mapping.begin) / kBytesOfPage;
    sizes.all += pages;
    if (mapping.permissions.find('x') != mapping.permissions.npos) sizes.code += pages;
    const bool is_private = mapping.permissions.find('p') != mapping.permissions.npos;
    const bool is_writable = mapping.permissions.find('w') != mapping.permissions.npos;
    if (is_writable && is_private) sizes.data += pages;
    if (is_writable && !is_private) sizes.shared += pages;
  }
  sizes.resident = std::min(sizes.all, kResidentPages);
  sizes.shared = std::min(sizes.shared, sizes.resident);
  return sizes;
}

/// As programs see it: their numbers, not ours.
std::string inner_file(const Process& process, const char* name) {
  const Handle file(open(
      fmt::format("/proc/{}/root/proc/{}/{}", process.threads.front()->tid, process.inner_pid, name)
          .c_str(),
      O_RDONLY | O_CLOEXEC));
  std::array<char, 8192> text{};
  const ssize_t got = file ? read(file.get(), text.data(), text.size()) : -1;
  return got <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(got));
}

std::string status_text(const Process& process) {
  const Sizes sizes = sizes_of(process.threads.front()->tid);
  const auto memory = [](const char* key, std::uint64_t pages) {
    return fmt::format("{}:\t{:8} kB\n", key, pages * kBytesOfPage / 1024);
  };
  std::istringstream lines(inner_file(process, "status"));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::string key = line.substr(0, line.find(':'));
    if (key == "State") line = "State:\tS (sleeping)";
    if (key == "TracerPid") line = "TracerPid:\t0";
    if (key == "Seccomp" || key == "Seccomp_filters") line = key + ":\t0";
    if (key == "voluntary_ctxt_switches" || key == "nonvoluntary_ctxt_switches") {
      line = key + ":\t" + std::to_string(process.stops);
    }
    if (key == "Cpus_allowed" || key == "Mems_allowed") line = key + ":\t1";
    if (key == "Cpus_allowed_list" || key == "Mems_allowed_list") line = key + ":\t0";
    if (key == "VmPeak" || key == "VmSize") {
      text += memory(key.c_str(), sizes.all);
    } else if (key == "VmHWM" || key == "VmRSS") {
      text += memory(key.c_str(), sizes.resident);
    } else if (!key.starts_with("Vm") && !key.starts_with("Rss") && key != "SigQ") {
      text += line + "\n";
    }
  }
  return text;
}

/// Fields by their numbers in proc(5), from 3 on.
std::string stat_text(const Process& process) {
  const std::string real = inner_file(process, "stat");
  const std::size_t end = real.rfind(')');
  if (end == real.npos) return {};
  std::istringstream rest(real.substr(end + 1));
  std::vector<std::string> fields{"", "", ""};
  for (std::string field; rest >> field;) fields.push_back(field);
  fields.resize(std::max<std::size_t>(fields.size(), 53), "0");
  const Sizes sizes = sizes_of(process.threads.front()->tid);
  fields[3] = "S";
  for (const std::size_t made_up :
       {10U, 11U, 12U, 13U, 14U, 15U, 16U, 17U, 22U, 29U, 30U, 35U, 36U, 37U, 39U, 42U, 43U, 44U}) {
    fields[made_up] = "0";
  }
  fields[14] = std::to_string(process.stops * 5 / 10'000);  // ticks of 10 ms, 5 us each
  fields[23] = std::to_string(sizes.all * kBytesOfPage);
  fields[24] = std::to_string(sizes.resident);
  std::string text = real.substr(0, end + 1);
  for (std::size_t i = 3; i < fields.size(); ++i) text += " " + fields[i];
  return text + "\n";
}

}  // namespace

std::optional<std::string> process_text(const Process& process, std::string_view name) {
  if (process.is_dead || process.threads.empty()) return std::nullopt;
  if (name == "status") return status_text(process);
  if (name == "stat") return stat_text(process);
  if (name == "statm") {
    const Sizes sizes = sizes_of(process.threads.front()->tid);
    return fmt::format("{} {} {} {} 0 {} 0\n", sizes.all, sizes.resident, sizes.shared, sizes.code,
                       sizes.data);
  }
  return std::nullopt;
}

}  // namespace dissensus::host
