// The lines of a log that may still be written: a file, a pipe or standard input, compressed (gzip)
// or not. Never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dissensus::conform {

class LogReader {
 public:
  /// "-" is standard input. `follows`: the end of a file is not the end of the log; a file that was
  /// replaced or cut is read anew, and one that does not exist yet is waited for. Throws
  /// InputError.
  LogReader(std::string path, bool follows);
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  /// Appends complete lines, without their ends; at the end also one that has no end. At most some
  /// hundred KiB at once. Throws InputError for what cannot be read, and lines beyond 16 MiB.
  void read(std::vector<std::string>& lines);
  bool is_ended() const;
  /// Somebody may be writing to it.
  bool is_live() const;
  /// The last line had no end: its writer may have been stopped in the middle.
  bool ends_within_a_line() const;
  const std::string& path() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dissensus::conform
