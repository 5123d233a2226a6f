#include "systems/live/servers/process.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "systems/live/wire/error.h"

extern "C" char** environ;

namespace dissensus::live {

namespace {

/// What the child needs, laid out before fork: afterwards nothing may allocate or lock.
struct Launch {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* output_file;
  pid_t parent;
  int report;  ///< a pipe that closes on exec; carries the errno of a failure
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::string_view variable_name(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> result = added;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const std::string& own : added) {
      replaced = replaced || variable_name(own) == variable_name(*entry);
    }
    if (!replaced) result.emplace_back(*entry);
  }
  return result;
}

[[noreturn]] void fail_in_child(const Launch& launch) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(launch.report, &error, sizeof error);
  ::_exit(127);
}

void reset_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < 32; ++number) ::signal(number, SIG_DFL);
}

void close_others_on_exec() {
#ifdef SYS_close_range
  constexpr unsigned kCloseOnExec = 1U << 2;
  if (::syscall(SYS_close_range, 3U, ~0U, kCloseOnExec) == 0) return;
#endif
  for (int descriptor = 3; descriptor < 4096; ++descriptor) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
}

/// Runs between fork and exec: async-signal-safe calls only.
[[noreturn]] void run_child(const Launch& launch) {
  ::setpgid(0, 0);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail_in_child(launch);
  // The parent may have died before prctl: then nobody would send the signal.
  if (::getppid() != launch.parent) ::_exit(127);
  reset_signals();
  const int input = ::open("/dev/null", O_RDONLY);
  const int output = ::open(launch.output_file, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (input < 0 || output < 0) fail_in_child(launch);
  if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) fail_in_child(launch);
  close_others_on_exec();
  ::execve(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  fail_in_child(launch);
}

int read_report(int descriptor) {
  int error = 0;
  ssize_t count = 0;
  do {
    count = ::read(descriptor, &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof error) ? error : 0;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

pid_t spawn_here(const Command& command) {
  const std::vector<std::string> environment = merged_environment(command.environment);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) {
    throw LiveError(
        fmt::format("{}: cannot be started: {}", command.arguments.front(), std::strerror(errno)));
  }
  const Launch launch{pointers(command.arguments), pointers(environment),
                      command.output_file.c_str(), ::getpid(), report[1]};
  const pid_t pid = ::fork();
  if (pid == 0) run_child(launch);
  int error = pid < 0 ? errno : 0;
  ::close(report[1]);
  if (pid > 0) {
    ::setpgid(pid, pid);  // the child does it too: whoever comes first
    error = read_report(report[0]);
    if (error != 0) wait_for(pid);
  }
  ::close(report[0]);
  if (error != 0) {
    throw LiveError(fmt::format("{}: cannot be started with output to {}: {}",
                                command.arguments.front(), command.output_file,
                                std::strerror(error)));
  }
  return pid;
}

const char* signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name != nullptr ? name : "?";
}

bool is_executable_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string exit_text(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    return fmt::format("killed by signal {} (SIG{})", number, signal_name(number));
  }
  return fmt::format("exited with code {}", WEXITSTATUS(wait_status));
}

std::string exit_word(int wait_status) {
  return WIFSIGNALED(wait_status) ? fmt::format("SIG{}", signal_name(WTERMSIG(wait_status)))
                                  : fmt::format("exit-{}", WEXITSTATUS(wait_status));
}

Process::Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
  }
  return *this;
}

Process::~Process() {
  kill();
}

std::optional<int> Process::poll() {
  if (!running()) return std::nullopt;
  siginfo_t info{};
  // Left unreaped at first: until then the number of the group cannot be anyone else's.
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0) {
    return std::nullopt;
  }
  return kill();
}

void Process::terminate() {
  if (running()) ::kill(-pid_, SIGTERM);
}

std::optional<int> Process::kill() {
  if (!running()) return std::nullopt;
  ::kill(-pid_, SIGKILL);
  const int status = wait_for(pid_);
  pid_ = -1;
  return status;
}

struct Spawner::State {
  std::mutex mutex;
  std::condition_variable changed;
  const Command* command = nullptr;  ///< what is asked for, until the thread has answered
  pid_t pid = -1;
  std::string error;
  bool ending = false;
  std::thread thread;

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return ending || command != nullptr; });
      if (ending) return;
      error.clear();
      try {
        pid = spawn_here(*command);
      } catch (const LiveError& failure) {
        error = failure.what();
      }
      command = nullptr;
      changed.notify_all();
    }
  }
};

Spawner::Spawner() : state_(std::make_unique<State>()) {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

Spawner::~Spawner() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
}

Process Spawner::spawn(const Command& command) {
  std::unique_lock lock(state_->mutex);
  state_->command = &command;
  state_->changed.notify_all();
  state_->changed.wait(lock, [this] { return state_->command == nullptr; });
  if (!state_->error.empty()) throw LiveError(state_->error);
  return Process(state_->pid);
}

std::string find_rippled(const std::string& named) {
  const std::string name = named.empty() ? "rippled" : named;
  if (name.find('/') != std::string::npos) {
    std::error_code error;
    if (!std::filesystem::exists(name, error)) throw NoServerProgram(name + ": no such file");
    if (!is_executable_file(name)) throw NoServerProgram(name + ": not an executable file");
    return std::filesystem::absolute(name).string();
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    std::string candidate = folder + "/" + name;
    if (is_executable_file(candidate)) return candidate;
  }
  throw NoServerProgram(
      fmt::format("{}: not found on PATH; name the binary with --rippled PATH", name));
}

std::string server_version(Spawner& spawner, const std::string& program,
                           const std::string& scratch_file, std::chrono::milliseconds limit) {
  std::filesystem::remove(scratch_file);
  Process process = spawner.spawn({{program, "--version"}, {}, scratch_file});
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!process.poll() && process.running()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      process.kill();
      std::filesystem::remove(scratch_file);
      throw NoServerProgram(fmt::format("{}: not a rippled: '--version' did not end within {} ms",
                                        program, limit.count()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::string first_line;
  std::getline(std::ifstream(scratch_file), first_line);
  std::filesystem::remove(scratch_file);
  constexpr std::string_view kPrefix = "rippled version ";
  if (!first_line.starts_with(kPrefix)) {
    throw NoServerProgram(
        fmt::format("{}: not a rippled: '--version' printed '{}', expected 'rippled version X'",
                    program, first_line.substr(0, 80)));
  }
  return first_line.substr(kPrefix.size());
}

std::string last_lines(const std::string& path, std::size_t lines_max) {
  constexpr std::streamoff kTailBytes = 8192;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  file.seekg(std::max<std::streamoff>(0, std::streamoff(file.tellg()) - kTailBytes));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  std::string result;
  const std::size_t first = lines.size() > lines_max ? lines.size() - lines_max : 0;
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (!result.empty()) result += " | ";
    result += lines[i].substr(0, 300);
  }
  return result;
}

}  // namespace dissensus::live
