// What programs do that could differ from run to run, one way per word: subject <word>. Each prints
// what it saw.
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

namespace {

void check(bool condition, const char* what) {
  if (condition) return;
  std::printf("FAILED: %s (%s)\n", what, std::strerror(errno));
  std::exit(1);
}

long long now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void sleep_ms(long milliseconds) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

void clocks() {
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
                                CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME,
                                CLOCK_TAI, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID}) {
    std::printf("clock %d: %lld\n", clock, now_ns(clock));
    timespec raw{};
    syscall(SYS_clock_gettime, clock, &raw);
    std::printf("raw %d: %ld.%09ld\n", clock, raw.tv_sec, raw.tv_nsec);
  }
  timeval day{};
  gettimeofday(&day, nullptr);
  std::printf("day %ld.%06ld time %ld clock %ld\n", day.tv_sec, day.tv_usec, std::time(nullptr),
              std::clock());
  unsigned aux = 0;
  const unsigned long long first = __rdtsc();
  const unsigned long long second = __rdtscp(&aux);
  std::printf("tsc %llu %llu cpu %d\n", first, second, sched_getcpu());
  const long long before = now_ns();
  sleep_ms(3'600'000);
  check(now_ns() - before >= 3'600'000'000'000LL, "an hour has passed");
  std::printf("an hour later %lld\n", now_ns(CLOCK_REALTIME));
}

/// Random numbers of the processor itself, which the supervisor gives whether there are any or not.
__attribute__((target("rdrnd,rdseed"))) void processor_randomness() {
  unsigned long long value = 0;
  check(_rdrand64_step(&value) == 1, "RDRAND");
  std::printf("rdrand %016llx\n", value);
  unsigned part = 0;
  check(_rdseed32_step(&part) == 1, "RDSEED");
  std::printf("rdseed %08x\n", part);
}

void randomness() {
  processor_randomness();
  unsigned long long value = 0;
  check(getrandom(&value, sizeof value, 0) == sizeof value, "getrandom");
  std::printf("getrandom %016llx\n", value);
  for (const char* path : {"/dev/urandom", "/dev/random"}) {
    const int fd = open(path, O_RDONLY);
    check(fd >= 0 && read(fd, &value, sizeof value) == sizeof value, path);
    std::printf("%s %016llx\n", path, value);
  }
  check(getentropy(&value, sizeof value) == 0, "getentropy");
  std::printf("getentropy %016llx\n", value);
  std::random_device device;
  std::printf("random_device %08x %08x\n", device(), device());
  int local = 0;
  std::printf("addresses %p %p %p\n", static_cast<void*>(&local), static_cast<void*>(new int),
              reinterpret_cast<void*>(&randomness));
  std::printf("pid %d tid %ld parent %d\n", getpid(), syscall(SYS_gettid), getppid());
  unsigned char stack_protector[16];
  std::memcpy(stack_protector, reinterpret_cast<void*>(getauxval(AT_RANDOM)), 16);
  std::printf("auxv");
  for (const unsigned char byte : stack_protector) std::printf(" %02x", byte);
  std::printf("\n");
  struct stat info {};
  stat("/usr/bin/env", &info);
  std::printf("inode %lu device %lu mtime %ld\n", info.st_ino, info.st_dev, info.st_mtime);
  FILE* file = std::fopen("/proc/self/stat", "r");
  std::printf("/proc/self/stat %s\n", file == nullptr ? "hidden" : "seen");
  file = std::fopen("/proc/sys/kernel/random/uuid", "r");
  std::printf("uuid %s\n", file == nullptr ? "hidden" : "seen");
}

void threads() {
  std::mutex mutex;
  std::condition_variable changed;
  std::string order;
  int turn = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < 12; ++i) {
    all.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        if ((round + i) % 5 == 0) sleep_ms(1 + i % 3);
        std::unique_lock lock(mutex);
        order += static_cast<char>('a' + i);
        ++turn;
        changed.notify_all();
        changed.wait_for(lock, std::chrono::milliseconds(2), [&] { return turn % 3 == 0; });
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  check(order.size() == 240, "every thread had its turns");
  std::printf("%s\n%lld\n", order.c_str(), now_ns());
}

