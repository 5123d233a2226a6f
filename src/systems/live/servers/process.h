// Child processes that cannot outlive us.
//
// A child has a process group of its own, gets SIGKILL when the thread that started it ends (also
// when this program is killed with SIGKILL), inherits no file descriptor but the three standard
// ones, and is reaped by whoever polls it. No signal handler is installed.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace dissensus::live {

struct Command {
  std::vector<std::string> arguments;    ///< the first one is the path of the program
  std::vector<std::string> environment;  ///< "NAME=value", added to ours
  std::string output_file;               ///< stdout and stderr are appended to it
};

/// How a process ended: "exited with code 1", "killed by signal 11 (SIGSEGV)".
std::string exit_text(int wait_status);
/// The same in a word: "exit-1", "SIGSEGV".
std::string exit_word(int wait_status);

/// One child. Not copyable; the destructor kills the group and reaps the child.
class Process {
 public:
  Process() = default;
  explicit Process(pid_t pid) : pid_(pid) {}
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  /// True until poll() or kill() has seen the end.
  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  /// Looks whether the child has ended, and if so kills what is left of its group and reaps it.
  /// Returns the wait status at the call that notices the end.
  std::optional<int> poll();
  /// SIGTERM to the group; does not wait.
  void terminate();
  /// SIGKILL to the group, and waits for the end. Returns the wait status.
  std::optional<int> kill();

 private:
  pid_t pid_ = -1;
};

/// A thread that starts children. They die with it: it has to live as long as they shall.
class Spawner {
 public:
  Spawner();
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// Throws LiveError when the program cannot be started.
  Process spawn(const Command& command);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The path of the server program: `named` if it holds a slash, else what PATH has under that name
/// ("rippled" where `named` is empty). Throws NoServerProgram when there is no such executable
/// file.
std::string find_rippled(const std::string& named);

/// What "PROGRAM --version" says after "rippled version ". Throws NoServerProgram when the program
/// does not end within the limit or says something else. `scratch_file` takes the output and is
/// removed.
std::string server_version(Spawner& spawner, const std::string& program,
                           const std::string& scratch_file, std::chrono::milliseconds limit);

/// The last `lines_max` non-empty lines of a file joined by " | ", for one-line messages.
std::string last_lines(const std::string& path, std::size_t lines_max);

}  // namespace dissensus::live
