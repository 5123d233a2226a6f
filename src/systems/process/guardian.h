// Between us and a program stands a process that has one duty: when the program ends, or when we
// do, however that may happen, nothing of what the program has started stays behind. It is the
// reaper of all descendants of the program, so that none gets away by leaving its group or its
// parents.
#pragma once

#include <vector>

#include <sys/types.h>

namespace dissensus::process {

/// Everything that the new processes need, since memory may not be asked for after a fork.
/// Descriptors are theirs to close.
struct GuardedLaunch {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* folder = "";
  int input = -1;   ///< becomes the program's standard input
  int output = -1;  ///< the same of its output
  int errors = -1;
  int report = -1;  ///< hears the program's number; then why it cannot be started, if so
  int life = -1;    ///< closed at the other end: all is to end
  int status = -1;  ///< how the program ended, as waitpid() says it
};

/// Returns the guardian's number, negative if there is none. It ends last, with code 0.
pid_t start_guarded(const GuardedLaunch& launch);

}  // namespace dissensus::process
