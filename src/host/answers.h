// Calls that are answered inside a program, without a stop.
//
// A stop costs two changes between programs; most calls do not need one: a read that finds nothing,
// a wake-up, a look at an epoll. Where the code of a program reads `mov $number, %eax; syscall`,
// the first of these becomes a jump to code of ours (a gate). That code does what the supervisor
// would have done, and keeps a log of it; the supervisor reads the log at the next stop, before
// anything else, and enters into journal and counts what it would have entered then. One thread
// runs at a time and time stands still meanwhile, so the order and the times are the same. Where
// our code does not know the answer it goes on to the program's own SYSCALL, which stops as ever.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "host/image.h"

namespace dissensus::host {

inline constexpr std::uint64_t kAnswerCodeAddress = 0x7fff'f810'2000;
inline constexpr std::uint64_t kAnswerPageAddress = 0x7fff'f810'3000;

/// What the supervisor tells the code.
inline constexpr std::size_t kAnswerRowsMax = 32;
struct AnswerControl {
  std::uint64_t limit = 0;               ///< calls that may be answered before the next stop
  std::uint64_t idle_left = 0;           ///< of them, those by which nothing gets done
  std::uint64_t files_free = 0;          ///< writing to files costs nothing and is not remembered
  std::uint64_t has_signal_readers = 0;  ///< a read of 128 bytes may be one of signals
  std::uint64_t proc_device = 0;         ///< what is of it is not opened; 0: nothing is
  std::uint64_t rows = 0;                ///< more than kAnswerRowsMax: the table is not complete
  struct Row {
    std::uint64_t address = 0;
    std::uint64_t waiters = 0;
    friend bool operator==(const Row&, const Row&) = default;
  };
  std::array<Row, kAnswerRowsMax> table{};  ///< futexes that threads of this process wait for
  friend bool operator==(const AnswerControl&, const AnswerControl&) = default;
};
inline constexpr std::uint64_t kAnswerControlOffset = 256;

/// What the code tells the supervisor.
struct AnswerEntry {
  enum Kind : std::uint64_t { plain, idle, wake, file, timer };
  std::uint64_t call = 0;
  std::uint64_t kind = 0;  ///< and, above the lowest byte, the number of the timer
  std::array<std::uint64_t, 4> arguments{};
  std::int64_t result = 0;
  std::uint64_t inode = 0;  ///< of a file that was written; of a timer, when
};
inline constexpr std::size_t kAnswerEntriesMax = 40;
struct AnswerLog {
  std::uint64_t count = 0;
  std::array<std::uint64_t, 7> unused{};
  std::array<AnswerEntry, kAnswerEntriesMax> entries{};
};
inline constexpr std::uint64_t kAnswerLogOffset = 1024;

std::span<const unsigned char> answer_code();

/// The thread is stopped at the end of execve. False: no call will be answered inside.
bool prepare_answers(pid_t tid);

/// The gates of programs: places of a file that were found once, and the room for them.
class Gates {
 public:
  /// Closed: the room is there, so that programs see the same mappings, but no code is changed.
  explicit Gates(bool is_open) : is_open_(is_open) {}

  /// Looks through executable code of a file that was just mapped.
  void look_through(std::uint32_t process, pid_t tid, const Mapping& mapping);
  void forget(std::uint32_t process) { used_.erase(process); }
  void copy(std::uint32_t from, std::uint32_t to);
  bool has_any(std::uint32_t process) const { return used_.contains(process); }

 private:
  struct Site {
    std::uint64_t offset = 0;  ///< of the first byte in the mapping
    std::vector<unsigned char> before;
  };
  static std::vector<Site> find(pid_t tid, const Mapping& mapping);

  bool is_open_;
  std::map<std::string, std::vector<Site>> cache_;
  /// Per process: bytes in use, by address of the room.
  std::map<std::uint32_t, std::map<std::uint64_t, std::size_t>> used_;
};

}  // namespace dissensus::host
