#include "host/sandbox.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dissensus/options.h"

#include "host/filter.h"
#include "host/instrumented.h"
#include "host/keeper.h"

namespace dissensus::host {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw OutsideError("programs cannot be run in virtual time here: " + what);
}

std::array<Handle, 2> make_channel(int type) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail(fmt::format("no socket pair: {}", std::strerror(errno)));
  }
  return {Handle(ends[0]), Handle(ends[1])};
}

bool write_line(const std::string& path, const std::string& line) {
  const Handle file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

/// The user of the sandbox is us, or nobody if we are root.
bool map_users(pid_t keeper) {
  const std::string folder = fmt::format("/proc/{}/", keeper);
  const bool is_root = geteuid() == 0;
  if (!is_root && !write_line(folder + "setgroups", "deny")) return false;
  // Root has to be known, too: files that we make there are root's.
  const std::string ours = is_root ? "0 0 1\n" : "";
  const unsigned user = is_root ? kNobody : geteuid();
  const unsigned group = is_root ? kNobody : getegid();
  return write_line(folder + "uid_map", fmt::format("{}{} {} 1", ours, kUser, user)) &&
         write_line(folder + "gid_map", fmt::format("{}{} {} 1", ours, kUser, group));
}

KeeperPlan keeper_plan(const Plan& plan) {
  KeeperPlan keeper;
  for (const Machine& machine : plan.machines) keeper.machines.push_back(machine.name);
  for (const std::string& path : plan.visible) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    if (error) throw InputError(fmt::format("{}: there is no such file", path));
    if (!real.string().starts_with("/usr/")) keeper.visible.push_back(real.string());
    if (real != path && !path.starts_with("/usr/")) keeper.visible.push_back(path);
  }
  keeper.filter = make_call_filter();
  keeper.memory_bytes = plan.limits.memory_bytes;
  keeper.folder_bytes = plan.limits.folder_bytes;
  return keeper;
}

}  // namespace

bool has_process_ended(pid_t child) {
  siginfo_t info{};
  const int result =
      waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
  return result != 0 ? errno == ECHILD : info.si_pid != 0;
}

Sandbox::Sandbox(const Plan& plan) {
#if !defined(__x86_64__)
  fail("this needs an x86-64 processor");
#endif
  KeeperPlan keeper = keeper_plan(plan);
  std::array<Handle, 2> channel = make_channel(SOCK_SEQPACKET);
  keeper_ = fork();
  if (keeper_ == 0) enter_namespaces(keeper, channel[1].get());
  if (keeper_ < 0) fail(fmt::format("no process is left ({})", std::strerror(errno)));
  channel[1] = Handle();
  channel_ = std::move(channel[0]);
  const auto give_up = [&](const std::string& why) {
    ::kill(keeper_, SIGKILL);
    waitpid(keeper_, nullptr, __WALL);
    fail(why);
  };
  char first = 0;
  if (recv(channel_.get(), &first, 1, 0) != 1) give_up("the sandbox ended");
  if (first == kNoUserNamespace && geteuid() != 0) {
    give_up("no user namespaces; be root, or allow them");
  }
  if (first == kHasUserNamespace && !map_users(keeper_)) give_up("no user map for the namespace");
  if (send(channel_.get(), "G", 1, MSG_NOSIGNAL) != 1) give_up("the sandbox ended");

  std::array<char, 1024> text{};
  iovec data{text.data(), text.size() - 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (recvmsg(channel_.get(), &message, MSG_CMSG_CLOEXEC) <= 0) give_up("the sandbox ended");
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) give_up(text.data());
  int root = -1;
  std::memcpy(&root, CMSG_DATA(header), sizeof root);
  root_handle_ = Handle(root);
  root_ = fmt::format("/proc/self/fd/{}", root);
}

Sandbox::~Sandbox() {
  channel_ = Handle();  // the keeper ends, and its namespace with it
  while (waitpid(keeper_, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

Sandbox::Launch Sandbox::launch(const Machine& machine, const Program& program,
                                const Streams& streams) {
  const bool has_limit = !is_instrumented(program.command.front());
  std::string text = machine.name + '\0' + (has_limit ? "limited" : "any") + '\0' +
                     std::to_string(program.command.size()) + '\0';
  for (const std::string& argument : program.command) text += argument + '\0';
  for (const char* common :
       {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/node",
        "LANG=C.UTF-8", "TMPDIR=/node/tmp", "TZ=UTC", "USER=node"}) {
    text += common;
    text += '\0';
  }
  // The search for leaks at a program's end needs ptrace, which is ours.
  const bool has_options = std::any_of(
      program.environment.begin(), program.environment.end(),
      [](const std::string& variable) { return variable.starts_with("ASAN_OPTIONS="); });
  if (!has_limit && !has_options)
    text += std::string("ASAN_OPTIONS=detect_leaks=0:color=never") + '\0';
  for (const std::string& variable : program.environment) text += variable + '\0';
  if (text.size() >= kRequestBytesMax) throw OutsideError("the command is too long");

  std::array<Handle, 2> control = make_channel(SOCK_STREAM);
  const int yes = 1;
  setsockopt(control[0].get(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
  const std::array<int, 4> handles{streams.input, streams.output, streams.errors, control[1].get()};
  iovec data{text.data(), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof handles)> rights{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = rights.data();
  message.msg_controllen = rights.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof handles);
  std::memcpy(CMSG_DATA(header), handles.data(), sizeof handles);
  if (sendmsg(channel_.get(), &message, MSG_NOSIGNAL) < 0) throw OutsideError("the sandbox ended");
  control[1] = Handle();

  // The process says that it is ready; the kernel says who it is, in our numbers.
  std::array<char, 512> answer{};
  iovec answer_data{answer.data(), answer.size() - 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> credentials{};
  msghdr reply{};
  reply.msg_iov = &answer_data;
  reply.msg_iovlen = 1;
  reply.msg_control = credentials.data();
  reply.msg_controllen = credentials.size();
  const ssize_t got = recvmsg(control[0].get(), &reply, MSG_CMSG_CLOEXEC);
  const cmsghdr* from = got > 0 ? CMSG_FIRSTHDR(&reply) : nullptr;
  if (from == nullptr || got != 1 || answer[0] != 'R') {
    throw OutsideError(fmt::format("{} cannot be started: {}", program.command.front(),
                                   got > 0 ? answer.data() : "the sandbox ended"));
  }
  ucred who{};
  std::memcpy(&who, CMSG_DATA(from), sizeof who);
  return {who.pid, std::move(control[0])};
}

void Sandbox::let_go(const Launch& launch) {
  if (send(launch.control.get(), "G", 1, MSG_NOSIGNAL) != 1)
    throw OutsideError("the sandbox ended");
}

std::string Sandbox::failure(const Launch& launch) {
  std::array<char, 512> text{};
  const ssize_t got = recv(launch.control.get(), text.data(), text.size() - 1, 0);
  return got > 0 ? text.data() : "it ended";
}

}  // namespace dissensus::host