std::atomic<int> g_signals{0};
void on_signal(int number, siginfo_t* info, void*) {
  g_signals += number == SIGALRM ? 1 : 100;
  if (number == SIGUSR2) g_signals += info->si_value.sival_int;
}

void install(int number, int flags) {
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | flags;
  sigaction(number, &action, nullptr);
}

void timers() {
  install(SIGALRM, 0);
  install(SIGUSR2, 0);
  const itimerval interval{{0, 100'000}, {0, 100'000}};
  setitimer(ITIMER_REAL, &interval, nullptr);
  long long begin = now_ns();
  while (g_signals < 5) pause();
  check(now_ns() - begin == 500'000'000, "five times 100 ms");
  const itimerval off{};
  setitimer(ITIMER_REAL, &off, nullptr);
  alarm(2);
  begin = now_ns();
  timespec rest{};
  const timespec long_sleep{10, 0};
  check(nanosleep(&long_sleep, &rest) == -1 && errno == EINTR, "the alarm ends the sleep");
  check(now_ns() - begin == 2'000'000'000 && rest.tv_sec == 8, "after two seconds");

  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR2;
  event.sigev_value.sival_int = 7;
  timer_t timer{};
  check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
  const itimerspec once{{0, 0}, {0, 250'000'000}};
  timer_settime(timer, 0, &once, nullptr);
  begin = now_ns();
  pause();
  std::printf("signals %d after %lld\n", g_signals.load(), now_ns() - begin);

  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec periodic{{0, 50'000'000}, {0, 30'000'000}};
  timerfd_settime(fd, 0, &periodic, nullptr);
  sleep_ms(200);
  unsigned long long count = 0;
  check(read(fd, &count, sizeof count) == sizeof count && count == 4, "four times in 200 ms");
  const int ready = epoll_create1(0);
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  epoll_ctl(ready, EPOLL_CTL_ADD, fd, &wanted);
  begin = now_ns();
  check(epoll_wait(ready, &wanted, 1, 1000) == 1, "the timer is ready");
  check(read(fd, &count, sizeof count) == sizeof count && count == 1, "once more");
  std::printf("timerfd after %lld\n", now_ns() - begin);
  begin = now_ns();
  check(poll(nullptr, 0, 123) == 0 && now_ns() - begin == 123'000'000, "poll waits");
  timeval limit{0, 77'000};
  begin = now_ns();
  check(select(0, nullptr, nullptr, nullptr, &limit) == 0 && now_ns() - begin == 77'000'000,
        "select waits");
}

void signals() {
  install(SIGUSR1, SA_RESTART);
  install(SIGALRM, 0);
  int ends[2];
  check(pipe(ends) == 0, "pipe");
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    sleep_ms(10);
    kill(parent, SIGUSR1);
    sleep_ms(10);
    check(write(ends[1], "x", 1) == 1, "write");
    sleep_ms(10);
    kill(parent, SIGALRM);
    _exit(3);
  }
  char byte = 0;
  check(read(ends[0], &byte, 1) == 1 && g_signals == 100, "a read is restarted");
  check(read(ends[0], &byte, 1) == -1 && errno == EINTR, "a read is interrupted");
  int status = 0;
  check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3, "waitpid");

  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  const timespec limit{1, 0};
  const long long begin = now_ns();
  check(sigtimedwait(&set, nullptr, &limit) == -1 && errno == EAGAIN, "no signal comes");
  check(now_ns() - begin == 1'000'000'000, "after a second");
  std::thread sender([&] {
    sleep_ms(5);
    kill(parent, SIGTERM);
  });
  check(sigtimedwait(&set, nullptr, &limit) == SIGTERM, "a signal comes");
  sender.join();
  const pid_t victim = fork();
  if (victim == 0) {
    for (;;) pause();
  }
  sleep_ms(1);
  kill(victim, SIGKILL);
  check(waitpid(victim, &status, 0) == victim && WIFSIGNALED(status), "SIGKILL");
  std::printf("signals %d at %lld\n", g_signals.load(), now_ns());
}

void processes() {
  int ends[2];
  check(pipe(ends) == 0, "pipe");
  for (int i = 0; i < 4; ++i) {
    if (fork() != 0) continue;
    sleep_ms(5 - i);
    dprintf(ends[1], "child %d is %d\n", i, getpid());
    execl("/bin/sh", "sh", "-c", "echo from the shell $$; exit 4", nullptr);
    _exit(1);
  }
  close(ends[1]);
  char text[256];
  ssize_t got = 0;
  while ((got = read(ends[0], text, sizeof text)) > 0)
    check(write(1, text, static_cast<std::size_t>(got)) == got, "write");
  int status = 0;
  pid_t child = 0;
  while ((child = wait(&status)) > 0) std::printf("%d ended with %d\n", child, WEXITSTATUS(status));
  FILE* shell = popen("cat | tr a-z A-Z", "w");
  std::fputs("piped text\n", shell);
  pclose(shell);
  check(std::system("sleep 5; echo slept") == 0, "system");
  std::printf("at %lld\n", now_ns());

  // A lock between processes, in shared memory.
  auto* lock = static_cast<pthread_mutex_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(lock, &attributes);
  pthread_mutex_lock(lock);
  if (fork() == 0) {
    pthread_mutex_lock(lock);
    std::printf("child has the lock at %lld\n", now_ns());
    std::fflush(stdout);
    pthread_mutex_unlock(lock);
    std::_Exit(0);
  }
  sleep_ms(20);
  pthread_mutex_unlock(lock);
  wait(nullptr);
  const int file = open("lock", O_RDWR | O_CREAT, 0600);
  check(flock(file, LOCK_EX) == 0, "flock");
  if (fork() == 0) {
    const int own = open("lock", O_RDWR);
    flock(own, LOCK_EX);
    std::printf("child has the file at %lld\n", now_ns());
    std::fflush(stdout);
    std::_Exit(0);
  }
  sleep_ms(30);
  flock(file, LOCK_UN);
  wait(nullptr);
}

void pipes() {
  int ends[2];
  check(pipe(ends) == 0, "pipe");
  std::string sent(1 << 20, 'x');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>('a' + i % 23);
  std::thread writer([&] {
    check(write(ends[1], sent.data(), sent.size()) == static_cast<ssize_t>(sent.size()),
          "one large write");
    close(ends[1]);
  });
  std::string received;
  char piece[10'000];
  for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;) {
    received.append(piece, static_cast<std::size_t>(got));
    if (received.size() % 7 == 0) sleep_ms(1);
  }
  writer.join();
  check(received == sent, "all bytes arrive");
  const int counter = eventfd(0, EFD_SEMAPHORE);
  std::vector<std::thread> takers;
  std::atomic<int> taken{0};
  for (int i = 0; i < 3; ++i) {
    takers.emplace_back([&] {
      unsigned long long value = 0;
      check(read(counter, &value, sizeof value) == sizeof value, "eventfd");
      ++taken;
    });
  }
  sleep_ms(1);
  const unsigned long long three = 3;
  check(write(counter, &three, sizeof three) == sizeof three, "eventfd");
  for (std::thread& taker : takers) taker.join();
  std::printf("%zu bytes, %d taken at %lld\n", received.size(), taken.load(), now_ns());
}

void spin(const std::string& how) {
  std::atomic<bool> is_done{false};
  const long long begin = now_ns();
  if (how == "clock") {
    while (now_ns() - begin < 50'000'000) {
    }
  } else if (how == "work") {  // every call does something, and time has to pass all the same
    int ends[2];
    char byte = 0;
    check(pipe(ends) == 0, "pipe");
    while (now_ns() - begin < 2'000'000) {
      check(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1, "a byte");
    }
  } else if (how == "past") {  // a moment that has come is not over yet
    const long long end = begin + 50'000'000;
    const timespec deadline{end / 1'000'000'000, end % 1'000'000'000};
    const int word = 0;
    do {
      syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, nullptr, ~0U);
      syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
    } while (now_ns() <= end);
  } else if (how == "past-poll") {
    for (long long left = 50'000'000; left >= 0; left = begin + 50'000'000 - now_ns()) {
      const timespec rest{0, left};
      ppoll(nullptr, 0, &rest, nullptr);
      const int word = 0;
      syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
      sched_yield();
    }
  } else if (how == "tsc") {
    const unsigned long long from = __rdtsc();
    while (__rdtsc() - from < 1'000'000) {
    }
  } else if (how == "cpu") {
    const std::clock_t from = std::clock();
    while (std::clock() - from < 1000) {
    }
  } else {
    std::thread other([&] {
      sleep_ms(20);
      is_done = true;
    });
    while (!is_done) {
      if (how == "yield") std::this_thread::yield();
      if (how == "pause") _mm_pause();
      if (how == "poll") poll(nullptr, 0, 0);
    }
    other.join();
  }
  std::printf("%s for %lld\n", how.c_str(), now_ns() - begin);
}

