// Draws sequences of system calls from a seed and prints what each answered, so that two kernels
// can be compared:   sequences FOLDER FIRST COUNT
// What may differ from run to run on one kernel (numbers of processes, free ports, real time) is
// not printed. Every sequence has a process and a folder of its own.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kCallsPerSequence = 40;
constexpr int kSettleMs = 3;  ///< what was sent on this machine has arrived by then

int first_priority = 0;  ///< with which this program was started
volatile sig_atomic_t caught = 0;
void on_signal(int number) {
  caught = caught * 100 + number;
}

struct World {
  std::uint64_t state = 0;
  std::uint16_t port = 0;  ///< the first of four that belong to this sequence
  std::vector<int> fds;
  std::string text;

  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
  template <class T, std::size_t N>
  T one_of(const T (&values)[N]) {
    return values[below(static_cast<int>(N))];
  }
  /// One that is open, mostly.
  int fd() {
    return fds.empty() || below(20) == 0
               ? 40
               : fds[static_cast<std::size_t>(below(static_cast<int>(fds.size())))];
  }
  int keep(int made) {
    if (made >= 0) fds.push_back(made);
    return made;
  }
  const char* name() {
    static constexpr const char* kNames[] = {"a", "b", "c", "d", "dir", "dir/x", "none/x", "link"};
    return one_of(kNames);
  }
  template <class... Values>
  void say(const char* format, Values... values) {
    std::array<char, 256> line{};
    std::snprintf(line.data(), line.size(), format, values...);
    text += line.data();
  }
};

long settled(int fd, short events) {
  pollfd state{fd, events, 0};
  return poll(&state, 1, kSettleMs) < 0 ? -errno : state.revents;
}

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address draw_address(World& world) {
  Address address;
  const auto port = htons(static_cast<std::uint16_t>(world.port + world.below(4)));
  const int which = world.below(7);
  if (which < 3) {
    auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
    four.sin_family = AF_INET;
    four.sin_port = port;
    four.sin_addr.s_addr = htonl(which == 0 ? INADDR_ANY : INADDR_LOOPBACK);
    address.length = sizeof four;
  } else if (which < 6) {
    auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
    six.sin6_family = AF_INET6;
    six.sin6_port = port;
    if (which > 3) six.sin6_addr = in6addr_loopback;
    address.length = sizeof six;
  } else {
    auto& local = reinterpret_cast<sockaddr_un&>(address.storage);
    local.sun_family = AF_UNIX;
    const bool is_abstract = world.below(2) == 0;
    std::snprintf(local.sun_path + (is_abstract ? 1 : 0), 32, "s%d", world.below(2));
    if (is_abstract) {
      std::snprintf(local.sun_path + 1, 32, "%u-%d", world.port, world.below(2));
    }
    address.length = static_cast<socklen_t>(
        offsetof(sockaddr_un, sun_path) + std::strlen(local.sun_path + (is_abstract ? 1 : 0)) + 1);
  }
  return address;
}

/// Ports of the sequence are told, others are not.
void say_address(World& world, const Address& address) {
  const int family = address.storage.ss_family;
  if (family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address.storage);
    const int port = ntohs(four.sin_port) - world.port;
    world.say(" 4:%x:%d", ntohl(four.sin_addr.s_addr), port >= 0 && port < 4 ? port : -1);
  } else if (family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address.storage);
    std::array<char, 64> name{};
    inet_ntop(AF_INET6, &six.sin6_addr, name.data(), name.size());
    const int port = ntohs(six.sin6_port) - world.port;
    world.say(" 6:%s:%d", name.data(), port >= 0 && port < 4 ? port : -1);
  } else {
    world.say(" %d", family);
  }
}

int draw_signal(World& world) {
  static const int kSignals[] = {SIGUSR1, SIGUSR2, SIGCHLD, SIGRTMIN + 3, SIGALRM};
  return world.one_of(kSignals);
}

// ---- the calls; what they return is printed, negative with errno

