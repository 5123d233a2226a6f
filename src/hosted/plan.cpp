#include "hosted/plan.h"

#include <algorithm>
#include <string_view>

namespace dissensus::hosted {

void show_programs(Plan& plan) {
  // What is in /node came with the contents, or is made by what prepares a node.
  constexpr std::string_view kSeen[] = {"/usr/", "/bin/", "/node/"};
  std::vector<std::string>& visible = plan.host.visible;
  for (const MachinePlan& machine : plan.machines) {
    if (machine.command.empty()) continue;
    const std::string& program = machine.command.front();
    const bool is_seen =
        std::any_of(std::begin(kSeen), std::end(kSeen),
                    [&](std::string_view path) { return program.starts_with(path); });
    if (!is_seen && program.starts_with('/')) visible.push_back(program);
  }
  std::sort(visible.begin(), visible.end());
  visible.erase(std::unique(visible.begin(), visible.end()), visible.end());
}

}  // namespace dissensus::hosted
