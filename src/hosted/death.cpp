#include "hosted/death.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "host/ends.h"

namespace dissensus::hosted {

namespace {

/// What a sanitizer found: "AddressSanitizer: heap-use-after-free file.cpp:8 in main".
std::string_view summary_in(std::string_view output) {
  constexpr std::string_view kSummary = "SUMMARY: ";
  const std::size_t at = output.rfind(kSummary);
  if (at == output.npos) return {};
  const std::string_view rest = output.substr(at + kSummary.size());
  const std::string_view line = rest.substr(0, rest.find('\n'));
  const std::size_t colon = line.find("Sanitizer: ");
  return colon == line.npos ? std::string_view() : line;
}

/// "heap-use-after-free", "data race": the words between the sanitizer's name and the place.
std::string fault_in(std::string_view summary) {
  const std::string_view words = summary.substr(summary.find(": ") + 2);
  std::size_t end = 0;
  while (end < words.size()) {
    const std::size_t next = std::min(words.find(' ', end + 1), words.size());
    // A file and its line, or a module in brackets.
    if (words.substr(end, next - end).find_first_of("/:(") != words.npos) break;
    end = next;
  }
  return std::string(words.substr(0, end));
}

}  // namespace

std::optional<Outside::Death> death_of(NodeId node, const host::Exit& exit, std::string_view output,
                                       bool may_exit) {
  const std::string_view summary = summary_in(output);
  const bool has_failed = exit.signal != 0 || exit.code != 0;
  if (!has_failed || (summary.empty() && exit.signal == 0 && may_exit)) return std::nullopt;
  std::string text = fmt::format("the server of node {} {}", node, host::to_string(exit));
  if (summary.empty()) return Outside::Death{node, host::manner_of(exit), std::move(text)};
  return Outside::Death{node, fault_in(summary), fmt::format("{} ({})", text, summary)};
}

}  // namespace dissensus::hosted
