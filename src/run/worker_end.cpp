#include "run/worker_end.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <new>
#include <string_view>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "dissensus/options.h"

#include "core/assert.h"
#include "run/channel.h"
#include "run/worker_scheduler.h"

namespace dissensus::run {

namespace {

constexpr std::size_t kStackBytes = std::size_t{64} << 20;
constexpr std::size_t kGuardBytes = std::size_t{64} << 10;
constexpr std::size_t kSignalStackBytes = std::size_t{4} << 20;
constexpr int kFramesMax = 64;
/// Between two looks at a run.
constexpr Duration kLook = std::chrono::milliseconds(100);
/// A call that waits for something uses no processor; it may wait so many times as long as one may
/// compute, because the machine may be busy.
constexpr int kPatience = 4;
/// For what we keep of a run ourselves between two looks.
constexpr std::uint64_t kOwnMemory = std::uint64_t{64} << 20;

/// Of the process, which makes one run at a time. Only worker processes have one.
struct Dying {
  CrashedRun how;
  RunProgress progress;
  std::uint64_t memory_before = 0;
  std::vector<SeenEvent>* seen = nullptr;
  RunLimits limits;
  bool is_worker = false;
  bool is_looked_at = false;  ///< a run is under way
  std::uint64_t runs = 0;
  int channel = -1;
  int said = -1;
  char* stack = nullptr;
  // What was seen of the run's progress, by looks.
  std::uint64_t steps_seen = 0;
  Duration computed{};  ///< altogether
  Duration computed_in_call{};
  Duration waited_in_call{};
};
Dying dying;

// ---- where

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string demangled(const char* name) {
  int status = 0;
  char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (status != 0 || readable == nullptr) return name;
  std::string text = readable;
  std::free(readable);
  return text;
}

struct Stack {
  void* frames[kFramesMax];
  int count = 0;
};

Stack stack_from(void* instruction) {
  Stack stack;
  stack.frames[0] = instruction;
  const int begin = instruction == nullptr ? 0 : 1;
  stack.count = backtrace(stack.frames + begin, kFramesMax - begin) + begin;
  return stack;
}

/// "libraft.so.3+0x1234": the innermost place that is neither in the C library nor in this program.
std::string place_of(const Stack& stack) {
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(&place_of), &own);
  for (int i = 0; i < stack.count; ++i) {
    Dl_info info{};
    if (dladdr(stack.frames[i], &info) == 0 || info.dli_fname == nullptr) continue;
    const std::string_view file = file_name(info.dli_fname);
    if (info.dli_fbase == own.dli_fbase || file.starts_with("libc.") ||
        file.starts_with("libstdc++") || file.starts_with("libgcc_s") ||
        file.starts_with("linux-vdso")) {
      continue;
    }
    const auto offset = static_cast<char*>(stack.frames[i]) - static_cast<char*>(info.dli_fbase);
    return fmt::format("{}+{:#x}", file, offset);
  }
  return {};
}

/// A line per frame, for crash.txt.
std::string text_of(const Stack& stack) {
  std::string text;
  for (int i = 0; i < stack.count; ++i) {
    Dl_info info{};
    // A call that does not return may be the last instruction of its function.
    const char* const inside = static_cast<char*>(stack.frames[i]) - (i == 0 ? 0 : 1);
    if (dladdr(inside, &info) == 0 || info.dli_fname == nullptr) {
      text += fmt::format("  {}\n", stack.frames[i]);
      continue;
    }
    const auto offset = static_cast<char*>(stack.frames[i]) - static_cast<char*>(info.dli_fbase);
    text += fmt::format("  {}+{:#x}{}\n", file_name(info.dli_fname), offset,
                        info.dli_sname == nullptr ? "" : "  " + demangled(info.dli_sname));
  }
  return text;
}

/// What the process has, and what it may not share with others.
std::uint64_t own_memory() {
  std::uint64_t pages[6] = {};
  std::ifstream statistics("/proc/self/statm");
  for (std::uint64_t& number : pages) statistics >> number;
  return pages[5] * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// What the process had before the run, what the run may take, and what is kept of it: a list that
/// grows is there twice, and once more as large, for a moment.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const std::uint64_t* const recorded = dying.progress.recorded_bytes;
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  const std::uint64_t wanted = dying.memory_before + dying.limits.memory_bytes + kOwnMemory +
                               (recorded == nullptr ? 0 : 3 * *recorded);
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
#endif  // sanitizers take as much as there is
}

// ---- the last act

void allow_all_memory() {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_DATA, &limit);
}

