// The user's own TLC: runs it, and understands what it prints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tla/exploration/check.h"

namespace dissensus::conform {

/// Removed at the end, with all that is in it. Throws InputError when it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Which TLC, and what it is asked.
struct TlcQuestion {
  std::string jar;  ///< tla2tools.jar, or several paths as a class path
  std::string java = "java";
  std::string spec;              ///< modules that it needs are beside it
  std::string config;            ///< empty: the one beside the specification
  bool ignore_deadlock = false;  ///< whatever the configuration says
};

struct TlcAnswer {
  std::string result;  ///< ok, violation, deadlock, assumption, error
  std::optional<std::uint64_t> generated, distinct, depth;
  std::string message;  ///< first line that says what is wrong
  double seconds = 0;
};

/// What TLC printed, understood.
TlcAnswer parse_tlc_output(const std::string& text);
/// Runs it with one worker. Throws InputError when it cannot be started.
TlcAnswer ask_tlc(const TlcQuestion& question);
/// Empty when both agree; otherwise how they differ.
std::string disagreement(const tla::CheckResult& ours, const TlcAnswer& theirs);

}  // namespace dissensus::conform
