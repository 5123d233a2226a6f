// Programs that try to do harm: hostile <word>. Each is expected to be contained.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

void fork_bomb() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  for (int i = 0; i < 20; ++i) {
    if (fork() < 0) std::printf("no more\n");
  }
  for (;;) pause();
}

void fill_disk() {
  const int fd = open("large", O_CREAT | O_WRONLY, 0600);
  const std::vector<char> piece(1 << 20, 'x');
  long written = 0;
  std::signal(SIGXFSZ, SIG_IGN);
  while (write(fd, piece.data(), piece.size()) > 0) ++written;
  std::printf("%ld MiB, then %s\n", written, std::strerror(errno));
}

void reach_network() {
  for (const char* ip : {"8.8.8.8", "10.0.0.1", "169.254.169.254"}) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(53);
    inet_pton(AF_INET, ip, &to.sin_addr);
    const int result = connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    std::printf("%s: %s\n", ip, result == 0 ? "CONNECTED" : std::strerror(errno));
    const int datagram = socket(AF_INET, SOCK_DGRAM, 0);
    const ssize_t sent =
        sendto(datagram, "x", 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    std::printf("%s: %s\n", ip, sent == 1 ? "SENT" : std::strerror(errno));
  }
  std::printf("raw: %s\n", socket(AF_INET, SOCK_RAW, 1) >= 0 ? "OPEN" : std::strerror(errno));
  std::printf("packet: %s\n", socket(AF_PACKET, SOCK_RAW, 0) >= 0 ? "OPEN" : std::strerror(errno));
}

void try_path(const char* path, int flags) {
  const int fd = open(path, flags, 0600);
  std::printf("%s: %s\n", path, fd >= 0 ? "OPENED" : std::strerror(errno));
}

void escape(const char* secret) {
  try_path(secret, O_RDONLY);
  try_path("/etc/shadow", O_RDONLY);
  try_path("/root/x", O_CREAT | O_WRONLY);
  try_path("/usr/bin/dissensus-was-here", O_CREAT | O_WRONLY);
  try_path("../../../../../../home", O_RDONLY);
  try_path("/proc/1/root/etc/shadow", O_RDONLY);
  try_path("/dev/mem", O_RDONLY);
  try_path("/dev/vda", O_RDONLY);
  std::printf("chroot: %s\n", chroot("/node") == 0 ? "DONE" : std::strerror(errno));
  std::printf("mount: %s\n",
              mount("proc", "/node", "proc", 0, nullptr) == 0 ? "DONE" : std::strerror(errno));
  std::printf("mknod: %s\n",
              mknod("disk", S_IFBLK | 0600, 0xfd00) == 0 ? "DONE" : std::strerror(errno));
  std::printf("ptrace: %s\n",
              ptrace(PTRACE_ATTACH, 1, nullptr, nullptr) == 0 ? "DONE" : std::strerror(errno));
  std::printf("kill 1: %s\n", kill(1, SIGKILL) == 0 ? "DONE" : std::strerror(errno));
  std::printf("kill all: %s\n", kill(-1, SIGKILL) == 0 ? "DONE" : std::strerror(errno));
  std::printf("setuid: %s\n", setuid(0) == 0 ? "DONE" : std::strerror(errno));
}

void much_output(const char* megabytes) {
  const std::vector<char> piece(1 << 20, 'o');
  for (long i = 0; i < std::atol(megabytes); ++i) {
    if (write(1, piece.data(), piece.size()) < 0) return;
  }
}

void much_memory() {
  std::vector<char*> pieces;
  for (;;) {
    auto* piece = static_cast<char*>(std::malloc(16 << 20));
    if (piece == nullptr) break;
    std::memset(piece, 1, 16 << 20);
    pieces.push_back(piece);
  }
  std::printf("%zu pieces, then %s\n", pieces.size(), std::strerror(errno));
}

void ignore_signals() {
  for (int number = 1; number < 32; ++number) std::signal(number, SIG_IGN);
  std::printf("deaf\n");
  std::fflush(stdout);
  for (;;) pause();
}

/// Several processes that never rest and hear no signal.
void restless() {
  for (int number = 1; number < 32; ++number) std::signal(number, SIG_IGN);
  for (int i = 0; i < 3; ++i) {
    if (fork() < 0) return;
  }
  for (;;) usleep(100);
}

void compute() {
  volatile unsigned long value = 0;
  for (;;) value = value * 3 + 1;
}

/// The first thread computes while others wait.
void compute_before_threads() {
  for (int i = 0; i < 3; ++i) {
    std::thread([] {
      for (;;) pause();
    }).detach();
  }
  usleep(1000);
  compute();
}

/// The first thread dies of a signal while another one waits.
void crash_among_threads() {
  std::thread([] { pause(); }).detach();
  usleep(10'000);
  std::raise(SIGSEGV);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  const char* const more = argc > 2 ? argv[2] : "";
  if (word == "fork-bomb") fork_bomb();
  if (word == "fill-disk") fill_disk();
  if (word == "network") reach_network();
  if (word == "escape") escape(more);
  if (word == "output") much_output(more);
  if (word == "memory") much_memory();
  if (word == "deaf") ignore_signals();
  if (word == "restless") restless();
  if (word == "compute") compute();
  if (word == "crash-among-threads") crash_among_threads();
  if (word == "compute-with-threads") compute_before_threads();
  return 0;
}
