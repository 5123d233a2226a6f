// A program that was started here: lines go in, lines come out, and nothing that it does can make
// us wait for ever. It ends with this object, and with this process.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace dissensus::process {

struct Launch {
  std::vector<std::string> command;      ///< the first is looked up in PATH
  std::vector<std::string> environment;  ///< "NAME=value", besides ours
  std::string folder;                    ///< to work in; empty: where we are
};

/// What may be read of a program before it must be done.
struct ReadLimits {
  std::chrono::milliseconds answer{10'000};  ///< of real time
  std::size_t line_bytes = 1u << 20;
  std::size_t answer_bytes = 16u << 20;
};

enum class Trouble : std::uint8_t { none, exit, crash, nonsense, flood, silence };

class Child {
 public:
  /// Throws OutsideError where the program cannot be started.
  explicit Child(const Launch& launch);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// An answer begins: its limits count from here.
  void begin_answer(const ReadLimits& limits);
  /// Writes a line, with its end. False: trouble() says why.
  bool write(std::string_view line);
  /// The next line without its end, valid until the next call. False: trouble() says why.
  bool read(std::string_view& line);

  /// After its last line: waits until it waits for us, as far as can be seen and not for long.
  /// False: it has ended by itself, and trouble() says how.
  bool settle();

  pid_t pid() const { return pid_; }
  Trouble trouble() const { return trouble_; }
  /// Exit code or signal.
  int status() const { return status_; }
  /// What it wrote to standard error since the last call; at most some of it is kept.
  std::string take_errors();

  bool can_reset = false;  ///< it said so

 private:
  bool fail(Trouble trouble);
  bool fail_at_end();
  /// False: it lives.
  bool has_ended();
  /// Waits until something can be read, or written if that is wanted.
  bool wait(bool for_writing);
  bool fill();
  /// The next line that is complete.
  bool take_line(std::string_view& line);
  void drain_errors();
  void end();

  pid_t pid_ = -1;
  pid_t guardian_ = -1;  ///< guardian.h; it ends last
  int input_ = -1;       ///< its standard input
  int output_ = -1;      ///< its standard output
  int errors_ = -1;
  int life_ = -1;        ///< while this is open, the program may live
  int status_end_ = -1;  ///< how it ended
  std::string buffer_;
  std::size_t next_ = 0;     ///< of the buffer
  std::size_t scanned_ = 0;  ///< no end of line before this
  std::string kept_errors_;
  ReadLimits limits_;
  std::size_t answered_bytes_ = 0;
  std::chrono::steady_clock::time_point deadline_{};
  Trouble trouble_ = Trouble::none;
  int status_ = 0;
};

/// Programs that wait for their next run. Any thread.
class ChildPool {
 public:
  explicit ChildPool(Launch launch);
  ~ChildPool();

  std::unique_ptr<Child> take();
  /// Keeps it if it can be used again.
  void give(std::unique_ptr<Child> child);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dissensus::process
