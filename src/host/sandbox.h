// Where programs run: namespaces of their own, in which they see the system's files (read only),
// one folder, and no network. All of it is in memory and ends with the process that made it.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "host/host.h"
#include "host/tracee.h"

namespace dissensus::host {

/// True when this child is gone, or waits to be reaped.
bool has_process_ended(pid_t child);

/// Starts programs through a keeper: the first process of a PID namespace, which the kernel ends
/// together with everything in it when we end.
class Sandbox {
 public:
  /// Throws OutsideError where namespaces cannot be made.
  explicit Sandbox(const Plan& plan);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// A path of this process for the memory file system that holds everything.
  const std::string& root() const { return root_; }
  std::string folder(const Machine& machine) const { return root_ + "/machines/" + machine.name; }
  /// True when the program's user is one that exists only in the sandbox.
  pid_t keeper() const { return keeper_; }
  /// Somebody else ended it, and with it all programs.
  bool has_ended() const { return has_process_ended(keeper_); }

  /// A process that waits to become the program: trace it, then let it go.
  struct Launch {
    pid_t pid = -1;
    Handle control;
  };
  struct Streams {
    int input;
    int output;
    int errors;
  };
  /// Throws OutsideError.
  Launch launch(const Machine& machine, const Program& program, const Streams& streams);
  /// Lets it install the filter and become the program.
  static void let_go(const Launch& launch);
  /// After it ended without becoming the program: why.
  static std::string failure(const Launch& launch);

 private:
  pid_t keeper_ = -1;
  Handle channel_;
  Handle root_handle_;
  std::string root_;
};

}  // namespace dissensus::host
