#include "cli/hunt_panel.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/verb.h"
#include "core/file.h"

namespace dissensus::cli {

namespace {

constexpr std::chrono::milliseconds kPanelInterval{200};
constexpr std::chrono::seconds kLineInterval{5};
constexpr std::chrono::seconds kStatisticsInterval{1};

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

TerminalSize terminal_size() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

}  // namespace

HuntPanel::Style panel_style(bool wanted) {
  if (!wanted) return HuntPanel::Style::none;
  return is_terminal() ? HuntPanel::Style::panel : HuntPanel::Style::lines;
}

HuntPanel::HuntPanel(Setting setting, const hunt::HuntOptions& options)
    : setting_(std::move(setting)),
      options_(options),
      next_show_(start_ + (setting_.style == Style::panel ? kPanelInterval : kLineInterval)),
      next_statistics_(start_ + kStatisticsInterval) {}

double HuntPanel::wall_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

hunt::HuntSnapshot HuntPanel::snapshot_of(const hunt::HuntProgress& progress) const {
  return {progress, options_, setting_.objective_names, setting_.scenario, wall_seconds()};
}

bool HuntPanel::keep_going(const hunt::HuntProgress& progress) {
  for (; setting_.on_finding && findings_seen_ < progress.findings.size(); ++findings_seen_) {
    setting_.on_finding(progress.findings[findings_seen_]);
  }
  const Clock::time_point now = Clock::now();
  if (now >= next_statistics_) {
    next_statistics_ = now + kStatisticsInterval;
    write_statistics(progress);
  }
  if (setting_.style != Style::none && now >= next_show_) {
    next_show_ = now + (setting_.style == Style::panel ? kPanelInterval : kLineInterval);
    show(progress);
  }
  return !is_interrupted();
}

void HuntPanel::found(const hunt::Finding& finding) {
  if (!setting_.announces) return;
  clear();
  fmt::print(stderr, "found in run {} after {:.0f} s: {}\n", finding.item + 1, wall_seconds(),
             finding.verdict.violations.empty() ? finding.signature
                                                : finding.verdict.violations.front().text);
  // Before it is confirmed, which may take minutes.
  if (setting_.store != nullptr) setting_.store->flush();
  if (setting_.on_finding) setting_.on_finding(finding);
}

void HuntPanel::repeated(const hunt::Finding& finding) {
  if (!setting_.announces) return;
  clear();
  fmt::print(stderr, "repetition {} of {}: the same violation in {} so far\n",
             finding.confirmations, options_.confirmations, finding.confirmed);
}

void HuntPanel::finish(const hunt::HuntProgress& progress) {
  clear();
  write_statistics(progress);
}

void HuntPanel::write_statistics(const hunt::HuntProgress& progress) {
  if (setting_.statistics_path.empty()) return;
  // What is shown is kept.
  if (setting_.store != nullptr) setting_.store->flush();
  write_file(setting_.statistics_path, hunt::statistics_json(snapshot_of(progress)));
}

void HuntPanel::show(const hunt::HuntProgress& progress) {
  if (setting_.store != nullptr) setting_.store->flush();
  if (setting_.style == Style::panel) {
    draw(snapshot_of(progress));
  } else {
    fmt::print(stderr, "{}\n", hunt::progress_line(snapshot_of(progress)));
  }
}

void HuntPanel::draw(const hunt::HuntSnapshot& snapshot) {
  const TerminalSize size = terminal_size();
  // One column and one row stay free, so that the terminal never scrolls or wraps.
  std::vector<std::string> lines = hunt::panel_lines(snapshot, size.columns - 1);
  lines.resize(std::min(lines.size(), size.rows - 1));
  std::string text;
  if (drawn_lines_ > 0) text += fmt::format("\r\033[{}A", drawn_lines_);
  for (const std::string& line : lines) text += line + "\033[K\n";
  text += "\033[J";
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  drawn_lines_ = lines.size();
}

void HuntPanel::clear() {
  if (drawn_lines_ == 0) return;
  fmt::print(stderr, "\r\033[{}A\033[J", drawn_lines_);
  std::fflush(stderr);
  drawn_lines_ = 0;
}

}  // namespace dissensus::cli
