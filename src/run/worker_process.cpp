#include "run/worker_process.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/assert.h"
#include "run/result_codec.h"

namespace dissensus::run {

namespace {

constexpr int kChannel = 3;  ///< of a worker process
constexpr int kSaid = 4;     ///< what it wrote to its standard error

// ---- the channel

bool write_all(int channel, const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::send(channel, next, bytes, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int channel, void* data, std::size_t bytes) {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::recv(channel, next, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_message(int channel, const std::string& bytes) {
  const std::uint64_t size = bytes.size();
  return write_all(channel, &size, sizeof size) && write_all(channel, bytes.data(), bytes.size());
}

bool read_message(int channel, std::string& bytes) {
  std::uint64_t size = 0;
  if (!read_all(channel, &size, sizeof size)) return false;
  bytes.resize(size);
  return read_all(channel, bytes.data(), bytes.size());
}

// ---- the end of a worker process

/// Of the process, which makes one run at a time. Only worker processes have one.
struct Dying {
  CrashedRun how;
  std::vector<SeenEvent>* seen = nullptr;
  bool is_worker = false;
};
Dying dying;

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGABRT:
      return "abort";
    case SIGSEGV:
      return "segmentation-fault";
    case SIGBUS:
      return "bus-error";
    case SIGFPE:
      return "arithmetic-error";
    case SIGILL:
      return "illegal-instruction";
    case SIGPROF:
    case SIGALRM:
      return "no-end";
    default:
      return "signal";
  }
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// "libraft.so.3+0x1234": the innermost place that is neither in the C library nor in this program.
std::string place_of(void* instruction) {
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(&place_of), &own);
  void* frames[64];
  int count = backtrace(frames + 1, 63) + 1;
  frames[0] = instruction;
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr) continue;
    const std::string_view file = file_name(info.dli_fname);
    if (info.dli_fbase == own.dli_fbase || file.starts_with("libc.") ||
        file.starts_with("libstdc++")) {
      continue;
    }
    const auto offset = static_cast<char*>(frames[i]) - static_cast<char*>(info.dli_fbase);
    return fmt::format("{}+{:#x}", file, offset);
  }
  return {};
}

/// The last line of what the process said, which is that of a failed assertion.
std::string last_words() {
  char buffer[1024];
  const off_t size = lseek(kSaid, 0, SEEK_END);
  const off_t from = size > 1000 ? size - 1000 : 0;
  const ssize_t got = pread(kSaid, buffer, sizeof buffer - 1, from);
  if (got <= 0) return {};
  std::string_view text(buffer, static_cast<std::size_t>(got));
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t line = text.rfind('\n');
  return std::string(line == std::string_view::npos ? text : text.substr(line + 1));
}

oracle::Violation crash_violation(int signal, void* instruction) {
  oracle::Violation violation;
  violation.property = "crash";
  const std::string place = place_of(instruction);
  violation.rule = std::string(name_of(signal)) + (place.empty() ? "" : "-" + place);
  const std::string said = last_words();
  violation.text =
      signal == SIGPROF || signal == SIGALRM
          ? fmt::format("the code under test does not come to an end{}",
                        place.empty() ? "" : ", at " + place)
          : fmt::format("the code under test ends the process: {}{}{}", name_of(signal),
                        place.empty() ? "" : " at " + place, said.empty() ? "" : ": " + said);
  return violation;
}

/// Tells the parent all that is known of the run, as well as that can be done here.
void last_act(int signal, siginfo_t*, void* context) {
  static volatile sig_atomic_t entered = 0;
  if (entered != 0) _exit(99);  // even that fails: the parent makes do with the status
  entered = 1;
  std::signal(SIGALRM, SIG_DFL);
  alarm(20);
  auto* const machine = static_cast<ucontext_t*>(context);
  auto* const instruction = reinterpret_cast<void*>(machine->uc_mcontext.gregs[REG_RIP]);
  if (!dying.how) _exit(98);
  RunAnswer answer;
  answer.crashed = true;
  answer.result = dying.how(crash_violation(signal, instruction));
  if (dying.seen != nullptr) answer.seen = std::move(*dying.seen);
  write_message(kChannel, encode(answer));
  _exit(97);
}

void prepare_for_the_end() {
  constexpr std::size_t kStack = std::size_t{4} << 20;
  stack_t stack{};
  stack.ss_size = kStack;
  stack.ss_sp = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaltstack(&stack, nullptr);
  void* warm[4];
  backtrace(warm, 4);  // loads what it needs now: later there may be no memory to do so
  struct sigaction action {};
  action.sa_sigaction = last_act;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGALRM}) {
    sigaction(signal, &action, nullptr);
  }
  // The parent decides when it is over: its end of the channel closes.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
}

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