sockaddr_in address(const char* ip, int port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, ip, &result.sin_addr);
  return result;
}

const sockaddr* generic(const sockaddr_in& value) {
  return reinterpret_cast<const sockaddr*>(&value);
}

/// Answers datagrams with their senders' addresses.
/// All that is answered without a stop, and what only looks like it.
void inside() {
  install(SIGPIPE, 0);
  char bytes[64] = {};
  int ends[2];
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "socketpair");
  const auto say = [](const char* what, long result) {
    std::printf("%s %ld %s\n", what, result, result < 0 ? std::strerror(errno) : "");
  };
  say("recv", recv(ends[0], bytes, sizeof bytes, 0));
  say("send", send(ends[1], "hello", 5, 0));
  say("peek", recv(ends[0], bytes, sizeof bytes, MSG_PEEK));
  say("read", read(ends[0], bytes, 2));
  iovec piece{bytes, sizeof bytes};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  say("recvmsg", recvmsg(ends[0], &message, 0));
  say("sendmsg", sendmsg(ends[0], &message, 0));
  long filled = 0;
  for (long got = 0; (got = write(ends[0], bytes, sizeof bytes)) > 0;) filled += got;
  say("filled", filled);
  say("bad address", recv(ends[1], reinterpret_cast<void*>(8), 8, 0));
  say("accept on a stream", accept(ends[1], nullptr, nullptr));
  close(ends[1]);
  say("write to nobody", write(ends[0], "x", 1));
  say("send to nobody", send(ends[0], "x", 1, 0));
  say("quietly", send(ends[0], "x", 1, MSG_NOSIGNAL));
  say("signals", g_signals);
  say("closed", read(ends[1], bytes, 1));
  say("closed", write(ends[1], bytes, 1));
  check(pipe2(ends, O_NONBLOCK) == 0, "pipe");
  say("pipe", read(ends[0], bytes, 1));
  say("pipe", write(ends[1], "abc", 3));
  say("pipe", read(ends[0], bytes, 9));
  const int event = eventfd(0, EFD_NONBLOCK);
  unsigned long long number = 7;
  say("event", write(event, &number, sizeof number));
  say("event", read(event, &number, sizeof number));
  say("event", read(event, &number, sizeof number));
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  say("timer", read(timer, &number, sizeof number));
  const int udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  say("datagram", recv(udp, bytes, sizeof bytes, 0));
  const int file = open("/node/inside", O_RDWR | O_CREAT, 0600);
  say("file", write(file, "0123456789", 10));
  say("file", pwrite(file, "ab", 2, 4));
  say("file", lseek(file, 0, SEEK_SET));
  say("file", read(file, bytes, sizeof bytes));
  bytes[10] = 0;
  std::printf("%s\n", bytes);
  const int synced = open("/node/inside", O_WRONLY | O_SYNC);
  say("synced", write(synced, "x", 1));
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  check(listen(listener, 4) == 0, "listen");
  say("accept", accept(listener, nullptr, nullptr));
  say("accept4", accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  const int poller = epoll_create1(0);
  epoll_event wanted{EPOLLIN, {.u64 = 5}};
  epoll_ctl(poller, EPOLL_CTL_ADD, event, &wanted);
  epoll_event ready{};
  const long long before = now_ns();
  for (int i = 0; i < 250; ++i) check(epoll_wait(poller, &ready, 1, 0) == 0, "nothing is ready");
  std::printf("waited %lld\n", now_ns() - before);
  number = 1;
  check(write(event, &number, sizeof number) == 8, "event");
  say("ready", epoll_wait(poller, &ready, 1, 0));
  say("no room", epoll_wait(poller, &ready, 0, 0));
  check(read(event, &number, sizeof number) == 8, "event");
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "socketpair");
  for (int i = 0; i < 6000; ++i) check(recv(ends[0], bytes, 1, 0) < 0, "empty");
  // Wake-ups, of nobody and of several, by number.
  static int word = 0;
  const auto wake = [](int count) {
    return syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
  };
  say("wake", wake(1));
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 5; ++i) {
    sleepers.emplace_back([i] {
      syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
      std::printf("woken %d\n", i);
    });
  }
  sleep_ms(1);
  say("wake", wake(0));
  say("wake", wake(2));
  say("wake", wake(1));
  say("wake", wake(10));
  say("wake", wake(1));
  for (std::thread& sleeper : sleepers) sleeper.join();
  // Children have the code, too, and one shares the memory until it runs a program of its own.
  std::fflush(stdout);
  if (fork() == 0) {
    for (int i = 0; i < 100; ++i) check(read(event, &number, sizeof number) < 0, "empty");
    _exit(3);
  }
  int status = 0;
  wait(&status);
  say("child", WEXITSTATUS(status));
  const pid_t shared = vfork();
  if (shared == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  waitpid(shared, &status, 0);
  say("program", WEXITSTATUS(status));
  for (int i = 0; i < 100; ++i) check(read(event, &number, sizeof number) < 0, "empty");
}

