#include "host/tracee.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/assert.h"

namespace dissensus::host {

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Handle::~Handle() {
  if (fd_ >= 0) close(fd_);
}

int Handle::release() {
  return std::exchange(fd_, -1);
}

namespace {

Stop classify(pid_t tid, int status) {
  if (!WIFSTOPPED(status)) return {StopKind::gone, status, 0};
  const int signal = WSTOPSIG(status);
  unsigned long message = 0;
  switch (status >> 16) {
    case 0:
      break;
    case PTRACE_EVENT_SECCOMP:
      return {StopKind::call, status, 0};
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_EXEC: {
      ptrace(PTRACE_GETEVENTMSG, tid, nullptr, &message);
      const int event = status >> 16;
      const StopKind kind = event == PTRACE_EVENT_EXEC    ? StopKind::executed
                            : event == PTRACE_EVENT_VFORK ? StopKind::vforked
                                                          : StopKind::created;
      return {kind, status, message};
    }
    default:
      return {StopKind::trap, status, static_cast<unsigned long>(signal)};
  }
  if (signal == (SIGTRAP | 0x80)) return {StopKind::call_exit, status, 0};
  return {StopKind::signal, status, static_cast<unsigned long>(signal)};
}

}  // namespace

Stop wait_for_stop(pid_t tid) {
  int status = 0;
  while (waitpid(tid, &status, __WALL) < 0) {
    if (errno != EINTR) return {StopKind::gone, 0, 0};
  }
  return classify(tid, status);
}

Registers read_registers(pid_t tid) {
  Registers registers{};
  ptrace(PTRACE_GETREGS, tid, nullptr, &registers);
  return registers;
}

void write_registers(pid_t tid, const Registers& registers) {
  ptrace(PTRACE_SETREGS, tid, nullptr, &registers);
}

bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

bool write_memory(pid_t pid, std::uint64_t address, const void* from, std::size_t bytes) {
  const iovec local{const_cast<void*>(from), bytes};
  const iovec remote{reinterpret_cast<void*>(address), bytes};
  return process_vm_writev(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

bool overwrite_memory(pid_t pid, std::uint64_t address, std::span<const unsigned char> bytes) {
  const std::string path = "/proc/" + std::to_string(pid) + "/mem";
  const Handle memory(open(path.c_str(), O_RDWR | O_CLOEXEC));
  return memory && pwrite(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(address)) ==
                       static_cast<ssize_t>(bytes.size());
}

std::optional<std::string> read_text(pid_t pid, std::uint64_t address, std::size_t bytes_max) {
  std::string text;
  std::array<char, 256> piece{};
  while (text.size() < bytes_max) {
    // Never across the end of a page: the next one may not be there.
    const std::size_t bytes = piece.size() - (address & (piece.size() - 1));
    if (!read_memory(pid, address, piece.data(), bytes)) return std::nullopt;
    const std::size_t length = strnlen(piece.data(), bytes);
    text.append(piece.data(), length);
    if (length < bytes) return text;
    address += bytes;
  }
  return std::nullopt;
}

std::optional<SignalMasks> read_signal_masks(pid_t tid) {
  const std::string path = "/proc/" + std::to_string(tid) + "/status";
  const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};
  const ssize_t got = file ? read(file.get(), buffer.data(), buffer.size() - 1) : -1;
  if (got <= 0) return std::nullopt;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  const auto mask = [&](std::string_view key) -> std::uint64_t {
    const std::size_t at = text.find(key);
    return at == text.npos ? 0 : std::strtoull(text.data() + at + key.size(), nullptr, 16);
  };
  return SignalMasks{mask("\nSigPnd:\t"), mask("\nShdPnd:\t"), mask("\nSigBlk:\t"),
                     mask("\nSigIgn:\t"), mask("\nSigCgt:\t")};
}

}  // namespace dissensus::host
