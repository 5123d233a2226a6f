// Findings by name: the first of each is shown, the others are counted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "history/index.h"
#include "history/verdict.h"

namespace dissensus::history {

class FindingList {
 public:
  void add(const std::string& name, const std::string& text,
           std::vector<std::uint32_t> operations) {
    const auto [found, is_first] = findings_.try_emplace(name);
    if (!is_first) {
      ++found->second.count;
      return;
    }
    found->second.name = name;
    found->second.text = text;
    for (const std::uint32_t operation : operations) {
      if (operation == kNone) continue;
      found->second.parts.push_back({operation, {}, true, 0});
    }
  }
  bool empty() const { return findings_.empty(); }
  /// Fails the verdict if there are any.
  void move_to(Verdict& verdict) {
    for (auto& [name, finding] : findings_) verdict.fail_with(std::move(finding));
    findings_.clear();
  }

 private:
  std::map<std::string, Finding> findings_;
};

}  // namespace dissensus::history
