#include <algorithm>

#include <fmt/format.h>

#include "host/host.h"

namespace dissensus::host {

constexpr std::string_view kNote = "note: ";

std::vector<std::string> doubts_in(std::string_view report_text) {
  std::vector<std::string> doubts;
  constexpr std::string_view kLineEnd = "not proven repeatable:\n";
  const std::size_t found = report_text.find(kLineEnd);
  if (found == report_text.npos) return doubts;
  std::string_view rest = report_text.substr(found + kLineEnd.size());
  while (rest.starts_with("  ")) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    doubts.emplace_back(rest.substr(2, end - 2));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return doubts;
}

std::vector<std::string> notes_in(std::string_view report_text) {
  std::vector<std::string> notes;
  while (!report_text.empty()) {
    const std::size_t end = std::min(report_text.find('\n'), report_text.size());
    const std::string_view line = report_text.substr(0, end);
    if (line.starts_with(kNote)) notes.emplace_back(line.substr(kNote.size()));
    report_text.remove_prefix(std::min(end + 1, report_text.size()));
  }
  return notes;
}

std::string to_text(const Report& report) {
  const double virtual_s = static_cast<double>(report.time.count()) * 1e-9;
  const double wall_s = static_cast<double>(report.wall.count()) * 1e-9;
  std::string text = fmt::format(
      "calls    {:016x}\nmessages {:016x}\nsteps    {}\nvirtual  {:.6f} s\nwall     {:.3f} s\n"
      "stops    {} ({:.1f} per virtual second, {:.1f} us of wall time each)\n"
      "inside   {} calls were answered without a stop\n",
      report.journal.calls_hash(), report.journal.messages_hash(), report.journal.steps().size(),
      virtual_s, wall_s, report.stops, static_cast<double>(report.stops) / virtual_s,
      wall_s * 1e6 / static_cast<double>(std::max<std::uint64_t>(report.stops, 1)), report.inside);
  text += report.doubts.empty() ? "nothing is known against repeatability\n"
                                : "virtual time, not proven repeatable:\n";
  for (const std::string& doubt : report.doubts) text += "  " + doubt + "\n";
  for (const std::string& note : report.notes) text += fmt::format("{}{}\n", kNote, note);
  for (const auto& [name, count] : report.calls) text += fmt::format("{:10} {}\n", count, name);
  return text;
}

std::string to_text(const std::vector<ThreadView>& threads) {
  std::string text;
  for (const ThreadView& thread : threads) {
    text += thread.name + ": " + thread.state + "\n";
    for (const std::string& call : thread.last_calls) text += "    " + call + "\n";
  }
  return text;
}

std::string to_text(const std::vector<ProcessView>& processes) {
  std::string text;
  for (const ProcessView& process : processes) {
    text += fmt::format("{:8} pid {}, {} threads: {}\n", process.name, process.pid,
                        process.tids.size(), process.command.substr(0, 100));
    text += fmt::format("         /proc/{0}/root/node (its folder), /proc/{0}/fd, /proc/{0}/maps\n",
                        process.pid);
  }
  return text;
}

}  // namespace dissensus::host