void udp_server() {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in own = address("0.0.0.0", 9000);
  check(bind(fd, generic(own), sizeof own) == 0, "bind");
  for (;;) {
    char text[1500];
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const ssize_t got =
        recvfrom(fd, text, sizeof text, 0, reinterpret_cast<sockaddr*>(&from), &length);
    check(got >= 0, "recvfrom");
    char reply[1600];
    const int size = std::snprintf(reply, sizeof reply, "%.*s from %s:%d", static_cast<int>(got),
                                   text, inet_ntoa(from.sin_addr), ntohs(from.sin_port));
    sendto(fd, reply, static_cast<std::size_t>(size), 0, generic(from), length);
  }
}

void udp_client(const char* server) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in to = address(server, 9000);
  for (int i = 0; i < 20; ++i) {
    const std::string text = "message " + std::to_string(i);
    check(sendto(fd, text.data(), text.size(), 0, generic(to), sizeof to) > 0, "sendto");
    pollfd state{fd, POLLIN, 0};
    if (poll(&state, 1, 100) == 0) {
      std::printf("no answer to %d\n", i);
      continue;
    }
    char reply[1600];
    const ssize_t got = recv(fd, reply, sizeof reply, 0);
    std::printf("%lld %.*s\n", now_ns(), static_cast<int>(got), reply);
  }
}