long socket_op(World& w) {
  static constexpr int kFamilies[] = {AF_INET, AF_INET, AF_INET6, AF_INET6, AF_UNIX};
  static constexpr int kTypes[] = {SOCK_STREAM, SOCK_STREAM, SOCK_DGRAM};
  const int type = w.one_of(kTypes);
  return w.keep(socket(w.one_of(kFamilies), type | SOCK_NONBLOCK, 0));
}
long bind_op(World& w) {
  Address a = draw_address(w);
  return bind(w.fd(), a.get(), a.length);
}
long listen_op(World& w) {
  return listen(w.fd(), 8);
}
long connect_op(World& w) {
  Address a = draw_address(w);
  const int fd = w.fd();
  const int result = connect(fd, a.get(), a.length);
  if (result == 0 || errno != EINPROGRESS) return result;
  // Linux knows at once on one machine; another kernel may take a moment.
  settled(fd, POLLOUT);
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0 ? 0 : -1;
}
long accept_op(World& w) {
  const int fd = w.fd();
  settled(fd, POLLIN);
  Address a;
  a.length = sizeof a.storage;
  const int made = accept4(fd, a.get(), &a.length, SOCK_NONBLOCK);
  if (made >= 0) say_address(w, a);
  return w.keep(made);
}
long name_op(World& w) {
  Address a;
  a.length = sizeof a.storage;
  const int result = w.below(2) == 0 ? getsockname(w.fd(), a.get(), &a.length)
                                     : getpeername(w.fd(), a.get(), &a.length);
  if (result == 0) say_address(w, a);
  return result;
}
struct Option {
  int level;
  int name;
};
constexpr Option kOptions[] = {
    {SOL_SOCKET, SO_REUSEADDR},       {SOL_SOCKET, SO_REUSEPORT},  {SOL_SOCKET, SO_KEEPALIVE},
    {SOL_SOCKET, SO_BROADCAST},       {SOL_SOCKET, SO_RCVLOWAT},   {SOL_SOCKET, SO_PRIORITY},
    {IPPROTO_TCP, TCP_NODELAY},       {IPPROTO_TCP, TCP_KEEPIDLE}, {IPPROTO_TCP, TCP_USER_TIMEOUT},
    {IPPROTO_IPV6, IPV6_V6ONLY},      {IPPROTO_IP, IP_TTL},        {IPPROTO_IP, IP_TOS},
    {IPPROTO_IPV6, IPV6_UNICAST_HOPS}};
