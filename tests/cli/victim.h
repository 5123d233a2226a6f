// A command that is killed.
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"

namespace dissensus::cli_test {

/// Starts a command and sends it a signal after some time, unless it ended before.
class Victim {
 public:
  Victim(const WorkFolder& folder, const std::vector<std::string>& words,
         const std::string& output_name = "output",
         const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    child_ = fork();
    if (child_ != 0) return;
    const std::string program = tested_program();
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::string output = folder.file(output_name).string();
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const bool ready = chdir(folder.file("").c_str()) == 0 && dup2(file, STDOUT_FILENO) >= 0 &&
                       dup2(file, STDERR_FILENO) >= 0;
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (ready) execv(program.c_str(), arguments.data());
    _exit(127);
  }
  /// Its status, as waitpid gives it.
  int end_with(int signal) {
    kill(child_, signal);
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  /// True: it has ended by itself; `status` is as waitpid gives it.
  bool has_ended(int& status) const { return waitpid(child_, &status, WNOHANG) == child_; }

 private:
  pid_t child_;
};

}  // namespace dissensus::cli_test
