// Files: what may be opened, what is told about them, what writing them to disk costs.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/stat.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "host/calls.h"

namespace dissensus::host {

std::string absolute_path(const Thread& thread, int folder, const std::string& path) {
  if (path.starts_with('/')) return path;
  const std::string link = folder == AT_FDCWD ? fmt::format("/proc/{}/cwd", thread.tid)
                                              : fmt::format("/proc/{}/fd/{}", thread.tid, folder);
  std::array<char, 4096> target{};
  const ssize_t length = readlink(link.c_str(), target.data(), target.size() - 1);
  return length <= 0 ? path
                     : std::string(target.data(), static_cast<std::size_t>(length)) + "/" + path;
}

namespace {

// ---- opening

constexpr std::string_view kOwnProcFiles[] = {
    "maps", "exe",    "cmdline", "environ", "fd",        "task", "comm",          "auxv",  "cwd",
    "root", "limits", "mounts",  "cgroup",  "mountinfo", "ns",   "oom_score_adj", "fdinfo"};
constexpr std::string_view kProcFiles[] = {
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/version",
    "/proc/filesystems",
    "/proc/mounts",
    "/proc/self",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/ostype",
    "/proc/sys/kernel/version",
    "/proc/sys/kernel/cap_last_cap",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/threads-max",
    "/proc/sys/kernel/ngroups_max",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/max_map_count",
    "/proc/sys/net/core/somaxconn",
    "/proc/sys/net/ipv4/ip_local_port_range",
    "/proc/sys/fs/pipe-max-size",
};

/// Whether what a file of /proc says is the same in every run.
bool is_repeatable(std::string_view path, const Process& process) {
  if (std::find(std::begin(kProcFiles), std::end(kProcFiles), path) != std::end(kProcFiles)) {
    return true;
  }
  std::string_view rest = path;
  const std::string own = fmt::format("/proc/{}/", process.inner_pid);
  if (rest.starts_with("/proc/self/")) {
    rest.remove_prefix(11);
  } else if (rest.starts_with("/proc/thread-self/")) {
    rest.remove_prefix(18);
  } else if (rest == std::string_view(own).substr(0, own.size() - 1)) {
    return true;
  } else if (rest.starts_with(own)) {
    rest.remove_prefix(own.size());
  } else {
    return false;
  }
  const std::string_view first = rest.substr(0, rest.find('/'));
  if (first == "task") return rest.find('/', 5) == rest.npos;  // not what is in a thread's folder
  return std::find(std::begin(kOwnProcFiles), std::end(kOwnProcFiles), first) !=
         std::end(kOwnProcFiles);
}

/// Files of /proc about a process that would differ from run to run are written by us.
std::optional<std::string> proc_text(Supervisor& supervisor, const Process& self,
                                     std::string_view path) {
  constexpr std::string_view kProc = "/proc/";
  if (!path.starts_with(kProc)) return std::nullopt;
  path.remove_prefix(kProc.size());
  const std::size_t slash = path.find('/');
  if (slash == path.npos) return std::nullopt;
  const std::string_view who = path.substr(0, slash);
  const Process* process = &self;
  if (who != "self" && who != "thread-self") {
    process = supervisor.process_of_inner(std::atoi(std::string(who).c_str()));
    if (process == nullptr || process->machine != self.machine) return std::nullopt;
  }
  return process_text(*process, path.substr(slash + 1));
}

/// The program reads what we wrote from a file without a name.
Outcome open_text(Supervisor& supervisor, Thread& thread, std::uint64_t name, std::uint64_t flags,
                  const std::string& text) {
  supervisor.replace_call(thread, SYS_memfd_create,
                          {name, (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0, 0, 0, 0, 0});
  const long fd = supervisor.finish_call(thread);
  supervisor.set_result(thread, fd);
  if (fd < 0) return finished(fd);
  const Handle file = Supervisor::copy_of(thread, static_cast<int>(fd));
  if (pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    supervisor.doubt("a file of /proc could not be written");
  }
  return finished(fd);
}

/// Whether somebody has, or had, this pipe open for writing since `end`, for reading, was opened.
bool has_writer(int end) {
  pollfd state{end, POLLIN, 0};
  if (poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0) return true;
  int waiting = 0;
  if (ioctl(end, FIONREAD, &waiting) == 0 && waiting > 0) return true;
  char nothing = 0;
  return read(end, &nothing, 1) < 0 && errno == EAGAIN;
}

/// Opening a pipe with a name waits for the other side.
Outcome open_pipe(Supervisor& supervisor, Thread& thread, const Handle& file,
                  std::size_t flags_at) {
  const std::uint64_t flags = thread.arguments[flags_at];
  const std::uint64_t mode = flags & O_ACCMODE;
  if ((flags & (O_NONBLOCK | O_PATH)) != 0 || mode == O_RDWR) return native();
  if (mode == O_RDONLY) {
    if (!thread.held) {
      thread.held = Handle(open(fmt::format("/proc/self/fd/{}", file.get()).c_str(),
                                O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    }
    if (!has_writer(thread.held.get())) {
      return supervisor.wait_for(thread, Waiting::For::step, kNever);
    }
  }
  auto arguments = thread.arguments;
  arguments[flags_at] |= O_NONBLOCK;
  supervisor.replace_call(thread, thread.call, arguments);
  const long fd = supervisor.finish_call(thread);
  if (fd == -ENXIO) return supervisor.wait_in_front(thread, kNever);
  supervisor.set_result(thread, fd);
  thread.held = Handle();
  if (fd < 0) return finished(fd);
  const Handle copy = Supervisor::copy_of(thread, static_cast<int>(fd));
  fcntl(copy.get(), F_SETFL, fcntl(copy.get(), F_GETFL) & ~O_NONBLOCK);
  return finished(fd);
}

/// A file that this call makes, or cuts, is of this moment.
Outcome open_and_touch(Supervisor& supervisor, Thread& thread, bool is_new) {
  const long fd = supervisor.finish_call(thread);
  if (fd < 0) return finished(fd);
  const Handle file = Supervisor::copy_of(thread, static_cast<int>(fd));
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return finished(fd);
  supervisor.touch(info, thread.process->machine);
  if (is_new) {
    FileTimes& times = supervisor.times_of(info.st_ino);
    times.read = times.made = times.written;
  }
  return finished(fd);
}

/// A file of this machine that a program looks for and does not see: what comes of that is hard to
/// understand for who does not know it.
void note_hidden(Supervisor& supervisor, const Thread& thread, const std::string& path) {
  constexpr std::string_view kShown[] = {"/node", "/tmp", "/dev", "/proc", "/sys"};
  const bool is_elsewhere =
      std::none_of(std::begin(kShown), std::end(kShown),
                   [&](std::string_view folder) { return path.starts_with(folder); });
  if (!is_elsewhere || access(path.c_str(), F_OK) != 0) return;
  supervisor.note(fmt::format("{} was hidden from {}", path,
                              supervisor.program(thread.process->program).plan.name));
}

Outcome open_what_is_shown(Supervisor& supervisor, Thread& thread, const std::string& path) {
  const bool is_there = path.starts_with("/usr/") || path.starts_with("/lib") ||
                        access(fmt::format("/proc/{}/root{}", thread.tid, path).c_str(), F_OK) == 0;
  if (!is_there) note_hidden(supervisor, thread, path);
  return native();
}

Outcome open_call(Supervisor& supervisor, Thread& thread) {
  const bool is_at = thread.call == SYS_openat;
  const std::size_t flags_at = is_at ? 2 : 1;
  const std::uint64_t name = thread.arguments[is_at ? 1 : 0];
  const auto path = read_text(thread.tid, name);
  if (!path) return native();
  const int folder = is_at ? descriptor_argument(thread, 0) : AT_FDCWD;
  const std::string full = absolute_path(thread, folder, *path);
  const bool is_creat = thread.call == SYS_creat;
  const std::uint64_t flags = is_creat ? O_CREAT | O_TRUNC | O_WRONLY : thread.arguments[flags_at];
  if (full.starts_with("/proc/") && !is_repeatable(full, *thread.process)) {
    if (const auto text = proc_text(supervisor, *thread.process, full)) {
      return (flags & O_ACCMODE) == O_RDONLY ? open_text(supervisor, thread, name, flags, *text)
                                             : answer(-EACCES);
    }
    supervisor.note(fmt::format("{} was hidden from {}", full,
                                supervisor.program(thread.process->program).plan.name));
    return answer(-ENOENT);
  }
  // What cannot be written to is no pipe, and never changes.
  const bool is_own =
      full.starts_with("/node") || full.starts_with("/tmp") || full.starts_with("/dev/shm");
  // Below /tmp, too, lies what the scenario shows.
  if (!is_own || full.starts_with("/tmp")) supervisor.note_file(full);
  if (!is_own) return open_what_is_shown(supervisor, thread, full);
  const Handle file = find_file(thread, folder, *path, (flags & O_NOFOLLOW) == 0);
  struct stat info {};
  const bool is_there = file && fstat(file.get(), &info) == 0;
  if (is_there && S_ISFIFO(info.st_mode)) return open_pipe(supervisor, thread, file, flags_at);
  const bool is_new = !is_there && (flags & (O_CREAT | __O_TMPFILE)) != 0;
  if (!is_new && (flags & O_TRUNC) == 0) return native();
  return open_and_touch(supervisor, thread, is_new);
}

/// Pipes with names, and files; devices are nobody's business.
Outcome mknod_call(Supervisor&, Thread& thread) {
  const std::uint64_t mode = thread.arguments[thread.call == SYS_mknodat ? 2 : 1] & S_IFMT;
  return mode == S_IFCHR || mode == S_IFBLK ? answer(-EPERM) : native();
}

// ---- what is told; numbers are in order of first sight

/// Of a folder: who walks through a tree takes it for the number of folders in it, and two more;
/// this says that nobody counts.
constexpr std::uint32_t kUnknownLinks = 1;

statx_timestamp to_stamp(std::int64_t time) {
  const timespec value = to_timespec(std::chrono::nanoseconds(time));
  statx_timestamp stamp{};
  stamp.tv_sec = value.tv_sec;
  stamp.tv_nsec = static_cast<std::uint32_t>(value.tv_nsec);
  return stamp;
}

/// Who asks whether a file is there gets told like who opens it.
Outcome no_stat(Supervisor& supervisor, const Thread& thread, long result) {
  if (result != -ENOENT) return finished(result);
  const bool is_at = thread.call == SYS_newfstatat || thread.call == SYS_statx;
  const auto path = read_text(thread.tid, thread.arguments[is_at ? 1 : 0]);
  if (path && path->starts_with('/')) note_hidden(supervisor, thread, *path);
  return finished(result);
}

Outcome stat_call(Supervisor& supervisor, Thread& thread) {
  const long result = supervisor.finish_call(thread);
  if (result != 0) return no_stat(supervisor, thread, result);
  const std::uint64_t address = thread.arguments[thread.call == SYS_newfstatat ? 2 : 1];
  auto info = read_value<struct stat>(thread.tid, address);
  if (!info) return finished(0);
  const FileTimes& times = supervisor.times_of(info->st_dev, info->st_ino);
  info->st_atim = to_timespec(std::chrono::nanoseconds(times.read));
  info->st_mtim = to_timespec(std::chrono::nanoseconds(times.written));
  info->st_ctim = to_timespec(std::chrono::nanoseconds(times.changed));
  if (S_ISDIR(info->st_mode) && !supervisor.is_own_device(info->st_dev)) {
    info->st_nlink = kUnknownLinks;
  }
  info->st_ino = supervisor.virtual_inode(info->st_dev, info->st_ino);
  info->st_dev = supervisor.virtual_device(info->st_dev);
  if (S_ISDIR(info->st_mode)) {
    info->st_size = 4096;
    info->st_blocks = 8;
  }
  write_value(thread.tid, address, *info);
  return finished(0);
}

Outcome statx_call(Supervisor& supervisor, Thread& thread) {
  const long result = supervisor.finish_call(thread);
  if (result != 0) return no_stat(supervisor, thread, result);
  auto info = read_value<struct statx>(thread.tid, thread.arguments[4]);
  if (!info) return finished(0);
  const std::uint64_t device = makedev(info->stx_dev_major, info->stx_dev_minor);
  const FileTimes& times = supervisor.times_of(device, info->stx_ino);
  info->stx_atime = to_stamp(times.read);
  info->stx_mtime = to_stamp(times.written);
  info->stx_ctime = to_stamp(times.changed);
  info->stx_btime = to_stamp(times.made);
  if (S_ISDIR(info->stx_mode) && !supervisor.is_own_device(device)) {
    info->stx_nlink = kUnknownLinks;
  }
  info->stx_ino = supervisor.virtual_inode(device, info->stx_ino);
  info->stx_dev_major = 0;
  info->stx_dev_minor = static_cast<std::uint32_t>(supervisor.virtual_device(device));
  if (S_ISDIR(info->stx_mode)) {
    info->stx_size = 4096;
    info->stx_blocks = 8;
  }
  write_value(thread.tid, thread.arguments[4], *info);
  return finished(0);
}

/// As we see it: a file of /proc about a process of the thread's machine.
std::string outer_path(Supervisor& supervisor, const Thread& thread, std::string path) {
  constexpr std::string_view kProc = "/proc/";
  const std::size_t slash = path.find('/', kProc.size());
  if (!path.starts_with(kProc) || slash == path.npos) return {};
  const std::string who = path.substr(kProc.size(), slash - kProc.size());
  const Process* process = who == "self" || who == "thread-self"
                               ? thread.process
                               : supervisor.process_of_inner(std::atoi(who.c_str()));
  if (process == nullptr || process->threads.empty()) return {};
  return fmt::format("/proc/{}{}", process->threads.front()->tid, path.substr(slash));
}

/// What /proc says of descriptors and namespaces ("pipe:[1234]") has the numbers that stat tells.
Outcome readlink_call(Supervisor& supervisor, Thread& thread) {
  const std::size_t at = thread.call == SYS_readlinkat ? 1 : 0;
  const auto path = read_text(thread.tid, thread.arguments[at]);
  if (!path) return native();
  const int folder = at == 1 ? descriptor_argument(thread, 0) : AT_FDCWD;
  const std::string outer = outer_path(supervisor, thread, absolute_path(thread, folder, *path));
  struct stat info {};
  if (outer.empty() || stat(outer.c_str(), &info) != 0) return native();
  const long result = supervisor.finish_call(thread);
  if (result <= 0) return finished(result);
  std::string text(static_cast<std::size_t>(result), '\0');
  if (!read_memory(thread.tid, thread.arguments[at + 1], text.data(), text.size())) {
    return finished(result);
  }
  const std::size_t begin = text.find(":[");
  if (text.front() == '/' || begin == text.npos || !text.ends_with(']')) return finished(result);
  text = fmt::format("{}:[{}]", text.substr(0, begin),
                     supervisor.virtual_inode(info.st_dev, info.st_ino));
  text.resize(std::min<std::size_t>(text.size(), thread.arguments[at + 2]));
  write_memory(thread.tid, thread.arguments[at + 1], text.data(), text.size());
  supervisor.set_result(thread, static_cast<long>(text.size()));
  return finished(static_cast<long>(text.size()));
}

Outcome statfs_call(Supervisor& supervisor, Thread& thread) {
  const long result = supervisor.finish_call(thread);
  if (result != 0) return finished(result);
  auto info = read_value<struct statfs>(thread.tid, thread.arguments[1]);
  if (!info) return finished(0);
  info->f_blocks = 1 << 26;
  info->f_bfree = info->f_bavail = 1 << 25;
  info->f_files = 1 << 20;
  info->f_ffree = 1 << 19;
  info->f_fsid = {};
  write_value(thread.tid, thread.arguments[1], *info);
  return finished(0);
}

/// Entries come in the order in which the file system has them: in memory that of creation.
Outcome getdents_call(Supervisor& supervisor, Thread& thread) {
  const long result = supervisor.finish_call(thread);
  if (result <= 0) return finished(result);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(result));
  if (!read_memory(thread.tid, thread.arguments[1], bytes.data(), bytes.size())) {
    return finished(result);
  }
  const Descriptor folder = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  for (std::size_t at = 0; at + offsetof(dirent64, d_name) < bytes.size();) {
    dirent64 entry{};
    std::memcpy(&entry, bytes.data() + at, offsetof(dirent64, d_name));
    if (entry.d_reclen == 0) break;
    const std::uint64_t inode = supervisor.virtual_inode(folder.info.st_dev, entry.d_ino);
    std::memcpy(bytes.data() + at, &inode, sizeof inode);
    at += entry.d_reclen;
  }
  write_memory(thread.tid, thread.arguments[1], bytes.data(), bytes.size());
  return finished(result);
}

// ---- to disk

Outcome sync_call(Supervisor& supervisor, Thread& thread) {
  const bool is_all = thread.call == SYS_sync || thread.call == SYS_syncfs;
  const bool has_file = !is_all && thread.call != SYS_msync;
  if (!thread.is_retry) {
    const HostTime cost = supervisor.disk().sync_cost(*thread.process);
    if (cost.count() != 0) {
      return supervisor.wait_for(thread, Waiting::For::time, supervisor.now() + cost);
    }
  }
  if (is_all) supervisor.disk().all_synced(thread.process->machine);
  if (thread.call == SYS_msync) return native();  // files are in memory: it does not wait
  if (!has_file) return answer(0);
  const Descriptor file = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!file.handle) return answer(-EBADF);
  if (!S_ISREG(file.info.st_mode) && !S_ISDIR(file.info.st_mode)) return answer(-EINVAL);
  supervisor.disk().synced(file);
  return answer(0);
}

Outcome ftruncate_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor file = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (file.handle && supervisor.disk().model().keeps_unsynced) {
    supervisor.disk().before_truncate(thread.process->machine, file, thread.arguments[1]);
  }
  if (file.handle) supervisor.touch(file.info, thread.process->machine);
  return native();
}

/// Room is reserved by making the file longer; memory is not filled for it.
Outcome fallocate_call(Supervisor& supervisor, Thread& thread) {
  if ((thread.arguments[1] & FALLOC_FL_KEEP_SIZE) != 0 &&
      (thread.arguments[1] & FALLOC_FL_PUNCH_HOLE) == 0) {
    return answer(0);
  }
  if (thread.arguments[1] != 0) return native();
  const Descriptor file = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!file.handle) return answer(-EBADF);
  const auto end = static_cast<off_t>(thread.arguments[2] + thread.arguments[3]);
  if (static_cast<std::uint64_t>(end) > supervisor.plan().limits.folder_bytes) {
    return answer(-ENOSPC);
  }
  if (end > file.info.st_size && ftruncate(file.handle.get(), end) != 0) return answer(-errno);
  return answer(0);
}

// ---- locks that wait are tried again at every step

Outcome flock_call(Supervisor& supervisor, Thread& thread) {
  const int operation = static_cast<int>(thread.arguments[1]);
  if ((operation & (LOCK_NB | LOCK_UN)) != 0) return native();
  const Descriptor file = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!file.handle) return answer(-EBADF);
  // Our copy is the same open file, so the lock is the program's.
  if (flock(file.handle.get(), operation | LOCK_NB) == 0) return answer(0);
  if (errno != EWOULDBLOCK) return answer(-errno);
  return supervisor.wait_for(thread, Waiting::For::step, kNever);
}