/// Tells the parent all that is known of the run, as well as that can be done here.
[[noreturn]] void tell_and_end(oracle::Violation violation, const Stack& stack) {
  std::signal(SIGALRM, SIG_DFL);
  std::signal(SIGPROF, SIG_IGN);
  dying.is_looked_at = false;
  itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  alarm(20);
  if (!dying.how) _exit(98);
  if (const std::string place = place_of(stack); !place.empty()) {
    violation.rule += "-" + place;
    violation.text += " at " + place;
  }
  if (const std::string said = last_words(dying.said); !said.empty()) {
    violation.text += ": " + said;
  }
  RunAnswer answer;
  answer.crashed = true;
  answer.result = dying.how(violation);
  const oracle::Violation& told = answer.result.verdict.violations.empty()
                                      ? violation
                                      : answer.result.verdict.violations.back();
  answer.result.attachments.push_back(
      {"crash.txt", fmt::format("{}\n\nstack, innermost first\n{}", told.text, text_of(stack))});
  if (dying.seen != nullptr) answer.seen = std::move(*dying.seen);
  write_message(dying.channel, kAnswer + encode(answer));
  _exit(97);
}

void enter_last_act() {
  static volatile sig_atomic_t entered = 0;
  if (entered != 0) _exit(99);  // even that fails: the parent makes do with the status
  entered = 1;
  allow_all_memory();
}

void* instruction_of(void* context) {
  auto* const machine = static_cast<ucontext_t*>(context);
  return reinterpret_cast<void*>(machine->uc_mcontext.gregs[REG_RIP]);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  enter_last_act();
  oracle::Violation violation;
  violation.property = "crash";
  violation.rule = name_of_signal(signal);
  const auto* const address = static_cast<const char*>(info->si_addr);
  if (signal == SIGSEGV && address >= dying.stack && address < dying.stack + kGuardBytes) {
    violation.rule = "stack-overflow";
  }
  violation.text = fmt::format("the code under test ends the process: {}", violation.rule);
  tell_and_end(std::move(violation), stack_from(instruction_of(context)));
}

/// A look at the run: has it gone on since the last one? `computed` on the processor, or only time.
void look(Duration computed, Duration waited, void* context) {
  const std::uint64_t steps = dying.progress.steps == nullptr ? 0 : *dying.progress.steps;
  limit_memory();
  if (steps != dying.steps_seen) {
    dying.steps_seen = steps;
    dying.computed_in_call = dying.waited_in_call = {};
  }
  dying.computed += computed;
  dying.computed_in_call += computed;
  dying.waited_in_call += waited;
  const bool is_call = dying.computed_in_call >= dying.limits.call ||
                       dying.waited_in_call >= kPatience * dying.limits.call;
  if (!is_call && dying.computed < dying.limits.run) return;
  enter_last_act();
  oracle::Violation violation;
  violation.property = "hang";
  violation.rule = is_call ? "call-without-end" : "run-without-end";
  const auto seconds = [](Duration time) { return static_cast<double>(time.count()) / 1e6; };
  violation.text = is_call
                       ? fmt::format("the code under test does not come back (limits.call, {} s)",
                                     seconds(dying.limits.call))
                       : fmt::format("the run does not come to an end (limits.run, {} s)",
                                     seconds(dying.limits.run));
  // Where it was looked at is by chance, so it must not be in the name of the finding.
  const Stack stack = stack_from(instruction_of(context));
  const std::string rule = violation.rule;
  const CrashedRun how = std::move(dying.how);
  dying.how = [&how, &rule](const oracle::Violation& placed) {
    oracle::Violation named = placed;
    named.rule = rule;
    return how(named);
  };
  tell_and_end(std::move(violation), stack);
}

void on_look(int signal, siginfo_t*, void* context) {
  if (!dying.is_looked_at || !dying.how) return;
  look(signal == SIGPROF ? kLook : Duration{}, signal == SIGALRM ? kLook : Duration{}, context);
}

