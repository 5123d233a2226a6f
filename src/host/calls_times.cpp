// The times of files: those of the calendar that programs see, kept by us.
#include <cerrno>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "host/calls.h"

namespace dissensus::host {

Handle find_file(const Thread& thread, int folder, const std::string& path, bool follows) {
  const std::string root = fmt::format("/proc/{}/root", thread.tid);
  const Handle top(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const std::string full = absolute_path(thread, folder, path);
  return Handle(static_cast<int>(syscall(SYS_openat2, top.get(), full.c_str(), &how, sizeof how)));
}

void Supervisor::touch(const struct stat& file, MachineId machine) {
  if (file.st_dev == folder_device_) touch(file.st_ino, machine);
}

void Supervisor::touch(std::uint64_t inode, MachineId machine) {
  FileTimes& times = times_of(inode);
  times.written = times.changed = calendar(machine).count();
}

FileTimes& Supervisor::times_of(std::uint64_t inode) {
  return file_times_.try_emplace(inode, old_times_).first->second;
}

const FileTimes& Supervisor::times_of(std::uint64_t device, std::uint64_t inode) const {
  const auto found = file_times_.find(inode);
  return device != folder_device_ || found == file_times_.end() ? old_times_ : found->second;
}

namespace {

struct Wanted {
  timespec read{};
  timespec written{};
};

/// Nothing: the program's memory cannot be read.
std::optional<Wanted> wanted_times(const Thread& thread, std::uint64_t address) {
  if (address == 0) return Wanted{{0, UTIME_NOW}, {0, UTIME_NOW}};
  if (thread.call == SYS_utimensat) return read_value<Wanted>(thread.tid, address);
  if (thread.call == SYS_utime) {
    const auto seconds = read_value<utimbuf>(thread.tid, address);
    if (!seconds) return std::nullopt;
    return Wanted{{seconds->actime, 0}, {seconds->modtime, 0}};
  }
  const auto values = read_value<std::array<timeval, 2>>(thread.tid, address);
  if (!values) return std::nullopt;
  return Wanted{{(*values)[0].tv_sec, (*values)[0].tv_usec * 1000},
                {(*values)[1].tv_sec, (*values)[1].tv_usec * 1000}};
}

/// The file that the call names.
Handle named_file(const Thread& thread) {
  const bool is_at = thread.call == SYS_utimensat || thread.call == SYS_futimesat;
  const std::uint64_t name = thread.arguments[is_at ? 1 : 0];
  const int folder = is_at ? descriptor_argument(thread, 0) : AT_FDCWD;
  const auto flags = thread.call == SYS_utimensat ? thread.arguments[3] : 0;
  const auto path = name == 0 ? std::string() : read_text(thread.tid, name).value_or("");
  if (path.empty()) return Supervisor::copy_of(thread, folder);
  return find_file(thread, folder, path, (flags & AT_SYMLINK_NOFOLLOW) == 0);
}

void set_time(std::int64_t& time, const timespec& wanted, std::int64_t now) {
  if (wanted.tv_nsec == UTIME_OMIT) return;
  time = wanted.tv_nsec == UTIME_NOW ? now : wanted.tv_sec * 1'000'000'000 + wanted.tv_nsec;
}

/// The kernel says whether it may be done.
Outcome set_times_call(Supervisor& supervisor, Thread& thread) {
  const std::size_t at = thread.call == SYS_utimensat || thread.call == SYS_futimesat ? 2 : 1;
  const auto wanted = wanted_times(thread, thread.arguments[at]);
  const long result = supervisor.finish_call(thread);
  if (result != 0 || !wanted) return finished(result);
  const Handle file = named_file(thread);
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0) return finished(result);
  const std::int64_t now = supervisor.calendar(thread.process->machine).count();
  FileTimes& times = supervisor.times_of(info.st_ino);
  set_time(times.read, wanted->read, now);
  set_time(times.written, wanted->written, now);
  times.changed = now;
  return finished(result);
}

}  // namespace

std::span<const CallEntry> times_calls() {
  static constexpr CallEntry kCalls[] = {{SYS_utime, set_times_call},
                                         {SYS_utimes, set_times_call},
                                         {SYS_futimesat, set_times_call},
                                         {SYS_utimensat, set_times_call}};
  return kCalls;
}

}  // namespace dissensus::host
