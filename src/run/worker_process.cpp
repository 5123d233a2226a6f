#include "run/worker_process.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dissensus/outside.h"

#include "run/channel.h"
#include "run/worker_messages.h"
#include "run/worker_scheduler.h"

namespace dissensus::run {

namespace {

constexpr int kChannel = 3;  ///< of a worker process
constexpr int kSaid = 4;     ///< what it wrote to its standard error

bool (*give_up_asked)() = nullptr;

/// Keeps what an observer in the parent is to see.
class EventKeeper final : public EventSink {
 public:
  explicit EventKeeper(std::vector<SeenEvent>& seen) : seen_(seen) {}
  EventMask wants() const override { return EventMask::reports(); }
  void on_event(const Event& event) override {
    SeenEvent& kept = seen_.emplace_back(SeenEvent{event, std::string(event.text)});
    kept.event.message = nullptr;
    kept.event.request = nullptr;
    kept.event.text = {};
  }

 private:
  std::vector<SeenEvent>& seen_;
};

/// Steps, messages and requests do not travel between processes.
bool wants_more_than_reports(const EventSink* sink) {
  const EventMask wants = sink->wants();
  return sink->wants_steps() || wants.has(EventType::send) || wants.has(EventType::deliver) ||
         wants.has(EventType::timer) || wants.has(EventType::submit) || wants.has(EventType::log);
}

RunRequest request_of(const faults::Schedule& schedule, std::uint64_t seed,
                      const RunOptions& options) {
  RunRequest request;
  request.schedule = schedule;
  request.seed = seed;
  request.detail = options.detail;
  request.metrics = options.metrics;
  request.log = options.log;
  request.branch = options.branch;
  if (options.scheduler != nullptr) {
    request.online =
        options.scheduler->picks() ? RunRequest::Online::picks : RunRequest::Online::delays;
    request.hold = options.scheduler->hold();
  }
  return request;
}

RunOptions options_of(const RunRequest& request) {
  RunOptions options;
  options.detail = request.detail;
  options.metrics = request.metrics;
  options.log = request.log;
  options.branch = request.branch;
  return options;
}

RunResult given_up(const Scenario& scenario) {
  RunResult result;
  result.broken_off = true;
  result.ended_by = kInterrupted;
  result.verdict.cut_by = kInterrupted;
  result.sent.resize(scenario.system_description().kinds.size());
  return result;
}

}  // namespace

void give_up_runs_when(bool (*asked)()) {
  give_up_asked = asked;
}

// ---- the worker's side

void WorkerProcess::become_worker(const Scenario& scenario, int channel) {
  // Nothing of the parent's stays open but the channel: its end must be seen when it goes.
  dup2(said_, 2);
  const int own_channel = fcntl(channel, F_DUPFD, 10);
  const int own_said = fcntl(said_, F_DUPFD, 10);
  dup2(own_channel, kChannel);
  dup2(own_said, kSaid);
  close_range(kSaid + 1, ~0U, 0);
  make_worker(kChannel, kSaid, [this, &scenario] { serve(scenario); });
  _exit(0);
}

void WorkerProcess::serve(const Scenario& scenario) {
  std::string bytes;
  while (read_message(kChannel, bytes)) {
    const RunRequest request = decode_request(bytes);
    RunAnswer answer;
    EventKeeper keeper(answer.seen);
    RemoteScheduler scheduler(kChannel, request.online == RunRequest::Online::picks, request.hold);
    RunOptions options = options_of(request);
    if (request.observed) options.sinks = {&keeper};
    if (request.online != RunRequest::Online::no) options.scheduler = &scheduler;
    begin_worker_run(scenario.plan.limits, &answer.seen);
    answer.result = run_(scenario, request.schedule, request.seed, options);
    end_worker_run();
    if (const std::string rest = scheduler.rest(); !rest.empty()) {
      if (!write_message(kChannel, kQuestion + rest)) break;
    }
    if (!write_message(kChannel, kAnswer + encode(answer))) break;
  }
}

// ---- the parent's side

void WorkerProcess::begin(const Scenario& scenario) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw OutsideError(fmt::format("no channel to a worker process: {}", std::strerror(errno)));
  }
  said_ = static_cast<int>(memfd_create("said", MFD_CLOEXEC));
  const pid_t process = fork();
  if (process < 0) {
    throw OutsideError(fmt::format("no worker process: {}", std::strerror(errno)));
  }
  if (process == 0) become_worker(scenario, ends[1]);
  close(ends[1]);
  channel_ = ends[0];
  process_ = process;
  scenario_ = &scenario;
  text_ = scenario.text;
}