/// Lines come back in capitals; one thread per connection.
void tcp_server() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in own = address("0.0.0.0", 9000);
  check(bind(fd, generic(own), sizeof own) == 0 && listen(fd, 16) == 0, "listen");
  for (;;) {
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const int connection = accept(fd, reinterpret_cast<sockaddr*>(&from), &length);
    check(connection >= 0, "accept");
    std::printf("%lld from %s:%d\n", now_ns(), inet_ntoa(from.sin_addr), ntohs(from.sin_port));
    std::fflush(stdout);
    std::thread([connection] {
      char piece[65536];
      for (ssize_t got = 0; (got = read(connection, piece, sizeof piece)) > 0;) {
        for (ssize_t i = 0; i < got; ++i) piece[i] = static_cast<char>(std::toupper(piece[i]));
        check(send(connection, piece, static_cast<std::size_t>(got), 0) == got, "send");
      }
      close(connection);
    }).detach();
  }
}

void tcp_client(const char* server) {
  const sockaddr_in to = address(server, 9000);
  const int nobody = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in closed = address(server, 9999);
  const long long begin = now_ns();
  check(connect(nobody, generic(closed), sizeof closed) == -1 && errno == ECONNREFUSED, "refused");
  std::printf("refused after %lld\n", now_ns() - begin);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  check(connect(fd, generic(to), sizeof to) == -1 && errno == EINPROGRESS, "in progress");
  pollfd state{fd, POLLOUT, 0};
  check(poll(&state, 1, 0) == 0, "not yet");
  check(poll(&state, 1, 5000) == 1, "connected");
  int error = -1;
  socklen_t length = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  check(error == 0, "no error");
  fcntl(fd, F_SETFL, 0);
  std::string large(3 << 20, 'q');
  std::thread writer([&] {
    check(write(fd, large.data(), large.size()) == static_cast<ssize_t>(large.size()), "write");
    shutdown(fd, SHUT_WR);
  });
  std::size_t received = 0;
  char piece[65536];
  for (ssize_t got = 0; (got = read(fd, piece, sizeof piece)) > 0;) {
    received += static_cast<std::size_t>(got);
    check(piece[0] == 'Q', "capitals");
  }
  writer.join();
  std::printf("%zu bytes at %lld\n", received, now_ns());
  check(received == large.size(), "all bytes");
}