void limit_time(int seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
  limit.it_value.tv_sec = 10 * seconds;
  setitimer(ITIMER_REAL, &limit, nullptr);
}

}  // namespace

void set_crashed_run(CrashedRun how) {
  if (dying.is_worker) dying.how = std::move(how);
}

// ---- the worker's side

void WorkerProcess::serve(const Scenario& scenario, int channel) noexcept {
  // Nothing of the parent's stays open but the channel: its end must be seen when it goes.
  const int said = static_cast<int>(memfd_create("said", 0));
  dup2(said, 2);
  const int own_channel = fcntl(channel, F_DUPFD, 10);
  const int own_said = fcntl(said, F_DUPFD, 10);
  dup2(own_channel, kChannel);
  dup2(own_said, kSaid);
  close_range(kSaid + 1, ~0U, 0);
  prepare_for_the_end();
  dying.is_worker = true;
  std::string bytes;
  while (read_message(kChannel, bytes)) {
    const RunRequest request = decode_request(bytes);
    const SystemDescription& description = scenario.system_description();
    const auto schedule = [&](const std::string& text) {
      return faults::parse_schedule(text, "schedule", description, scenario.nodes());
    };
    RunAnswer answer;
    EventKeeper keeper(answer.seen);
    RunOptions options;
    options.detail = request.detail;
    options.metrics = request.metrics;
    options.log = request.log;
    if (request.observed) options.sinks = {&keeper};
    if (request.branch_at != 0) {
      options.branch.emplace();
      options.branch->at = request.branch_at;
      if (!request.branch_schedule.empty()) {
        options.branch->schedule = schedule(request.branch_schedule);
      }
      if (request.has_branch_seed) options.branch->seed = request.branch_seed;
    }
    dying.seen = &answer.seen;
    limit_time(seconds_max_);
    answer.result = run_(scenario, schedule(request.schedule), request.seed, options);
    limit_time(0);
    dying.how = nullptr;
    dying.seen = nullptr;
    if (!write_message(kChannel, encode(answer))) break;
  }
  _exit(0);
}

// ---- the parent's side

void WorkerProcess::begin(const Scenario& scenario) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw OutsideError(fmt::format("no channel to a worker process: {}", std::strerror(errno)));
  }
  const pid_t process = fork();
  if (process < 0) {
    throw OutsideError(fmt::format("no worker process: {}", std::strerror(errno)));
  }
  if (process == 0) serve(scenario, ends[1]);
  close(ends[1]);
  channel_ = ends[0];
  process_ = process;
  scenario_ = &scenario;
  text_ = scenario.text;
}

void WorkerProcess::end() {
  if (process_ < 0) return;
  close(channel_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = channel_ = -1;
}

bool WorkerProcess::ask(const std::string& request, std::string& answer) {
  return write_message(channel_, request) && read_message(channel_, answer);
}

/// The process ended and could not say anything more.
RunResult WorkerProcess::lost(const Scenario& scenario, int status) const {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    throw OutsideError(scenario.path + ": a worker process was killed from outside");
  }
  oracle::Violation violation;
  violation.property = "crash";
  violation.rule = WIFSIGNALED(status) ? std::string(name_of(WTERMSIG(status)))
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
  const SystemDescription& description = scenario.system_description();
  const auto text = [&](const faults::Schedule& value) {
    return faults::to_json(value, description, scenario.nodes());
  };
  // What listens to steps or decides about messages has to be here, so the run is made here too,
  // once it is known that it ends well: it will again.
  const bool twice =
      options.scheduler != nullptr || options.clock != nullptr ||
      std::any_of(options.sinks.begin(), options.sinks.end(), wants_more_than_reports);
  DISSENSUS_ASSERT(options.scheduler == nullptr,
                   "WorkerProcess : online schedulers are refused before");
  RunRequest request;
  request.schedule = text(schedule);
  request.seed = seed;
  request.detail = options.detail;
  request.metrics = options.metrics;
  request.log = options.log;
  request.observed = !options.sinks.empty() && !twice;
  if (options.branch) {
    request.branch_at = options.branch->at;
    if (options.branch->schedule) request.branch_schedule = text(*options.branch->schedule);
    request.has_branch_seed = options.branch->seed.has_value();
    request.branch_seed = options.branch->seed.value_or(0);
  }
  std::string bytes;
  if (!ask(encode(request), bytes)) {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    close(channel_);
    process_ = channel_ = -1;
    return lost(scenario, status);
  }
  RunAnswer answer = decode_answer(bytes);
  if (answer.crashed) end();
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