long setsockopt_op(World& w) {
  const Option option = w.one_of(kOptions);
  const int value = w.below(3) == 0 ? w.below(100) : w.below(2);
  w.say(" %d/%d=%d", option.level, option.name, value);
  return setsockopt(w.fd(), option.level, option.name, &value, sizeof value);
}
long getsockopt_op(World& w) {
  const Option option = w.one_of(kOptions);
  int value = -1;
  socklen_t size = sizeof value;
  const int result = getsockopt(w.fd(), option.level, option.name, &value, &size);
  w.say(" %d/%d", option.level, option.name);
  if (result == 0) w.say("=%d(%u)", value, size);
  return result;
}
long timeout_op(World& w) {
  const timeval limit{0, 1000};
  return setsockopt(w.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}
long send_op(World& w) {
  const std::string bytes(static_cast<std::size_t>(w.below(300)), 'x');
  return send(w.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}
long sendto_op(World& w) {
  Address a = draw_address(w);
  return sendto(w.fd(), "datagram", 8, MSG_DONTWAIT | MSG_NOSIGNAL, a.get(), a.length);
}
long recv_op(World& w) {
  static constexpr int kFlags[] = {0, 0, MSG_PEEK, MSG_TRUNC};
  const int fd = w.fd();
  settled(fd, POLLIN);
  std::array<char, 128> bytes{};
  return recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | w.one_of(kFlags));
}
long recvfrom_op(World& w) {
  const int fd = w.fd();
  settled(fd, POLLIN);
  std::array<char, 128> bytes{};
  Address a;
  a.length = sizeof a.storage;
  const auto got = recvfrom(fd, bytes.data(), bytes.size(), MSG_DONTWAIT, a.get(), &a.length);
  if (got >= 0 && a.length > 0) say_address(w, a);
  return got;
}
long shutdown_op(World& w) {
  const int how = w.below(3);
  return shutdown(w.fd(), how);
}
long pair_op(World& w) {
  std::array<int, 2> ends{};
  const int result = socketpair(
      AF_UNIX, (w.below(2) == 0 ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK, 0, ends.data());
  if (result == 0) {
    w.keep(ends[0]);
    w.keep(ends[1]);
  }
  return result;
}
long pipe_op(World& w) {
  std::array<int, 2> ends{};
  const int result = pipe2(ends.data(), O_NONBLOCK);
  if (result == 0) {
    w.keep(ends[0]);
    w.keep(ends[1]);
  }
  return result;
}
long eventfd_op(World& w) {
  return w.keep(eventfd(static_cast<unsigned>(w.below(3)), EFD_NONBLOCK));
}
long timerfd_op(World& w) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  itimerspec value{};
  value.it_value.tv_nsec = w.below(2) == 0 ? 1000 : 0;
  if (value.it_value.tv_nsec == 0) value.it_value.tv_sec = w.below(2) * 1000;
  timerfd_settime(fd, 0, &value, nullptr);
  return w.keep(fd);
}
long signalfd_op(World& w) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, draw_signal(w));
  return w.keep(signalfd(-1, &set, SFD_NONBLOCK));
}
long memfd_op(World& w) {
  return w.keep(static_cast<int>(syscall(SYS_memfd_create, "m", 0)));
}
long close_op(World& w) {
  const int fd = w.fd();
  std::erase(w.fds, fd);
  return close(fd);
}
long dup_op(World& w) {
  return w.keep(dup(w.fd()));
}
long fcntl_op(World& w) {
  static constexpr int kCommands[] = {F_GETFD, F_GETFL, F_SETFD, F_GETSIG};
  const int fd = w.fd();
  const int command = w.one_of(kCommands);
  const int result = fcntl(fd, command, w.below(2));
  // Sockets of ours are of another family, but no flag of theirs may tell.
  return result;
}
/// Not of an eventfd and its like: they share one inode, and its locks are those of all programs of
/// the machine.
long lock_op(World& w) {
  struct flock lock {};
  lock.l_type = static_cast<short>(w.below(3));
  lock.l_len = 10;
  const bool is_record = w.below(2) == 0;
  const int fd = w.fd();
  struct stat info {};
  if (fstat(fd, &info) == 0 && (info.st_mode & S_IFMT) == 0) return 0;
  return is_record ? fcntl(fd, F_SETLK, &lock) : flock(fd, LOCK_EX | LOCK_NB);
}
long poll_op(World& w) {
  const int fd = w.fd();
  w.say(" %lx", settled(fd, POLLIN | POLLOUT | POLLPRI | POLLRDHUP));
  return 0;
}
long select_op(World& w) {
  const int fd = w.fd();
  fd_set readable;
  fd_set writable;
  FD_ZERO(&readable);
  FD_ZERO(&writable);
  FD_SET(fd, &readable);
  FD_SET(fd, &writable);
  timeval limit{0, kSettleMs * 1000};
  const int result = select(fd + 1, &readable, &writable, nullptr, &limit);
  if (result > 0) w.say(" %d%d", FD_ISSET(fd, &readable) ? 1 : 0, FD_ISSET(fd, &writable) ? 1 : 0);
  return result;
}
long epoll_op(World& w) {
  const int set = epoll_create1(0);
  const int fd = w.fd();
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP;
  long result = epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
  if (result == 0) {
    event = {};
    result = epoll_wait(set, &event, 1, kSettleMs);
    w.say(" %x", event.events);
  }
  const int error = errno;
  close(set);
  errno = error;
  return result;
}
long read_op(World& w) {
  const int fd = w.fd();
  settled(fd, POLLIN);
  std::array<char, 200> bytes{};
  const int flags = fcntl(fd, F_GETFL);
  if (flags >= 0) fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  return read(fd, bytes.data(), static_cast<std::size_t>(w.below(200)));
}
long write_op(World& w) {
  const std::string bytes(static_cast<std::size_t>(w.below(200)), 'w');
  return write(w.fd(), bytes.data(), bytes.size());
}
long writev_op(World& w) {
  std::array<char, 8> bytes{"1234567"};
  const std::array<iovec, 2> pieces{{{bytes.data(), 3}, {bytes.data() + 3, 4}}};
  return writev(w.fd(), pieces.data(), 2);
}
long pread_op(World& w) {
  std::array<char, 64> bytes{};
  const int at = w.below(40);
  return pread(w.fd(), bytes.data(), bytes.size(), at);
}
long pwrite_op(World& w) {
  const int at = w.below(40);
  return pwrite(w.fd(), "pwrite", 6, at);
}
long lseek_op(World& w) {
  const int from = w.below(3);
  const int offset = w.below(30);
  return lseek(w.fd(), offset, from);
}
long open_op(World& w) {
  static constexpr int kFlags[] = {
      O_RDONLY,           O_RDWR | O_CREAT,  O_RDWR | O_CREAT,       O_RDWR | O_CREAT | O_EXCL,
      O_WRONLY | O_TRUNC, O_RDWR | O_APPEND, O_RDONLY | O_DIRECTORY, O_RDONLY | O_NOFOLLOW};
  const int flags = w.one_of(kFlags);
  return w.keep(open(w.name(), flags | O_NONBLOCK, 0644));
}
long unlink_op(World& w) {
  return unlink(w.name());
}
long rename_op(World& w) {
  const char* const to = w.name();
  return rename(w.name(), to);
}
long link_op(World& w) {
  const bool is_hard = w.below(2) == 0;
  const char* const to = w.name();
  return is_hard ? link(w.name(), to) : symlink(w.name(), to);
}
long readlink_op(World& w) {
  std::array<char, 64> text{};
  return readlink(w.name(), text.data(), text.size());
}
long mkdir_op(World& w) {
  return w.below(3) == 0 ? rmdir("dir") : mkdir("dir", 0755);
}
long mkfifo_op(World& w) {
  return mkfifo(w.name(), 0600);
}
long stat_op(World& w) {
  struct stat info {};
  const int result = w.below(2) == 0 ? lstat(w.name(), &info) : stat(w.name(), &info);
  if (result == 0) {
    w.say(" %o", info.st_mode);
    if (S_ISREG(info.st_mode)) w.say(" %ld %lu", info.st_size, info.st_nlink);
  }
  return result;
}
long fstat_op(World& w) {
  struct stat info {};
  const int result = fstat(w.fd(), &info);
  if (result == 0 && S_ISREG(info.st_mode)) w.say(" %ld %lu", info.st_size, info.st_nlink);
  return result;
}
long access_op(World& w) {
  static constexpr int kModes[] = {F_OK, R_OK, W_OK, R_OK | W_OK};
  const int mode = w.one_of(kModes);
  return access(w.name(), mode);
}
long truncate_op(World& w) {
  const bool is_named = w.below(2) == 0;
  const int size = w.below(100);
  return is_named ? truncate(w.name(), size) : ftruncate(w.fd(), size);
}
long utimens_op(World& w) {
  const std::array<timespec, 2> times{{{1000, 5}, {w.below(5000), 7}}};
  const char* const name = w.name();
  const int result = utimensat(AT_FDCWD, name, times.data(), 0);
  struct stat info {};
  if (result == 0 && stat(name, &info) == 0) {
    w.say(" %ld.%ld %ld", info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_atim.tv_sec);
  }
  return result;
}
/// A write later than another is seen to be later.
long mtime_op(World& w) {
  struct stat before {};
  struct stat after {};
  const int fd = open("t", O_RDWR | O_CREAT, 0644);
  fstat(fd, &before);
  usleep(30'000);
  const auto written = write(fd, "x", 1);
  fstat(fd, &after);
  close(fd);
  const long difference = (after.st_mtim.tv_sec - before.st_mtim.tv_sec) * 1'000'000'000 +
                          after.st_mtim.tv_nsec - before.st_mtim.tv_nsec;
  w.say(" %d", difference > 0 ? 1 : 0);
  return written;
}
long list_op(World& w) {
  DIR* folder = opendir(".");
  int count = 0;
  while (folder != nullptr && readdir(folder) != nullptr) ++count;
  if (folder != nullptr) closedir(folder);
  w.say(" %d", count);
  return 0;
}
long sendfile_op(World& w) {
  off_t offset = w.below(5);
  const int from = w.fd();
  return sendfile(w.fd(), from, &offset, 50);
}
long splice_op(World& w) {
  const int to = w.fd();
  return splice(w.fd(), nullptr, to, nullptr, 50, SPLICE_F_NONBLOCK);
}
long copy_range_op(World& w) {
  const int to = w.fd();
  return copy_file_range(w.fd(), nullptr, to, nullptr, 50, 0);
}
long map_op(World& w) {
  static constexpr int kFlags[] = {MAP_SHARED, MAP_PRIVATE};
  const int fd = w.fd();
  void* const at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, w.one_of(kFlags), fd, 0);
  if (at == MAP_FAILED) return -1;
  const int result = mprotect(at, 4096, PROT_READ);
  munmap(at, 4096);
  return result;
}
long kill_op(World& w) {
  return kill(getpid(), draw_signal(w));
}
long queue_op(World& w) {
  const sigval value{w.below(9)};
  return sigqueue(getpid(), SIGRTMIN + 3, value);
}
long mask_op(World& w) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, draw_signal(w));
  return sigprocmask(w.below(3) == 0 ? SIG_UNBLOCK : SIG_BLOCK, &set, nullptr);
}
long pending_op(World& w) {
  sigset_t set;
  const int result = sigpending(&set);
  for (const int number : {SIGUSR1, SIGUSR2, SIGCHLD, SIGRTMIN + 3, SIGALRM}) {
    w.say(" %d", sigismember(&set, number));
  }
  return result;
}
long sigwait_op(World& w) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, draw_signal(w));
  siginfo_t info{};
  const timespec none{0, 0};
  const int result = sigtimedwait(&set, &info, &none);
  if (result > 0)
    w.say(" %d %d", info.si_code, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
  return result;
}
long handler_op(World& w) {
  struct sigaction action {};
  action.sa_handler = w.below(3) == 0 ? SIG_IGN : on_signal;
  return sigaction(draw_signal(w), &action, nullptr);
}
long timer_op(World& w) {
  itimerval value{};
  value.it_value.tv_usec = w.below(2) == 0 ? 500 : 0;
  const int result = setitimer(ITIMER_REAL, &value, nullptr);
  usleep(2000);  // may be cut short
  usleep(2000);
  return result;
}
long posix_timer_op(World& w) {
  timer_t timer{};
  sigevent event{};
  event.sigev_notify = w.below(2) == 0 ? SIGEV_NONE : SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN + 3;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return -1;
  itimerspec value{};
  value.it_value.tv_nsec = 500'000;
  timer_settime(timer, 0, &value, nullptr);
  usleep(3000);
  usleep(3000);
  itimerspec left{};
  const int result = timer_gettime(timer, &left);
  w.say(" %ld", left.it_value.tv_nsec);
  timer_delete(timer);
  return result;
}
long fork_op(World& w) {
  const int code = w.below(3);
  const pid_t child = fork();
  if (child == 0) {
    if (code == 2) {
      signal(SIGTERM, SIG_DFL);
      raise(SIGTERM);
    }
    _exit(code);
  }
  int status = 0;
  const bool is_waiting = waitpid(child, &status, 0) == child;
  w.say(" %d %x", is_waiting ? 1 : 0, status);
  return wait(nullptr);
}
long waitid_op(World& w) {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  siginfo_t info{};
  const int result = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED);
  w.say(" %d %d %d", info.si_signo, info.si_code, info.si_status);
  return result;
}
long futex_op(World& w) {
  std::uint32_t value = 1;
  const timespec limit{0, 1'000'000};
  static constexpr int kCalls[] = {FUTEX_WAIT_PRIVATE, FUTEX_WAKE_PRIVATE, FUTEX_WAIT, FUTEX_WAKE};
  const int count = w.below(2);
  return syscall(SYS_futex, &value, w.one_of(kCalls), count, &limit, nullptr, 0);
}
long semaphore_op(World& w) {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  sembuf change{0, static_cast<short>(w.below(3) - 1), IPC_NOWAIT};
  const long result = semop(set, &change, 1);
  const int error = errno;
  w.say(" %d", semctl(set, 0, GETVAL));
  semctl(set, 0, IPC_RMID);
  errno = error;
  return result;
}
long message_op(World& w) {
  const int queue = msgget(IPC_PRIVATE, 0600);
  struct {
    long type;
    char text[8];
  } message{1 + w.below(2), "seven"};
  if (w.below(3) != 0) msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT);
  const long result = msgrcv(queue, &message, sizeof message.text, 1, IPC_NOWAIT);
  const int error = errno;
  msgctl(queue, IPC_RMID, nullptr);
  errno = error;
  return result;
}
long shared_op(World& w) {
  const int part = shmget(IPC_PRIVATE, 4096, 0600);
  void* const at = shmat(part, nullptr, 0);
  shmid_ds info{};
  shmctl(part, IPC_STAT, &info);
  w.say(" %lu %lu", info.shm_segsz, info.shm_nattch);
  shmctl(part, IPC_RMID, nullptr);
  return shmdt(at);
}
long schedule_op(World& w) {
  sched_param parameters{};
  switch (w.below(4)) {
    case 0:
      return sched_getscheduler(0);
    case 1:
      return sched_get_priority_max(w.below(7));
    case 2:
      return sched_getparam(0, &parameters);
    default:
      errno = 0;
      return getpriority(PRIO_PROCESS, 0) - first_priority;
  }
}
long sleep_op(World& w) {
  timespec before{};
  timespec after{};
  const timespec delay{0, w.below(2) * 1'000'000};
  clock_gettime(CLOCK_MONOTONIC, &before);
  const int result = nanosleep(&delay, nullptr);
  clock_gettime(CLOCK_MONOTONIC, &after);
  const long passed =
      (after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec;
  w.say(" %d", passed >= delay.tv_nsec ? 1 : 0);
  return result;
}
long umask_op(World& w) {
  return static_cast<long>(umask(w.below(2) == 0 ? 022 : 077));
}
long caught_op(World& w) {
  w.say(" %d", static_cast<int>(caught));
  caught = 0;
  return 0;
}

struct Operation {
  const char* name;
  long (*run)(World&);
  int weight;
};
constexpr Operation kOperations[] = {
    {"socket", socket_op, 8},
    {"bind", bind_op, 6},
    {"listen", listen_op, 5},
    {"connect", connect_op, 6},
    {"accept", accept_op, 4},
    {"name", name_op, 4},
    {"setsockopt", setsockopt_op, 4},
    {"getsockopt", getsockopt_op, 3},
    {"timeout", timeout_op, 1},
    {"send", send_op, 5},
    {"sendto", sendto_op, 3},
    {"recv", recv_op, 5},
    {"recvfrom", recvfrom_op, 3},
    {"shutdown", shutdown_op, 2},
    {"socketpair", pair_op, 2},
    {"pipe", pipe_op, 2},
    {"eventfd", eventfd_op, 1},
    {"timerfd", timerfd_op, 1},
    {"signalfd", signalfd_op, 2},
    {"memfd", memfd_op, 1},
    {"close", close_op, 4},
    {"dup", dup_op, 2},
    {"fcntl", fcntl_op, 2},
    {"lock", lock_op, 2},
    {"poll", poll_op, 4},
    {"select", select_op, 2},
    {"epoll", epoll_op, 3},
    {"read", read_op, 5},
    {"write", write_op, 5},
    {"writev", writev_op, 1},
    {"pread", pread_op, 1},
    {"pwrite", pwrite_op, 1},
    {"lseek", lseek_op, 1},
    {"open", open_op, 6},
    {"unlink", unlink_op, 1},
    {"rename", rename_op, 1},
    {"link", link_op, 2},
    {"readlink", readlink_op, 1},
    {"mkdir", mkdir_op, 2},
    {"mkfifo", mkfifo_op, 1},
    {"stat", stat_op, 3},
    {"fstat", fstat_op, 2},
    {"access", access_op, 1},
    {"truncate", truncate_op, 2},
    {"utimens", utimens_op, 1},
    {"mtime", mtime_op, 1},
    {"list", list_op, 1},
    {"sendfile", sendfile_op, 2},
    {"splice", splice_op, 2},
    {"copy_range", copy_range_op, 1},
    {"map", map_op, 1},
    {"kill", kill_op, 2},
    {"sigqueue", queue_op, 1},
    {"mask", mask_op, 4},
    {"pending", pending_op, 2},
    {"sigwait", sigwait_op, 2},
    {"handler", handler_op, 3},
    {"timer", timer_op, 1},
    {"posix_timer", posix_timer_op, 1},
    {"fork", fork_op, 1},
    {"waitid", waitid_op, 1},
    {"futex", futex_op, 1},
    {"semaphore", semaphore_op, 1},
    {"message", message_op, 1},
    {"shared", shared_op, 1},
    {"schedule", schedule_op, 1},
    {"sleep", sleep_op, 1},
    {"umask", umask_op, 1},
    {"caught", caught_op, 2},
};

const Operation& draw_operation(World& world) {
  int total = 0;
  for (const Operation& operation : kOperations) total += operation.weight;
  int at = world.below(total);
  for (const Operation& operation : kOperations) {
    at -= operation.weight;
    if (at < 0) return operation;
  }
  return kOperations[0];
}

void run_sequence(unsigned number) {
  World world;
  world.state = number * 0x9e37ULL;
  world.port = static_cast<std::uint16_t>(10'000 + number % 5000 * 4);
  for (const int handled : {SIGUSR1, SIGUSR2, SIGCHLD, SIGRTMIN + 3, SIGALRM, SIGPIPE}) {
    signal(handled, handled == SIGCHLD ? SIG_DFL : on_signal);
  }
  for (int i = 0; i < kCallsPerSequence; ++i) {
    const Operation& operation = draw_operation(world);
    world.say("%u.%d %s", number, i, operation.name);
    errno = 0;
    const long result = operation.run(world);
    const int error = errno;
    world.say(" -> %ld", result);
    if (result < 0) world.say(" %s", strerrorname_np(error));
    world.text += '\n';
  }
  std::fwrite(world.text.data(), 1, world.text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || chdir(argv[1]) != 0) return 2;
  const auto first = static_cast<unsigned>(std::atoi(argv[2]));
  const auto count = static_cast<unsigned>(std::atoi(argv[3]));
  umask(022);
  first_priority = getpriority(PRIO_PROCESS, 0);
  close_range(3, ~0U, 0);  // what this program was started with
  for (unsigned number = first; number < first + count; ++number) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string folder = std::to_string(number);
      if (mkdir(folder.c_str(), 0755) != 0 || chdir(folder.c_str()) != 0) _exit(3);
      run_sequence(number);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::printf("%u ended with %x\n", number, static_cast<unsigned>(status));
    std::fflush(stdout);
  }
}
