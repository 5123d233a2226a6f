// The life of programs, processes and threads: start, fork, exec, end.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/counter.h"
#include "host/keeper.h"
#include "host/supervisor.h"

namespace dissensus::host {

namespace {

/// The last number of a thread or process in its own namespace.
pid_t inner_number(pid_t tid, const char* key) {
  const Handle file(open(fmt::format("/proc/{}/status", tid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text{};
  if (!file || read(file.get(), text.data(), text.size() - 1) <= 0) return -1;
  const char* at = std::strstr(text.data(), key);
  if (at == nullptr) return -1;
  const char* const end = std::strchr(at + 1, '\n');
  const char* last = at;
  for (const char* c = at; c < end; ++c) {
    if (*c == '\t') last = c;
  }
  return static_cast<pid_t>(std::atoi(last + 1));
}

/// Of the program that it runs, as the kernel keeps it.
std::string file_name_of(pid_t tid) {
  const Handle file(open(fmt::format("/proc/{}/comm", tid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 32> text{};
  if (!file || read(file.get(), text.data(), text.size() - 1) <= 0) return {};
  const std::string_view name(text.data());
  return std::string(name.substr(0, name.find('\n')));
}

/// A copy of a folder, which then belongs to the programs.
void copy_contents(const std::string& from, const std::string& to) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  if (error) throw OutsideError(fmt::format("{} cannot be copied: {}", from, error.message()));
  if (geteuid() != 0) return;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(to)) {
    if (lchown(entry.path().c_str(), kNobody, kNobody) != 0) {
      throw OutsideError(fmt::format("{} cannot be given away", entry.path().string()));
    }
  }
}

/// Our copies of descriptors can be many.
void raise_handle_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Handle make_input(const std::string& text) {
  if (text.empty()) return Handle(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::array<Handle, 2> ends = make_pipe();
  fcntl(ends[1].get(), F_SETPIPE_SZ, 1 << 20);
  fcntl(ends[1].get(), F_SETFL, O_NONBLOCK);
  if (write(ends[1].get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw OutsideError("the standard input of a program is longer than 1 MiB");
  }
  return std::move(ends[0]);
}

}  // namespace

Supervisor::Supervisor(const Plan& plan, HostListener& listener)
    : plan_(plan),
      listener_(listener),
      sandbox_(plan),
      network_(*this),
      pipes_(*this),
      disk_(plan.disk, plan.seed),
      began_(std::chrono::steady_clock::now()),
      watchdog_({plan.limits.stop_time, plan.limits.memory_bytes, sandbox_.keeper(),
                 began_ + plan.limits.wall_time}),
      instructions_(plan.spin_sites),
      gates_(plan.answers == Answers::inside),
      calendar_offsets_(plan.machines.size()),
      order_(plan.seed, "thread order") {
  raise_handle_limit();
  struct stat folder {};
  if (stat(sandbox_.root().c_str(), &folder) == 0) folder_device_ = folder.st_dev;
  const std::int64_t epoch = plan_.epoch_seconds * 1'000'000'000;
  old_times_ = {epoch, epoch, epoch, epoch};
  for (const Machine& machine : plan_.machines) {
    if (!machine.contents.empty()) copy_contents(machine.contents, sandbox_.folder(machine));
  }
}

/// The first process of a PID namespace ends only after all others were collected, and those that
/// are traced wait for us.
Supervisor::~Supervisor() {
  for (const auto& process : processes_) {
    if (process->is_dead) continue;
    ::kill(process->pid, SIGKILL);
    collect(*process);
  }
}

ProgramId Supervisor::start(const Program& program) {
  const auto id = static_cast<ProgramId>(programs_.size());
  auto state = std::make_unique<ProgramState>();
  state->plan = program;
  if (state->plan.name.empty()) state->plan.name = fmt::format("program {}", id);
  std::array<Handle, 2> ends;
  for (const Stream stream : {Stream::output, Stream::errors}) {
    if (program.is_piped && stream == Stream::output) continue;
    std::array<Handle, 2> made = make_pipe();
    auto special = std::make_shared<OutputPipe>();
    special->program = id;
    special->stream = stream;
    special->end = std::move(made[0]);
    ends[static_cast<std::size_t>(stream)] = std::move(made[1]);
    add_special(ends[static_cast<std::size_t>(stream)], special);
  }
  Handle input;
  if (program.is_piped) {
    Pipes::Ends piped = pipes_.open(id);
    input = std::move(piped.input);
    ends[0] = std::move(piped.output);
  } else {
    input = make_input(program.input);
  }
  const Sandbox::Launch launch = sandbox_.launch(plan_.machines.at(program.machine), program,
                                                 {input.get(), ends[0].get(), ends[1].get()});
  constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE |
                            PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
                            PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, launch.pid, nullptr, kOptions) != 0) {
    throw OutsideError(fmt::format("programs cannot be run in virtual time here: no ptrace ({})",
                                   std::strerror(errno)));
  }
  Sandbox::let_go(launch);
  for (bool is_executed = false;;) {
    const Stop stop = wait_for_stop(launch.pid);
    if (stop.kind == StopKind::gone) {
      throw OutsideError(fmt::format("{} cannot be started: {}", program.command.front(),
                                     Sandbox::failure(launch)));
    }
    if (stop.kind == StopKind::executed) is_executed = true;
    if (stop.kind == StopKind::call_exit && is_executed) break;
    ptrace(PTRACE_SYSCALL, launch.pid, nullptr, nullptr);
  }
  programs_.push_back(std::move(state));
  auto process = std::make_unique<Process>();
  process->pid = launch.pid;
  process->inner_pid = inner_number(launch.pid, "\nNSpid:");
  process->program = id;
  process->number = static_cast<std::uint32_t>(processes_.size());
  process->machine = program.machine;
  process->handle = Handle(static_cast<int>(syscall(SYS_pidfd_open, launch.pid, 0)));
  process->random = program.random_seed ? Random(*program.random_seed, "program")
                                        : Random(plan_.seed, "process", process->number);
  process->index = programs_[id]->processes++;
  programs_[id]->main = process.get();
  processes_.push_back(std::move(process));
  Process& made = *processes_.back();
  Thread& thread = add_thread(made, launch.pid);
  prepare(thread);
  queue_back(thread);
  return id;
}

/// The thread is stopped at the end of execve.
void Supervisor::prepare(Thread& thread) {
  Process& process = *thread.process;
  process.name = file_name_of(thread.tid);
  const std::string& name = programs_[process.program]->plan.name;
  for (const std::string& trouble : prepare_image(thread.tid, process.random)) {
    doubt(fmt::format("{}: {}", name, trouble));
  }
  if (!Instructions::trap_cpuid(thread.tid)) {
    note("this processor cannot hide its number and features (CPUID) from programs");
  }
  if (proc_device_ == 0) {
    struct stat proc {};
    if (stat(fmt::format("/proc/{}/root/proc", thread.tid).c_str(), &proc) == 0) {
      proc_device_ = proc.st_dev;
    }
  }
  process.has_answers = prepare_answers(thread.tid);
  process.shown = {};
  process.is_stale = process.shares_memory = false;
  look_at_code(process, thread.tid, 0, UINT64_MAX);
  process.page_time = HostTime(-1);
}

void Supervisor::look_at_code(Process& process, pid_t tid, std::uint64_t begin, std::uint64_t end) {
  for (const Mapping& mapping : read_mappings(tid)) {
    if (mapping.begin < end && mapping.end > begin && mapping.inode != 0 &&
        mapping.permissions.find('x') != mapping.permissions.npos) {
      instructions_.look_through(process.number, tid, mapping);
      if (process.has_answers) gates_.look_through(process.number, tid, mapping);
    }
  }
}

Thread& Supervisor::add_thread(Process& process, pid_t tid) {
  auto thread = std::make_unique<Thread>();
  thread->tid = tid;
  thread->inner_tid = inner_number(tid, "\nNSpid:");
  thread->process = &process;
  thread->index = process.threads_made++;
  process.threads.push_back(thread.get());
  by_tid_[tid] = thread.get();
  all_threads_.push_back(std::move(thread));
  if (process.threads.size() == 1) {
    std::vector<pid_t> pids;
    for (const auto& known : processes_) {
      if (!known->is_dead) pids.push_back(known->pid);
    }
    watchdog_.set_processes(std::move(pids));
  }
  return *all_threads_.back();
}

void Supervisor::on_created(Thread& thread, pid_t tid, bool is_vfork) {
  wait_for_stop(tid);
  Process& parent = *thread.process;
  const std::uint64_t flags = thread.call == SYS_clone ? thread.arguments[0] : 0;
  Process* process = &parent;
  if ((flags & CLONE_THREAD) == 0) {
    auto made = std::make_unique<Process>();
    made->pid = tid;
    made->program = parent.program;
    made->number = static_cast<std::uint32_t>(processes_.size());
    made->machine = parent.machine;
    made->parent = &parent;
    made->name = parent.name;
    made->handle = Handle(static_cast<int>(syscall(SYS_pidfd_open, tid, 0)));
    made->random = Random(plan_.seed, "process", made->number);
    made->index = programs_[parent.program]->processes++;
    made->page_time = parent.page_time;
    instructions_.copy(parent.number, made->number);
    gates_.copy(parent.number, made->number);
    made->nice = parent.nice;
    made->schedule = parent.schedule;
    made->signal_readers = parent.signal_readers;
    made->has_answers = parent.has_answers;
    made->is_stale = true;
    if (is_vfork || (flags & CLONE_VM) != 0) made->shares_memory = parent.shares_memory = true;
    processes_.push_back(std::move(made));
    process = processes_.back().get();
  }
  Thread& made = add_thread(*process, tid);
  if (process != &parent) process->inner_pid = made.inner_tid;
  if ((flags & CLONE_CHILD_CLEARTID) != 0) made.clear_tid = thread.arguments[3];
  record(thread, kExitEntry, static_cast<std::uint64_t>(made.inner_tid));
  queue_back(made);
  if (is_vfork) thread.waiting.what = Waiting::For::child_runs_own;
}

void Supervisor::release_vfork_parent(Process& child) {
  if (child.parent == nullptr) return;
  for (Thread* thread : child.parent->threads) {
    if (thread->waiting.what == Waiting::For::child_runs_own) make_runnable(*thread);
  }
}

void Supervisor::on_executed(Thread& thread, pid_t former) {
  Process& process = *thread.process;
  // All other threads of the process are gone; the one that is left has the number of the first.
  const std::vector<Thread*> others = process.threads;
  for (Thread* other : others) {
    if (other == &thread) continue;
    if (other->tid != process.pid) wait_for_stop(other->tid);
    forget_thread(*other);
  }
  if (former != process.pid) {
    by_tid_.erase(former);
    thread.tid = process.pid;
    by_tid_[thread.tid] = &thread;
  }
  ptrace(PTRACE_SYSCALL, thread.tid, nullptr, nullptr);
  wait_for_stop(thread.tid);
  instructions_.forget(process.number);
  gates_.forget(process.number);
  process.shared_pages.clear();
  std::erase_if(process.timers, [](const auto& timer) { return timer.second.is_posix; });
  thread.clear_tid = 0;
  prepare(thread);
  release_vfork_parent(process);
}

// ---- ends

void Supervisor::forget_thread(Thread& thread) {
  if (thread.is_dead) return;
  futex_leave(thread);
  thread.is_dead = true;
  thread.waiting = {};
  by_tid_.erase(thread.tid);
  std::erase(thread.process->threads, &thread);
  std::erase(waiting_, &thread);
}

namespace {

/// A first thread that has ended while others live is not reported; its state is.
bool has_ended(pid_t tid) {
  const Handle file(open(fmt::format("/proc/{}/stat", tid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  if (!file || read(file.get(), text.data(), text.size() - 1) <= 0) return true;
  const char* state = std::strrchr(text.data(), ')');
  return state == nullptr || state[2] == 'Z' || state[2] == 'X';
}

void wait_until_zombie(pid_t tid) {
  for (int tries = 0; tries < 50'000 && !has_ended(tid); ++tries) sched_yield();
}

}  // namespace

/// The end of a first thread is reported once all others are waited for, which is up to us.
void Supervisor::wait_for_signal(Thread& thread) {
  const Process& process = *thread.process;
  if (thread.tid != process.pid || process.threads.size() == 1) return;
  siginfo_t info{};
  while (info.si_pid == 0) {
    if (has_ended(thread.tid)) break;
    constexpr int kLook = WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL;
    if (waitid(P_PID, static_cast<id_t>(thread.tid), &info, kLook) != 0) return;
    if (info.si_pid == 0) sched_yield();
  }
  if (info.si_pid != 0) return;
  for (const Thread* other : process.threads) {
    if (other == &thread) continue;
    while (wait_for_stop(other->tid).kind != StopKind::gone) {
      ptrace(PTRACE_CONT, other->tid, nullptr, nullptr);
    }
  }
}

Outcome Supervisor::end_thread(Thread& thread) {
  Process& process = *thread.process;
  if (process.threads.size() == 1) return end_process(thread);
  const std::uint64_t clear = thread.clear_tid;
  const pid_t tid = thread.tid;
  ptrace(PTRACE_CONT, tid, nullptr, nullptr);
  if (tid == process.pid) {
    wait_until_zombie(tid);
    process.is_leader_gone = true;
    constexpr unsigned kOfThread = O_EXCL;  // PIDFD_THREAD
    process.handle =
        Handle(static_cast<int>(syscall(SYS_pidfd_open, process.threads.back()->tid, kOfThread)));
  } else {
    wait_for_stop(tid);
  }
  forget_thread(thread);
  if (clear != 0 && !process.threads.empty()) {
    Thread& any = *process.threads.front();
    futex_wake(futex_key(any, clear, true), INT32_MAX, ~0U);
    futex_wake(futex_key(any, clear, false), INT32_MAX, ~0U);
  }
  wake_orphans();
  return gone();
}

/// Locks that ended threads held are marked by the kernel; whoever waits for them has to look.
void Supervisor::wake_orphans() {
  std::vector<Thread*> orphans;
  for (const auto& [key, queue] : futexes_) {
    for (Thread* waiter : queue) {
      const auto value = read_value<std::uint32_t>(waiter->tid, waiter->arguments[0]);
      if (value && (*value & FUTEX_OWNER_DIED) != 0) orphans.push_back(waiter);
    }
  }
  for (Thread* orphan : orphans) {
    futex_leave(*orphan);
    orphan->woken = true;
    make_runnable(*orphan);
  }
}

Outcome Supervisor::end_process(Thread& thread) {
  ptrace(PTRACE_CONT, thread.tid, nullptr, nullptr);
  reap_process(*thread.process);
  return gone();
}

void Supervisor::kill_process(Process& process) {
  if (process.is_dead) return;
  ::kill(process.pid, SIGKILL);
  reap_process(process);
}

void Supervisor::reap_process(Process& process) {
  if (process.is_dead) return;
  collect(process);
  finish_process(process);
}

/// The process is ending: waits for all its threads.
void Supervisor::collect(Process& process) {
  process.is_dead = true;
  std::vector<ThreadView> last_views;
  if (!process.is_ended_by_owner) {
    for (const Thread* thread : process.threads) last_views.push_back(view_of(*thread));
  }
  std::vector<Thread*> threads = process.threads;
  std::reverse(threads.begin(), threads.end());  // the first thread last: it is reported last
  for (Thread* thread : threads) {
    for (;;) {
      const Stop stop = wait_for_stop(thread->tid);
      if (stop.kind == StopKind::gone) {
        if (thread->tid == process.pid) process.status = stop.status;
        break;
      }
      ptrace(PTRACE_CONT, thread->tid, nullptr, nullptr);
    }
    forget_thread(*thread);
  }
  if (process.is_leader_gone) {
    if (const Stop stop = wait_for_stop(process.pid); stop.status != 0)
      process.status = stop.status;
  }
  if (process.status != 0) keep_ended(std::move(last_views));
}

/// What a process did last that ended badly, for people.
void Supervisor::keep_ended(std::vector<ThreadView> views) {
  constexpr std::size_t kKept = 128;
  for (ThreadView& view : views) {
    view.state = "has ended";
    ended_threads_.push_back(std::move(view));
  }
  while (ended_threads_.size() > kKept) ended_threads_.pop_front();
}

void Supervisor::finish_process(Process& process) {
  process.ended = now_;
  process.handle = Handle();
  instructions_.forget(process.number);
  gates_.forget(process.number);
  process.timers.clear();
  forget_counters(process);
  JournalEntry entry;
  entry.time_ns = now_.count();
  entry.program = process.program;
  entry.process = process.index;
  entry.call = kExitEntry;
  journal_.add(entry, static_cast<std::uint64_t>(process.status));
  wake_orphans();
  release_vfork_parent(process);
  for (const auto& child : processes_) {
    if (child->parent == &process) child->parent = nullptr;
  }
  if (process.parent != nullptr) {
    end_waits_for_children(*process.parent);
    look_for_signals(*process.parent);
  }
  network_.forget_closed_sockets(process.machine);
  end_program(process);
}

namespace {

Exit exit_of(const Process& process) {
  Exit exit;
  exit.by_owner = process.is_ended_by_owner;
  if (WIFSIGNALED(process.status)) {
    exit.signal = WTERMSIG(process.status);
  } else {
    exit.code = WEXITSTATUS(process.status);
  }
  return exit;
}

}  // namespace

/// The end of its main process is the end of a program, whatever helpers it leaves behind.
void Supervisor::end_program(Process& process) {
  ProgramState& program = *programs_[process.program];
  if (program.is_done || program.main != &process) return;
  if (process.status == 0 && !process.is_ended_by_owner) {
    const auto heir = std::find_if(processes_.begin(), processes_.end(), [&](const auto& other) {
      return other->program == process.program && !other->is_dead;
    });
    if (heir != processes_.end()) {
      program.main = heir->get();
      return;
    }
  }
  program.is_done = true;
  if (trouble_.empty() && !process.is_ended_by_owner && sandbox_.has_ended()) {
    trouble_ = "the sandbox of the programs was ended from outside";
    doubt(trouble_);
  }
  kill(process.program);
  pipes_.close(process.program);
  listener_.on_exit(process.program, exit_of(process));
}

std::vector<LostProcess> Supervisor::lost_processes() const {
  constexpr std::uint64_t kPipe = 1ULL << (SIGPIPE - 1);  // what ends most of a pipeline
  std::vector<LostProcess> lost;
  for (const auto& process : processes_) {
    const ProgramState& program = *programs_[process->program];
    if (!process->is_dead || process->is_ended_by_owner || process->status == 0) continue;
    if (program.is_done && program.main == process.get()) continue;  // was told
    const Exit exit = exit_of(*process);
    const std::uint64_t signal = exit.signal == 0 ? 0 : 1ULL << (exit.signal - 1);
    if ((signal & process->told_signals) != 0) continue;
    if (process->is_reaped && (signal == 0 || signal == kPipe)) continue;
    lost.push_back({process->program,
                    fmt::format("{} process {}{}", program.plan.name, process->index,
                                process->name.empty() ? "" : " (" + process->name + ")"),
                    exit, process->ended});
  }
  return lost;
}

void Supervisor::mark_reaped(pid_t inner_pid) {
  for (auto process = processes_.rbegin(); process != processes_.rend(); ++process) {
    if ((*process)->inner_pid != inner_pid || !(*process)->is_dead) continue;
    (*process)->is_reaped = true;
    return;
  }
}

void Supervisor::end_waits_for_children(Process& parent) {
  for (Thread* thread : parent.threads) {
    if (thread->waiting.what == Waiting::For::children) make_runnable(*thread);
  }
}

// ---- the owner's hand

void Supervisor::kill(ProgramId program) {
  // Children first, so that no parent is told of them.
  for (auto process = processes_.rbegin(); process != processes_.rend(); ++process) {
    if ((*process)->program != program || (*process)->is_dead) continue;
    (*process)->is_ended_by_owner = true;
    kill_process(**process);
  }
}

void Supervisor::power_loss(MachineId machine) {
  for (ProgramId id = 0; id < programs_.size(); ++id) {
    if (programs_[id]->plan.machine == machine && !programs_[id]->is_done) kill(id);
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(
           sandbox_.root() + "/memory/" + plan_.machines.at(machine).name, error)) {
    std::filesystem::remove_all(entry.path(), error);
  }
  const std::size_t lost = disk_.lose(machine);
  if (lost != 0)
    note(fmt::format("{}: a loss of power took {} writes", plan_.machines[machine].name, lost));
}

void Supervisor::set_paused(ProgramId program, bool is_paused) {
  ProgramState& state = *programs_.at(program);
  if (state.is_paused == is_paused) return;
  state.is_paused = is_paused;
  if (is_paused) return;
  const std::vector<Thread*> held = std::move(held_);
  held_.clear();
  for (Thread* thread : held) {
    thread->is_queued = false;
    if (!thread->is_dead) queue_back(*thread);
  }
}

void Supervisor::signal(ProgramId program, int number) {
  Process& process = *programs_.at(program)->main;
  if (process.is_dead) return;
  if (number == SIGKILL) {
    kill(program);
    return;
  }
  ::kill(process.pid, number);
  look_for_signals(process);
}

// ---- descriptors

std::set<std::uint64_t> Supervisor::open_sockets(MachineId machine) const {
  constexpr std::string_view kSocket = "socket:[";
  std::set<std::uint64_t> inodes;
  for (const auto& process : processes_) {
    if (process->is_dead || process->machine != machine || process->threads.empty()) continue;
    const std::string folder = fmt::format("/proc/{}/fd", process->threads.front()->tid);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
      if (!target.starts_with(kSocket)) continue;
      inodes.insert(std::strtoull(target.c_str() + kSocket.size(), nullptr, 10));
    }
  }
  return inodes;
}

Handle Supervisor::find_descriptor(MachineId machine, std::uint64_t socket) const {
  const std::string wanted = fmt::format("socket:[{}]", socket);
  for (const auto& process : processes_) {
    if (process->is_dead || process->machine != machine || process->threads.empty()) continue;
    const std::string folder = fmt::format("/proc/{}/fd", process->threads.front()->tid);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (std::filesystem::read_symlink(entry.path(), error).string() != wanted) continue;
      return copy_of(*process->threads.front(), std::atoi(entry.path().filename().c_str()));
    }
  }
  return {};
}

Handle Supervisor::copy_of(const Thread& thread, int fd) {
  if (fd < 0) return {};
  return Handle(static_cast<int>(syscall(SYS_pidfd_getfd, thread.process->handle.get(), fd, 0)));
}

Descriptor Supervisor::descriptor(const Thread& thread, int fd) {
  Descriptor result;
  result.handle = copy_of(thread, fd);
  if (!result.handle) return result;
  fstat(result.handle.get(), &result.info);
  result.flags = fcntl(result.handle.get(), F_GETFL);
  result.is_nonblocking = (result.flags & O_NONBLOCK) != 0;
  const mode_t mode = result.info.st_mode;
  result.is_file = S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode);
  if (S_ISCHR(mode)) {
    const auto device = result.info.st_rdev;
    result.is_random = device == makedev(1, 8) || device == makedev(1, 9);
    result.is_file = device == makedev(1, 3) || device == makedev(1, 5) || device == makedev(1, 7);
  }
  if (S_ISSOCK(mode) || S_ISFIFO(mode)) {
    const auto found = specials_.find({result.info.st_dev, result.info.st_ino});
    if (found != specials_.end()) result.special = found->second;
  } else if ((mode & S_IFMT) == 0) {
    result.special = counter_of(counter_number(result.handle.get()));
  }
  return result;
}

bool Supervisor::add_counter(const Handle& handle, std::shared_ptr<Special> special) {
  // Code in programs tells timers from others by the lowest bit (answers_code.cpp).
  const std::uint64_t number =
      2 * (counters_.size() + 1) + (special->kind == Special::Kind::timer ? 0 : 1);
  counters_[number] = std::move(special);
  return name_counter(handle.get(), number);
}

std::shared_ptr<Special> Supervisor::counter_of(std::uint64_t number) const {
  const auto found = counters_.find(number);
  return found == counters_.end() ? nullptr : found->second;
}

/// Our copies would keep what is behind them, and its locks.
void Supervisor::forget_counters(Process& process) {
  for (const auto& [number, special] : counters_) {
    if (special->kind != Special::Kind::timer) continue;
    auto& timer = static_cast<Timer&>(*special);
    if (timer.owner == &process) timer.counter = Handle();
  }
  for (const auto& reader : process.signal_readers) {
    constexpr long kLast = 2;  // of the processes that have it; the other is in counters_
    if (reader.use_count() == kLast) reader->counter = Handle();
  }
  process.signal_readers.clear();
}

void Supervisor::add_special(const Handle& handle, std::shared_ptr<Special> special) {
  struct stat info {};
  fstat(handle.get(), &info);
  special->inode = info.st_ino;
  specials_[{info.st_dev, info.st_ino}] = std::move(special);
}

void Supervisor::write_output(ProgramId program, Stream stream, std::string_view bytes,
                              const Thread& thread) {
  ProgramState& state = *programs_[program];
  RollingHash hash;
  hash.add(bytes);
  record(thread, kOutputEntry, hash.value() + static_cast<std::uint64_t>(stream));
  const std::uint64_t room =
      plan_.limits.output_bytes - std::min(plan_.limits.output_bytes, state.output_bytes);
  state.output_bytes += bytes.size();
  if (bytes.size() > room) {
    note(fmt::format("{} wrote more than {} KiB of output; the rest is not kept", state.plan.name,
                     plan_.limits.output_bytes >> 10));
    bytes = bytes.substr(0, room);
  }
  if (!bytes.empty()) listener_.on_output(program, stream, bytes);
}

std::uint64_t Supervisor::virtual_inode(std::uint64_t device, std::uint64_t inode) {
  return inodes_.try_emplace({device, inode}, 1000 + inodes_.size()).first->second;
}

std::uint64_t Supervisor::virtual_device(std::uint64_t device) {
  return devices_.try_emplace(device, 64 + devices_.size()).first->second;
}

Process* Supervisor::process_of_inner(pid_t inner_pid) {
  for (const auto& process : processes_) {
    if (!process->is_dead && process->inner_pid == inner_pid) return process.get();
  }
  return nullptr;
}

/// By a pidfd of it.
Process* Supervisor::process_of_handle(const Handle& handle) {
  std::array<char, 1024> text{};
  const Handle file(
      open(fmt::format("/proc/self/fdinfo/{}", handle.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || read(file.get(), text.data(), text.size() - 1) <= 0) return nullptr;
  const char* const at = std::strstr(text.data(), "\nPid:");
  if (at == nullptr) return nullptr;
  const auto pid = static_cast<pid_t>(std::atoi(at + 5));
  for (const auto& process : processes_) {
    if (!process->is_dead && process->pid == pid) return process.get();
  }
  return nullptr;
}

Thread* Supervisor::thread_of_inner(pid_t inner_tid) {
  for (const auto& process : processes_) {
    for (Thread* thread : process->threads) {
      if (thread->inner_tid == inner_tid) return thread;
    }
  }
  return nullptr;
}

}  // namespace dissensus::host
