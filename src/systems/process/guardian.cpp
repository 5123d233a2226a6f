#include "systems/process/guardian.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dissensus::process {

namespace {

// All of this runs after a fork of a program with threads: system calls and no more.

template <class Number>
void tell_number(int descriptor, Number number) {
  [[maybe_unused]] const ssize_t written = ::write(descriptor, &number, sizeof number);
}

[[noreturn]] void report_and_end(const GuardedLaunch& launch) {
  tell_number(launch.report, int{errno});
  ::_exit(127);
}

[[noreturn]] void become_program(const GuardedLaunch& launch, pid_t guardian) {
  ::setpgid(0, 0);
  tell_number(launch.report, ::getpid());
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) report_and_end(launch);
  if (::getppid() != guardian) ::_exit(127);  // it died before the signal was asked for
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGCHLD, SIG_DFL);
  if (launch.folder[0] != '\0' && ::chdir(launch.folder) != 0) report_and_end(launch);
  if (::dup2(launch.input, 0) < 0 || ::dup2(launch.output, 1) < 0 || ::dup2(launch.errors, 2) < 0) {
    report_and_end(launch);
  }
  ::execvpe(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  report_and_end(launch);
}

/// Whatever else we had open is not the guardian's: ends of other programs' pipes above all.
void close_all_but(int first, int second) {
  const int low = first < second ? first : second;
  const int high = first < second ? second : first;
  const auto close_between = [](int from, int to) {
    if (from > to) return;
    if (::syscall(SYS_close_range, from, to, 0) == 0) return;
    const long most = ::sysconf(_SC_OPEN_MAX);
    for (int descriptor = from; descriptor <= to && descriptor < most; ++descriptor) {
      ::close(descriptor);
    }
  };
  close_between(0, low - 1);
  close_between(low + 1, high - 1);
  close_between(high + 1, 0x7fffffff);
}

/// Ends every child that there is now. False: the kernel does not list them.
bool kill_children() {
  std::array<char, 4096> text;
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  if (size < 0) return false;
  text[static_cast<std::size_t>(size)] = '\0';
  // A number that is cut off at the end would be another one; it comes again.
  for (char* at = text.data(); *at != '\0';) {
    char* end = nullptr;
    const long child = std::strtol(at, &end, 10);
    if (end == at || *end != ' ') break;
    ::kill(static_cast<pid_t>(child), SIGKILL);
    at = end + 1;
  }
  return true;
}

/// Children of what is ended become ours, until there are none.
void end_descendants(pid_t program) {
  ::kill(-program, SIGKILL);
  while (kill_children()) {
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    ::poll(nullptr, 0, 1);
  }
  ::kill(program, SIGKILL);
}

void on_child(int) {}

[[noreturn]] void guard(const GuardedLaunch& launch) {
  ::setpgid(0, 0);  // an interrupt from the keyboard is for us
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t blocked;
  sigset_t open;
  sigemptyset(&open);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
  struct sigaction action {};
  action.sa_handler = on_child;
  ::sigaction(SIGCHLD, &action, nullptr);
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program == 0) become_program(launch, self);
  if (program < 0) {
    tell_number(launch.report, program);
    report_and_end(launch);
  }
  close_all_but(launch.life, launch.status);
  for (;;) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0 && ended != program) {
    }
    pollfd life{launch.life, POLLIN, 0};
    const bool is_over = ended == program;
    if (!is_over && ::ppoll(&life, 1, nullptr, &open) <= 0) continue;
    end_descendants(program);
    if (is_over) tell_number(launch.status, status);
    ::_exit(0);
  }
}

}  // namespace

pid_t start_guarded(const GuardedLaunch& launch) {
  const pid_t guardian = ::fork();
  if (guardian == 0) guard(launch);
  return guardian;
}

}  // namespace dissensus::process