/// Writes numbers, synced up to some, then waits to lose power.
void disk(const char* synced) {
  const int fd = open("numbers", O_RDWR | O_CREAT | O_APPEND, 0600);
  for (int i = 0; i < 100; ++i) {
    char line[16];
    const int size = std::snprintf(line, sizeof line, "%d\n", i);
    check(write(fd, line, static_cast<std::size_t>(size)) == size, "write");
    if (i == std::atoi(synced)) check(fsync(fd) == 0, "fsync");
  }
  std::printf("written at %lld\n", now_ns());
  std::fflush(stdout);
  for (;;) pause();
}

void folder() {
  for (int i = 0; i < 8; ++i) {
    close(open(("file" + std::to_string(i * 7 % 8)).c_str(), O_CREAT | O_WRONLY, 0600));
  }
  DIR* dir = opendir(".");
  for (const dirent* entry = readdir(dir); entry != nullptr; entry = readdir(dir)) {
    std::printf("%s %lu\n", entry->d_name, entry->d_ino);
  }
}

void unknown() {
  std::printf("%ld\n", syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 0));
}

/// A thread that is not the first puts another program in the place of all.
void replace() {
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 3; ++i) sleepers.emplace_back([] { sleep(100); });
  std::thread([] { execl("/bin/echo", "echo", "replaced", nullptr); }).join();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  const char* const more = argc > 2 ? argv[2] : "";
  const std::map<std::string, void (*)()> plain{
      {"clocks", clocks},  {"random", randomness},     {"threads", threads},
      {"timers", timers},  {"signals", signals},       {"processes", processes},
      {"pipes", pipes},    {"udp-server", udp_server}, {"tcp-server", tcp_server},
      {"folder", folder},  {"unknown", unknown},       {"inside", inside},
      {"replace", replace}};
  if (const auto found = plain.find(word); found != plain.end()) {
    found->second();
  } else if (word == "spin") {
    spin(more);
  } else if (word == "udp-client") {
    udp_client(more);
  } else if (word == "tcp-client") {
    tcp_client(more);
  } else if (word == "disk") {
    disk(more);
  } else {
    std::fprintf(stderr, "subject: what is '%s'?\n", word.c_str());
    return 2;
  }
}
