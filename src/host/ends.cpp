#include "host/ends.h"

#include <algorithm>

#include <fmt/format.h>
#include <string.h>

namespace dissensus::host {

std::string manner_of(const Exit& exit) {
  if (exit.signal == 0) return fmt::format("exit-{}", exit.code);
  const char* const name = sigabbrev_np(exit.signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal-{}", exit.signal);
}

std::vector<Outside::Remark> remarks_of(const std::vector<LostProcess>& lost, HostTime origin,
                                        const std::function<NodeId(ProgramId)>& node_of) {
  std::vector<Outside::Remark> remarks;
  std::vector<std::size_t> more;
  for (const LostProcess& process : lost) {
    const NodeId node = node_of(process.program);
    if (node == kNoNode) continue;
    const std::string manner = manner_of(process.exit);
    const auto known = std::find_if(remarks.begin(), remarks.end(), [&](const auto& remark) {
      return remark.node == node && remark.manner == manner;
    });
    if (known != remarks.end()) {
      ++more[static_cast<std::size_t>(known - remarks.begin())];
      continue;
    }
    const Time time = Time{} + std::chrono::duration_cast<Duration>(process.time - origin);
    remarks.push_back({node, manner, time,
                       fmt::format("node {}: {} {} at {:.6f} s, and no other process expected it",
                                   node, process.name, to_string(process.exit),
                                   static_cast<double>(microseconds_of(time)) / 1e6)});
    more.push_back(0);
  }
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    if (more[i] > 0) remarks[i].text += fmt::format("; {} more like this", more[i]);
  }
  return remarks;
}

}  // namespace dissensus::host