void WorkerProcess::end() {
  if (process_ >= 0) wait_for_end();
}

int WorkerProcess::wait_for_end() {
  close(channel_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  close(said_);
  process_ = channel_ = said_ = -1;
  return status;
}

bool WorkerProcess::ask(const std::string& request, std::string& answer, Scheduler* scheduler) {
  const GiveUp give_up = [this] {
    given_up_ = give_up_asked != nullptr && give_up_asked();
    return given_up_;
  };
  given_up_ = false;
  if (!write_message(channel_, request)) return false;
  while (read_message(channel_, answer, give_up)) {
    if (answer.empty()) return false;
    const char type = answer.front();
    answer.erase(0, 1);
    if (type == kAnswer) return true;
    if (scheduler == nullptr) return false;
    if (const auto reply = answer_worker(answer, *scheduler)) {
      if (!write_message(channel_, to_bytes(*reply))) return false;
    }
  }
  return false;
}

/// The process ended and could not say anything more.
RunResult WorkerProcess::lost(const Scenario& scenario, int status) const {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    throw OutsideError(scenario.path + ": a worker process was killed from outside");
  }
  oracle::Violation violation;
  violation.property = "crash";
  violation.rule = WIFSIGNALED(status) ? std::string(name_of_signal(WTERMSIG(status)))
                                       : fmt::format("exit-{}", WEXITSTATUS(status));
  violation.text =
      fmt::format("the code under test ends the process beyond repair ({})", violation.rule);
  RunResult result;
  result.verdict.outcome = oracle::Outcome::fail;
  result.verdict.violations = {violation};
  result.verdict.properties = {{"crash", oracle::Outcome::fail, violation.text}};
  result.ended_by = "crash";
  result.hash = digest_of_text(violation.rule).low;
  result.sent.resize(scenario.system_description().kinds.size());
  return result;
}

RunResult WorkerProcess::run(const Scenario& scenario, const faults::Schedule& schedule,
                             std::uint64_t seed, const RunOptions& options) {
  if (process_ >= 0 && (scenario_ != &scenario || text_ != scenario.text)) end();
  if (process_ < 0) begin(scenario);
  // What listens to steps has to be here, so the run is made here too, once it is known that it
  // ends well: it will again.
  const bool twice =
      options.clock != nullptr ||
      std::any_of(options.sinks.begin(), options.sinks.end(), wants_more_than_reports);
  RunRequest request = request_of(schedule, seed, options);
  request.observed = !options.sinks.empty() && !twice;
  std::string bytes;
  if (!ask(encode(request), bytes, options.scheduler)) {
    if (given_up_) kill(process_, SIGKILL);
    const std::string said = last_words(said_);
    const int status = wait_for_end();
    if (given_up_) return given_up(scenario);
    RunResult result = lost(scenario, status);
    if (!said.empty()) result.verdict.violations.front().text += ": " + said;
    return result;
  }
  RunAnswer answer = decode_answer(bytes);
  if (answer.crashed || !answer.error.empty()) end();
  if (!answer.error.empty()) throw InputError(answer.error);
  if (twice && !answer.crashed) return run_(scenario, schedule, seed, options);
  if (request.observed) {
    for (SeenEvent& seen : answer.seen) {
      seen.event.text = seen.text;
      for (EventSink* sink : options.sinks) {
        if (sink->wants().has(seen.event.type)) sink->on_event(seen.event);
      }
    }
  }
  return std::move(answer.result);
}

}  // namespace dissensus::run
