// A stopped thread of a program: its registers, its memory, and what stopped it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>
#include <sys/user.h>

namespace dissensus::host {

using Registers = user_regs_struct;

/// A file descriptor that is closed at the end.
class Handle {
 public:
  Handle() = default;
  explicit Handle(int fd) : fd_(fd) {}
  Handle(Handle&& other) noexcept : fd_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();
  int get() const { return fd_; }
  int release();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

enum class StopKind : std::uint8_t {
  gone,       ///< exited or killed; `status` is what wait said
  call,       ///< before a system call that the filter traps
  call_exit,  ///< after one
  created,    ///< has made a thread or process: `number` is its id
  vforked,    ///< the same, and it waits until the child has a program of its own
  executed,   ///< has a new program: `number` is the id of the thread that asked for it
  signal,     ///< a signal is about to be delivered: `number`
  trap,       ///< something that needs no answer
};

struct Stop {
  StopKind kind = StopKind::trap;
  int status = 0;
  unsigned long number = 0;
};

/// Waits until the thread stops or ends.
Stop wait_for_stop(pid_t tid);

Registers read_registers(pid_t tid);
void write_registers(pid_t tid, const Registers& registers);

bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t bytes);
bool write_memory(pid_t pid, std::uint64_t address, const void* from, std::size_t bytes);
/// Also where the program itself must not write.
bool overwrite_memory(pid_t pid, std::uint64_t address, std::span<const unsigned char> bytes);
/// Up to the terminating zero.
std::optional<std::string> read_text(pid_t pid, std::uint64_t address,
                                     std::size_t bytes_max = 4096);

template <class T>
std::optional<T> read_value(pid_t pid, std::uint64_t address) {
  T value{};
  if (!read_memory(pid, address, &value, sizeof value)) return std::nullopt;
  return value;
}
template <class T>
bool write_value(pid_t pid, std::uint64_t address, const T& value) {
  return write_memory(pid, address, &value, sizeof value);
}

/// What a thread of a program may be interrupted by (/proc/<tid>/status).
struct SignalMasks {
  std::uint64_t pending = 0;         ///< for this thread
  std::uint64_t shared_pending = 0;  ///< for any thread of the process
  std::uint64_t blocked = 0;
  std::uint64_t ignored = 0;
  std::uint64_t caught = 0;
};
std::optional<SignalMasks> read_signal_masks(pid_t tid);

}  // namespace dissensus::host
