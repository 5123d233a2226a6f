// Runs the real program as a person or a script would, in a folder of its own.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dissensus::cli_test {

namespace fs = std::filesystem;

inline const std::string kSourceFolder = DISSENSUS_SOURCE_DIR;
/// The program under test: that of this build, or another one, to see which tests it fails.
inline std::string tested_program() {
  const char* const other = std::getenv("DISSENSUS_PROGRAM");
  return other != nullptr ? other : DISSENSUS_BINARY;
}
/// Fails under some schedules; the thesis's tutorial bug.
inline const std::string kBuggyScenario =
    kSourceFolder + "/scenarios/majority/overtaken-commit.toml";

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

inline void write_text(const fs::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  ASSERT_TRUE(file.flush().good()) << path;
}

/// `text` with its first `from` replaced, which must be there.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  return position == std::string::npos ? text : text.replace(position, from.size(), to);
}

struct CommandResult {
  int exit_code = -1;  ///< -1: ended by a signal
  std::string out;
  std::string err;
  long memory_kib_max = 0;
};

/// A temporary folder in which commands run; gone at the end of the test.
class WorkFolder {
 public:
  WorkFolder() {
    std::string pattern = (fs::temp_directory_path() / "dissensus-cli-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
    fs::create_directory(path_ / "work");
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  fs::path file(const std::string& name) const { return path_ / "work" / name; }
  /// Writes a file and returns its name, as commands in this folder use it.
  std::string write(const std::string& name, std::string_view content) const {
    write_text(file(name), content);
    return name;
  }
  /// Names of everything in the folder, subfolders included, in order.
  std::vector<std::string> content() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path_ / "work")) {
      names.push_back(fs::relative(entry.path(), path_ / "work").string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  CommandResult run(const std::vector<std::string>& words,
                    const std::string& program = tested_program()) const {
    const std::string out = (path_ / "out").string();
    const std::string err = (path_ / "err").string();
    const pid_t child = fork();
    if (child == 0) execute(program, words, out, err);
    int status = 0;
    rusage usage{};
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err),
            usage.ru_maxrss};
  }

 private:
  [[noreturn]] void execute(const std::string& program, const std::vector<std::string>& words,
                            const std::string& out, const std::string& err) const {
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
    const bool ready = chdir((path_ / "work").c_str()) == 0 &&
                       dup2(open("/dev/null", O_RDONLY), STDIN_FILENO) >= 0 &&
                       dup2(open(out.c_str(), kFlags, 0600), STDOUT_FILENO) >= 0 &&
                       dup2(open(err.c_str(), kFlags, 0600), STDERR_FILENO) >= 0;
    if (ready) execvp(program.c_str(), arguments.data());
    _exit(127);
  }

  fs::path path_;
};

/// A run of `scenario` under `schedule` (a file, or none); the folder it left is runs/latest.
inline CommandResult record_failing_run(const WorkFolder& folder) {
  return folder.run(
      {"hunt", kBuggyScenario, "--search", "random", "--jobs", "1", "--no-shrink", "--no-report"});
}

}  // namespace dissensus::cli_test
