#include "host/keeper.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dissensus::host {

namespace {

/// Says what failed, for Sandbox, and ends.
[[noreturn]] void fail(int channel, const std::string& what) {
  const std::string text = what + ": " + std::strerror(errno);
  if (send(channel, text.data(), text.size(), MSG_NOSIGNAL) < 0) _exit(3);
  _exit(2);
}

void write_text(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  close(fd);
}

void make_folders(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0755);
  }
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// Shows a file or folder of the system at the same place of the view.
bool show(const std::string& view, const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return true;
  const std::string target = view + path;
  make_folders(target);
  if (S_ISLNK(info.st_mode)) {
    std::array<char, 4096> text{};
    if (readlink(path.c_str(), text.data(), text.size() - 1) < 0) return false;
    return symlink(text.data(), target.c_str()) == 0 || errno == EEXIST;
  }
  if (S_ISDIR(info.st_mode)) {
    mkdir(target.c_str(), 0755);
  } else {
    close(open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  }
  return mount(path.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

/// The processor as it is, without what differs from moment to moment or must not be used.
std::string processor_text() {
  std::string text;
  FILE* file = std::fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return text;
  std::array<char, 8192> line{};
  while (std::fgets(line.data(), line.size(), file) != nullptr && line[0] != '\n') {
    std::string_view content(line.data());
    if (content.starts_with("cpu MHz") || content.starts_with("bogomips") ||
        content.find("apicid") != content.npos || content.starts_with("physical id") ||
        content.starts_with("siblings") || content.starts_with("core id") ||
        content.starts_with("cpu cores")) {
      continue;
    }
    std::string kept(content);
    for (const std::string_view flag : {" rdrand", " rdseed", " rtm", " hle"}) {
      if (const std::size_t at = kept.find(flag); at != kept.npos) kept.erase(at, flag.size());
    }
    text += kept;
  }
  std::fclose(file);
  return text + "\n";
}

struct TextFile {
  const char* path;
  std::string text;
};

/// Files whose true content would differ from run to run or machine to machine.
std::vector<TextFile> made_up_files(const KeeperPlan& plan) {
  std::string hosts = "127.0.0.1 localhost\n::1 localhost\n";
  for (std::size_t i = 0; i < plan.machines.size(); ++i) {
    const std::uint32_t ip = address_of(static_cast<MachineId>(i));
    hosts += to_string(Endpoint{ip, 0}).substr(0, to_string(Endpoint{ip, 0}).find(':')) + " " +
             plan.machines[i] + "\n";
  }
  return {
      {"/etc/passwd",
       "root:x:0:0:root:/:/bin/sh\nnode:x:1000:1000:node:/node:/bin/sh\n"
       "nobody:x:65534:65534:nobody:/node:/bin/sh\n"},
      {"/etc/group", "root:x:0:\nnode:x:1000:\nnogroup:x:65534:\n"},
      {"/etc/hosts", hosts},
      {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
      {"/etc/resolv.conf", ""},
      {"/etc/host.conf", "multi on\n"},
      {"/proc/cpuinfo", processor_text()},
      {"/proc/meminfo",
       "MemTotal:        8388608 kB\nMemFree:         6291456 kB\n"
       "MemAvailable:    6291456 kB\nBuffers:               0 kB\n"
       "Cached:          1048576 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n"},
      {"/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\nbtime 1798760600\n"},
      {"/proc/loadavg", "0.00 0.00 0.00 1/64 64\n"},
      {"/proc/uptime", "1000.00 1000.00\n"},
      {"/sys/devices/system/cpu/online", "0\n"},
      {"/sys/devices/system/cpu/possible", "0\n"}};
}

void build_view(const KeeperPlan& plan, int channel, const std::string& base) {
  const std::string view = base + "/view";
  if (mount(view.c_str(), view.c_str(), nullptr, MS_BIND, nullptr) != 0) fail(channel, "bind");
  for (const char* folder : {"/etc", "/dev", "/dev/shm", "/dev/pts", "/proc", "/sys",
                             "/sys/devices", "/sys/devices/system", "/sys/devices/system/cpu",
                             "/node", "/run", "/var", "/var/lib", "/var/run"}) {
    mkdir((view + folder).c_str(), 0755);
  }
  const char* system[] = {"/usr",          "/lib",           "/lib64",       "/lib32",
                          "/bin",          "/sbin",          "/etc/ssl",     "/etc/alternatives",
                          "/etc/services", "/etc/protocols", "/dev/null",    "/dev/zero",
                          "/dev/full",     "/dev/random",    "/dev/urandom", "/dev/tty"};
  for (const char* path : system) {
    if (!show(view, path)) fail(channel, std::string("cannot show ") + path);
  }
  for (const std::string& path : plan.visible) {
    if (!show(view, path)) fail(channel, "cannot show " + path);
  }
  if (symlink("/node/tmp", (view + "/tmp").c_str()) != 0 && errno != EEXIST) {
    fail(channel, "cannot make /tmp");
  }
  constexpr std::array<std::pair<const char*, const char*>, 5> kDevices{
      {{"pts/ptmx", "/dev/ptmx"},
       {"/proc/self/fd", "/dev/fd"},
       {"/proc/self/fd/0", "/dev/stdin"},
       {"/proc/self/fd/1", "/dev/stdout"},
       {"/proc/self/fd/2", "/dev/stderr"}}};
  for (const auto& [target, name] : kDevices) {
    if (symlink(target, (view + name).c_str()) != 0 && errno != EEXIST) {
      fail(channel, "cannot make a link in /dev");
    }
  }
  if (mount("proc", (view + "/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) !=
      0) {
    fail(channel, "cannot mount a /proc of its own");
  }
  const std::string texts = base + "/texts";
  mkdir(texts.c_str(), 0755);
  int number = 0;
  for (const TextFile& file : made_up_files(plan)) {
    const std::string target = view + file.path;
    if (std::string_view(file.path).starts_with("/proc/")) {
      const std::string source = texts + "/" + std::to_string(number++);
      write_text(source, file.text);
      if (mount(source.c_str(), target.c_str(), nullptr, MS_BIND, nullptr) != 0) {
        fail(channel, std::string("cannot cover ") + file.path);
      }
    } else {
      write_text(target, file.text);
    }
  }
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  if (syscall(SYS_mount_setattr, AT_FDCWD, view.c_str(), AT_RECURSIVE, &attributes,
              sizeof attributes) != 0) {
    fail(channel, "cannot make the view read only");
  }
  if (mount("devpts", (view + "/dev/pts").c_str(), "devpts", MS_NOSUID | MS_NOEXEC,
            "newinstance,ptmxmode=0666,mode=0620") != 0) {
    fail(channel, "cannot mount terminals");
  }
}

/// Where the memory file system is mounted: over a folder that nobody needs to see.
std::string mount_point(const KeeperPlan& plan) {
  for (const char* candidate : {"/mnt", "/media", "/srv", "/opt", "/home", "/tmp"}) {
    bool is_needed = !is_folder(candidate);
    for (const std::string& path : plan.visible) {
      is_needed = is_needed || path.starts_with(std::string(candidate) + "/");
    }
    if (!is_needed) return candidate;
  }
  return "/tmp";
}

void send_handle(int channel, int fd) {
  char text = 'R';
  iovec data{&text, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  if (sendmsg(channel, &message, MSG_NOSIGNAL) < 0) _exit(2);
}

struct Request {
  const char* machine = nullptr;
  bool has_limit = true;  ///< of addresses
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::array<int, 4> handles{-1, -1, -1, -1};
};

/// False: the channel is closed.
bool receive_request(int channel, std::vector<char>& buffer, Request& request) {
  iovec data{buffer.data(), buffer.size() - 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  while ((got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (got <= 0) return false;
  buffer[static_cast<std::size_t>(got)] = '\0';
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr) {
    std::memcpy(request.handles.data(), CMSG_DATA(header), sizeof request.handles);
  }
  char* at = buffer.data();
  const char* const end = at + got;
  const auto next = [&] {
    char* text = at;
    at += std::strlen(at) + 1;
    return text;
  };
  request.machine = next();
  request.has_limit = std::strcmp(next(), "limited") == 0;
  const long count = std::atol(next());
  for (long i = 0; i < count && at < end; ++i) request.arguments.push_back(next());
  while (at < end) request.environment.push_back(next());
  request.arguments.push_back(nullptr);
  request.environment.push_back(nullptr);
  return true;
}

void set_limit(__rlimit_resource resource, rlim_t value) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_cur = std::min(value, limit.rlim_max);
  limit.rlim_max = limit.rlim_cur;
  setrlimit(resource, &limit);
}

unsigned program_user(const KeeperPlan& plan) {
  return plan.has_user_namespace ? kUser : kNobody;
}

/// Nothing that a program could use to leave is left to it.
void drop_privileges(const KeeperPlan& plan) {
  for (int capability = 0; capability <= CAP_LAST_CAP; ++capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  if (geteuid() == 0) {
    const unsigned user = program_user(plan);
    if (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 ||
        setresuid(user, user, user) != 0) {
      _exit(2);
    }
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  syscall(SYS_capset, &header, none.data());
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/// Who asks everything that has our name to end means us: keepers end when we do.
constexpr std::array kRequestsToEnd{SIGTERM, SIGINT, SIGHUP, SIGQUIT};

[[noreturn]] void give_reason(int control, const char* what) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), "%s: %s", what, std::strerror(errno));
  if (write(control, text.data(), std::strlen(text.data())) < 0) _exit(126);
  _exit(127);
}

/// Of a machine: a network of its own, in which nothing is, keeps names of local sockets apart.
int network_of(const KeeperPlan& plan, const std::vector<int>& networks, const char* machine) {
  const auto found = std::find(plan.machines.begin(), plan.machines.end(), machine);
  return found == plan.machines.end()
             ? -1
             : networks[static_cast<std::size_t>(found - plan.machines.begin())];
}

[[noreturn]] void become_program(const KeeperPlan& plan, Request& request, const std::string& base,
                                 const std::vector<int>& networks) {
  const int control = fcntl(request.handles[3], F_DUPFD_CLOEXEC, 100);
  const std::string folder = base + "/machines/" + request.machine;
  const std::string memory = base + "/memory/" + request.machine;
  const std::string view = base + "/view";
  if (setns(network_of(plan, networks, request.machine), CLONE_NEWNET) != 0) {
    give_reason(control, "the network of the machine");
  }
  if (unshare(CLONE_NEWNS | CLONE_NEWUTS) != 0 ||
      sethostname(request.machine, std::strlen(request.machine)) != 0 ||
      mount(folder.c_str(), (view + "/node").c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      mount(memory.c_str(), (view + "/dev/shm").c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      chdir(view.c_str()) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 ||
      umount2(".", MNT_DETACH) != 0 || chdir("/node") != 0) {
    give_reason(control, "the view of the machine");
  }
  for (int i = 0; i < 3; ++i) dup2(request.handles[static_cast<std::size_t>(i)], i);
  close_range(3, static_cast<unsigned>(control) - 1, 0);
  close_range(static_cast<unsigned>(control) + 1, ~0U, 0);
  for (const int number : kRequestsToEnd) std::signal(number, SIG_DFL);
  setsid();
  umask(022);
  personality(ADDR_NO_RANDOMIZE);
  set_limit(RLIMIT_STACK, 8 << 20);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_NOFILE, 4096);
  if (request.has_limit) set_limit(RLIMIT_DATA, plan.memory_bytes);
  set_limit(RLIMIT_MEMLOCK, 64 << 10);
  drop_privileges(plan);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  char go = 'R';
  if (write(control, &go, 1) != 1 || read(control, &go, 1) != 1) _exit(126);
  const sock_fprog program{static_cast<unsigned short>(plan.filter.size()),
                           const_cast<sock_filter*>(plan.filter.data())};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) {
    give_reason(control, "the filter");
  }
  execve(request.arguments[0], request.arguments.data(), request.environment.data());
  give_reason(control, request.arguments[0]);
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  for (const int number : kRequestsToEnd) std::signal(number, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Other descriptors of this program would stay open here after it closed them.
int keep_only(int channel) {
  const int own = fcntl(channel, F_DUPFD_CLOEXEC, 3);
  dup2(own, 3);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3; ++i) dup2(nothing, i);
  close_range(4, ~0U, 0);
  return 3;
}

std::vector<int> make_networks(const KeeperPlan& plan, int channel) {
  std::vector<int> networks;
  for (std::size_t i = 0; i < plan.machines.size(); ++i) {
    if (unshare(CLONE_NEWNET) != 0) fail(channel, "no network for a machine");
    networks.push_back(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    if (networks.back() < 0) fail(channel, "cannot keep the network of a machine");
  }
  return networks;
}

[[noreturn]] void run_keeper(const KeeperPlan& plan, int channel) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    fail(channel, "cannot leave the shared mounts");
  }
  const std::string base = mount_point(plan);
  const std::string options = "mode=0755,size=" + std::to_string(plan.folder_bytes);
  if (mount("dissensus", base.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    fail(channel, "cannot mount a file system in memory");
  }
  umask(0);
  for (const char* folder : {"/view", "/machines", "/memory", "/net"}) {
    mkdir((base + folder).c_str(), 0755);
  }
  const std::vector<int> networks = make_networks(plan, channel);
  for (const std::string& machine : plan.machines) {
    const std::string folder = base + "/machines/" + machine;
    mkdir(folder.c_str(), 0755);
    mkdir((folder + "/tmp").c_str(), 0755);
    mkdir((base + "/memory/" + machine).c_str(), 01777);
    for (const std::string& path : {folder, folder + "/tmp"}) {
      if (geteuid() == 0 && chown(path.c_str(), program_user(plan), program_user(plan)) != 0) {
        fail(channel, "chown");
      }
    }
  }
  build_view(plan, channel, base);
  const int root = open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) fail(channel, "cannot open the file system in memory");
  send_handle(channel, root);
  close(root);
  std::vector<char> buffer(kRequestBytesMax);
  for (;;) {
    Request request;
    if (!receive_request(channel, buffer, request)) _exit(0);
    while (waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
    }
    const pid_t child = fork();
    if (child == 0) become_program(plan, request, base, networks);
    for (const int handle : request.handles) close(handle);
  }
}

}  // namespace

void enter_namespaces(KeeperPlan plan, int channel) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  channel = keep_only(channel);
  setsid();
  reset_signals();
  plan.has_user_namespace = unshare(CLONE_NEWUSER) == 0;
  const char first = plan.has_user_namespace ? kHasUserNamespace : kNoUserNamespace;
  char go = 0;
  if (send(channel, &first, 1, MSG_NOSIGNAL) != 1 || recv(channel, &go, 1, 0) != 1) _exit(2);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // a change of identity may have taken it away
  if (unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0) {
    fail(channel, "no namespaces");
  }
  const pid_t keeper = fork();
  if (keeper == 0) run_keeper(plan, channel);
  close(channel);
  while (waitpid(keeper, nullptr, 0) < 0 && errno == EINTR) {
  }
  _exit(0);
}

}  // namespace dissensus::host