Outcome fcntl_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor file = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!file.handle) return answer(-EBADF);
  auto wanted = read_value<struct flock>(thread.tid, thread.arguments[2]);
  if (!wanted) return answer(-EFAULT);
  const bool is_open_file = thread.arguments[1] == F_OFD_SETLKW;
  if (!is_open_file) {
    // The lock belongs to the process: ask whether it is free, then let the process take it.
    struct flock asked = *wanted;
    asked.l_pid = 0;
    if (fcntl(file.handle.get(), F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK &&
        asked.l_pid != thread.process->pid) {
      return supervisor.wait_for(thread, Waiting::For::step, kNever);
    }
    return native();
  }
  wanted->l_pid = 0;
  if (fcntl(file.handle.get(), F_OFD_SETLK, &*wanted) == 0) return answer(0);
  if (errno != EAGAIN && errno != EACCES) return answer(-errno);
  return supervisor.wait_for(thread, Waiting::For::step, kNever);
}

/// Only mappings that can be executed, are shared or can be written, of files, come here.
Outcome mmap_call(Supervisor& supervisor, Thread& thread) {
  if ((thread.arguments[3] & MAP_ANONYMOUS) == 0) {
    const Descriptor file = supervisor.descriptor(thread, descriptor_argument(thread, 4));
    // Of streams, Linux maps what has arrived (TCP_ZEROCOPY_RECEIVE), to read it.
    const bool is_read_only = (thread.arguments[2] & (PROT_WRITE | PROT_EXEC)) == 0;
    if (is_kind(file, Special::Kind::stream)) return answer(is_read_only ? -ENODEV : -EPERM);
  }
  const long address = supervisor.finish_call(thread);
  if (address < 0 && address > -4096) return finished(address);
  // What futexes there were at these addresses before are others now.
  if ((thread.arguments[3] & MAP_SHARED) != 0) thread.process->shared_pages.clear();
  if ((thread.arguments[2] & PROT_EXEC) != 0 && (thread.arguments[3] & MAP_ANONYMOUS) == 0) {
    const auto begin = static_cast<std::uint64_t>(address);
    supervisor.look_at_code(*thread.process, thread.tid, begin, begin + thread.arguments[1]);
  }
  return finished(address);
}

constexpr CallEntry kFileCalls[] = {
    {SYS_mknod, mknod_call},
    {SYS_mknodat, mknod_call},
    {SYS_open, open_call},
    {SYS_openat, open_call},
    {SYS_creat, open_call},
    {SYS_stat, stat_call},
    {SYS_lstat, stat_call},
    {SYS_fstat, stat_call},
    {SYS_newfstatat, stat_call},
    {SYS_statx, statx_call},
    {SYS_readlink, readlink_call},
    {SYS_readlinkat, readlink_call},
    {SYS_statfs, statfs_call},
    {SYS_fstatfs, statfs_call},
    {SYS_getdents64, getdents_call},
    {SYS_fsync, sync_call},
    {SYS_fdatasync, sync_call},
    {SYS_sync, sync_call},
    {SYS_syncfs, sync_call},
    {SYS_msync, sync_call},
    {SYS_sync_file_range, sync_call},
    {SYS_ftruncate, ftruncate_call},
    {SYS_fallocate, fallocate_call},
    {SYS_flock, flock_call},
    {SYS_fcntl, fcntl_call},
    {SYS_mmap, mmap_call},
};

}  // namespace

std::span<const CallEntry> file_calls() {
  return kFileCalls;
}

}  // namespace dissensus::host
