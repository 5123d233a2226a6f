#include "host/renewal.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "host/image.h"

namespace dissensus::host {

namespace {

/// Below what the program's stack may hold without saying so.
constexpr std::uint64_t kBelowStack = 256;

struct Registration {
  int set = -1;
  int fd = -1;
  epoll_event event{};
};

struct Uses {
  std::vector<int> fds;  ///< of the thread's process
  std::vector<Registration> registrations;
  bool has_others = false;  ///< other processes have it, too
};

/// Lines of an epoll read "tfd: 5 events: 19 data: 5  pos:0 ino:7a1 sdev:8".
void read_registrations(const std::string& file, int set, std::uint64_t inode, Uses& uses) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    Registration found;
    found.set = set;
    unsigned events = 0;
    unsigned long long data = 0;
    unsigned long long number = 0;
    if (std::sscanf(line.c_str(), "tfd: %d events: %x data: %llx pos:%*d ino:%llx", &found.fd,
                    &events, &data, &number) != 4 ||
        number != inode) {
      continue;
    }
    found.event.events = events;
    found.event.data.u64 = data;
    uses.registrations.push_back(found);
  }
}

Uses uses_of(const Supervisor& supervisor, const Thread& thread, std::uint64_t inode) {
  const std::string wanted = fmt::format("socket:[{}]", inode);
  Uses uses;
  for (const auto& process : supervisor.processes()) {
    if (process->is_dead || process->threads.empty() ||
        process->machine != thread.process->machine) {
      continue;
    }
    const std::string folder = fmt::format("/proc/{}", process->threads.front()->tid);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/fd", error)) {
      const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
      const int fd = std::atoi(entry.path().filename().c_str());
      if (target == wanted && process.get() == thread.process) uses.fds.push_back(fd);
      if (target == wanted && process.get() != thread.process) uses.has_others = true;
      if (target == "anon_inode:[eventpoll]" && process.get() == thread.process) {
        read_registrations(fmt::format("{}/fdinfo/{}", folder, fd), fd, inode, uses);
      }
    }
  }
  return uses;
}

/// The kernel reads the event from the program's memory.
void add_to_epoll(const Thread& thread, const Registration& registration) {
  const std::uint64_t at = read_registers(thread.tid).rsp - kBelowStack;
  const auto before = read_value<epoll_event>(thread.tid, at);
  write_value(thread.tid, at, registration.event);
  inject_call(thread.tid, SYS_epoll_ctl, static_cast<std::uint64_t>(registration.set),
              EPOLL_CTL_ADD, static_cast<std::uint64_t>(registration.fd), at);
  if (before) write_value(thread.tid, at, *before);
}

std::shared_ptr<StreamSocket> successor_of(const StreamSocket& former) {
  auto socket = former.made_alike();
  socket->has_own_port = former.has_own_port;
  socket->has_own_address = former.has_own_address;
  const bool is_bound = former.has_own_port || former.state == StreamSocket::State::bound;
  if (is_bound) socket->local.port = former.local.port;
  if (former.has_own_address) socket->local.ip = former.local.ip;
  if (is_bound) socket->state = StreamSocket::State::bound;
  return socket;
}

}  // namespace

long renew(Supervisor& supervisor, Thread& thread, int fd,
           const std::shared_ptr<StreamSocket>& former) {
  const Uses uses = uses_of(supervisor, thread, former->inode);
  const int flags = fcntl(Supervisor::copy_of(thread, fd).get(), F_GETFL);
  supervisor.replace_call(thread, SYS_socket, {AF_UNIX, SOCK_STREAM, 0, 0, 0, 0});
  const long made = supervisor.finish_call(thread);
  if (made < 0) return made;
  if (uses.has_others) {
    supervisor.note("a socket that several processes share was connected again by one of them");
  }
  const Handle fresh = Supervisor::copy_of(thread, static_cast<int>(made));
  fcntl(fresh.get(), F_SETFL, flags);
  const auto socket = successor_of(*former);
  supervisor.add_special(fresh, socket);
  if (socket->local.port != 0) supervisor.network().keep_bound(socket);
  former->linger = 0;  // a connection that there was ends with a reset
  for (const int use : uses.fds) {
    const auto number = static_cast<std::uint64_t>(use);
    const long kept = inject_call(thread.tid, SYS_fcntl, number, F_GETFD);
    inject_call(thread.tid, SYS_dup3, static_cast<std::uint64_t>(made), number,
                (kept & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  }
  inject_call(thread.tid, SYS_close, static_cast<std::uint64_t>(made));
  for (const Registration& registration : uses.registrations) add_to_epoll(thread, registration);
  return 0;
}

}  // namespace dissensus::host