/// An exception left the code under test, and nobody is there to catch it: the stack is still that
/// of the throw.
[[noreturn]] void on_terminate() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) std::abort();
  enter_last_act();
  oracle::Violation violation;
  violation.property = "crash";
  violation.rule = demangled(type->name());
  std::string what;
  try {
    throw;
  } catch (const InputError& error) {
    if (!dying.how) {
      RunAnswer answer;
      answer.error = error.what();
      write_message(dying.channel, kAnswer + encode(answer));
      _exit(96);
    }
    what = error.what();
  } catch (const std::bad_alloc&) {
    violation.property = "memory";
    what = fmt::format("limits.memory_bytes, {}", dying.limits.memory_bytes);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  violation.text = fmt::format("throws {}{}", violation.rule, what.empty() ? "" : ": " + what);
  tell_and_end(std::move(violation), stack_from(nullptr));
}

void prepare_for_the_end() {
  stack_t stack{};
  stack.ss_size = kSignalStackBytes;
  stack.ss_sp =
      mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaltstack(&stack, nullptr);
  void* warm[4];
  backtrace(warm, 4);  // loads what it needs now: later there may be no memory to do so
  std::set_terminate(on_terminate);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    sigaction(signal, &action, nullptr);
  }
  action.sa_sigaction = on_look;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  for (const int signal : {SIGPROF, SIGALRM}) sigaction(signal, &action, nullptr);
  // The parent decides when it is over: its end of the channel closes.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
}

void look_every(Duration interval) {
  itimerval timer{};
  timer.it_interval.tv_usec = static_cast<suseconds_t>(interval.count());
  timer.it_value = timer.it_interval;
  setitimer(ITIMER_PROF, &timer, nullptr);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

const std::function<void()>* entry = nullptr;
void enter() {
  (*entry)();
}

}  // namespace

std::string_view name_of_signal(int signal) {
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
    default:
      return "signal";
  }
}

std::string last_words(int said) {
  char buffer[1024];
  const off_t size = lseek(said, 0, SEEK_END);
  const off_t from = size > 1000 ? size - 1000 : 0;
  const ssize_t got = pread(said, buffer, sizeof buffer - 1, from);
  if (got <= 0) return {};
  std::string_view text(buffer, static_cast<std::size_t>(got));
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t line = text.rfind('\n');
  return std::string(line == std::string_view::npos ? text : text.substr(line + 1));
}

void set_crashed_run(CrashedRun how, RunProgress progress) {
  if (!dying.is_worker) return;
  dying.how = std::move(how);
  dying.progress = progress;
}

void end_of_foreign_code() {
  if (!dying.is_worker) return;
  dying.is_looked_at = false;
  allow_all_memory();
}

void make_worker(int channel, int said, const std::function<void()>& serve) {
  dying.is_worker = true;
  dying.channel = channel;
  dying.said = said;
  prepare_for_the_end();
  look_every(kLook);
  void* const memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  DISSENSUS_ASSERT(memory != MAP_FAILED, "make_worker : a stack");
  dying.stack = static_cast<char*>(memory);
  mprotect(memory, kGuardBytes, PROT_NONE);
  ucontext_t back{};
  ucontext_t fresh{};
  getcontext(&fresh);
  fresh.uc_stack.ss_sp = memory;
  fresh.uc_stack.ss_size = kStackBytes;
  fresh.uc_link = &back;
  entry = &serve;
  makecontext(&fresh, enter, 0);
  swapcontext(&back, &fresh);
}

void begin_worker_run(const RunLimits& limits, std::vector<SeenEvent>* seen) {
  dying.limits = limits;
  dying.seen = seen;
  dying.steps_seen = 0;
  dying.computed = dying.computed_in_call = dying.waited_in_call = {};
  if (ftruncate(dying.said, 0) == 0) lseek(dying.said, 0, SEEK_SET);
  // A process that makes small runs grows slowly, and to ask costs more than a small run.
  if (dying.runs++ % 16 == 0) dying.memory_before = own_memory();
  limit_memory();
  dying.is_looked_at = true;
}

void end_worker_run() {
  end_of_foreign_code();
  dying.how = nullptr;
  dying.progress = {};
  dying.seen = nullptr;
}

}  // namespace dissensus::run
