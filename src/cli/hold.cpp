#include "cli/hold.h"

#include <atomic>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "dissensus/options.h"
#include "dissensus/outside.h"

#include "cli/interrupt.h"

namespace dissensus::cli {

namespace {

std::atomic<bool> g_goes_on{false};

void on_go_on(int) {
  g_goes_on = true;
}

double seconds_of(Time time) {
  return static_cast<double>(microseconds_of(time)) * 1e-6;
}

/// What nodes write, as it comes.
class LogTail final : public EventSink {
 public:
  EventMask wants() const override { return EventMask().with(EventType::log); }
  void on_event(const Event& event) override {
    fmt::print(stderr, "{:12.6f} {:>2} | {}\n", seconds_of(event.time), event.node, event.text);
  }
};

/// A line of standard input; nothing: it has ended, or a signal says to go on.
std::optional<std::string> read_command() {
  std::string line;
  while (!g_goes_on && !is_interrupted()) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 200) <= 0) continue;
    char c = 0;
    if (read(STDIN_FILENO, &c, 1) != 1) return std::nullopt;
    if (c == '\n') return line;
    line += c;
  }
  return std::nullopt;
}

void carry_out(const std::string& command, const Outside& servers) {
  if (command == "threads") {
    fmt::print(stderr, "{}", servers.held_threads());
  } else if (command == "look") {
    fmt::print(stderr, "{}", servers.held());
  } else if (command == "core" || command.starts_with("core ")) {
    const std::string folder = command.size() > 5 ? command.substr(5) : "cores";
    for (const std::string& file : servers.write_cores(folder)) {
      fmt::print(stderr, "{}\n", file);
    }
  } else {
    fmt::print(stderr, "'{}': expected threads, look, core [FOLDER], or Enter to go on\n", command);
  }
}

}  // namespace

void wait_held(Time time, const std::string& why, Outside& servers) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = on_go_on;
  sigaction(SIGUSR1, &action, &before);
  g_goes_on = false;
  fmt::print(stderr, "held at {:.6f} s{}{}\n{}", seconds_of(time), why.empty() ? "" : ": ", why,
             servers.held());
  fmt::print(stderr,
             "Enter, or kill -USR1 {}: go on; threads: last calls; core [FOLDER]: core files for a "
             "debugger\n",
             getpid());
  for (;;) {
    const auto command = read_command();
    if (!command || command->empty()) break;
    carry_out(*command, servers);
  }
  sigaction(SIGUSR1, &before, nullptr);
}

void HoldOptions::add_to(CLI::App& app) {
  app.add_option("--hold", when_,
                 "Servers in virtual time: hold the run at this time (\"12s\"), or at a "
                 "\"violation\", and wait for Enter");
  app.add_flag("--logs", logs_, "Print what nodes write, as it comes");
}

void HoldOptions::apply(const run::Scenario& scenario, run::RunOptions& options) {
  if (logs_) {
    tail_ = std::make_shared<LogTail>();
    options.sinks.push_back(tail_.get());
  }
  if (when_.empty()) return;
  if (!scenario.system->traits().outside) {
    throw InputError(scenario.path + ": --hold: expected nodes that are programs");
  }
  run::Hold hold;
  hold.wait = wait_held;
  if (when_ != "violation") {
    const auto delay = parse_duration(when_);
    if (!delay) {
      throw InputError(
          fmt::format("--hold: expected a time such as 12s, or violation, found '{}'", when_));
    }
    hold.at = Time{} + *delay;
  }
  options.hold = std::move(hold);
}

}  // namespace dissensus::cli
