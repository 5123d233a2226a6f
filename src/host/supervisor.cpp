#include "host/supervisor.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/assert.h"
#include "host/call_names.h"
#include "host/filter.h"

namespace dissensus::host {

namespace {

/// What steady clocks show at time 0.
/// Reads of the clock, through the page, before they become calls.
constexpr std::uint64_t kPageReadsMax = 1000;
/// Calls in a row that read the clock, before the clock moves because of them.
constexpr std::uint32_t kClockReadsMax = 50;
/// Times that something was sent, at the same moment, after the owner wanted to be told.
constexpr std::uint32_t kDrainsMax = 64;
constexpr HostTime kIdleStep = std::chrono::milliseconds(1);
constexpr HostTime kIdleStepMax = std::chrono::milliseconds(10);

}  // namespace

Processor::Processor() : before_(sizeof(cpu_set_t)) {
  auto* const allowed = reinterpret_cast<cpu_set_t*>(before_.data());
  if (sched_getaffinity(0, sizeof(cpu_set_t), allowed) != 0) return;
  static std::atomic<unsigned> next{0};
  const auto count = static_cast<unsigned>(CPU_COUNT(allowed));
  unsigned wanted = count == 0 ? 0 : next++ % count;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, allowed) || wanted-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

Processor::~Processor() {
  sched_setaffinity(0, sizeof(cpu_set_t), reinterpret_cast<const cpu_set_t*>(before_.data()));
}

// ---- time

std::chrono::nanoseconds Supervisor::calendar(MachineId machine) const {
  return std::chrono::seconds(plan_.epoch_seconds) + now_ + calendar_offsets_[machine];
}

std::chrono::nanoseconds Supervisor::steady(MachineId machine) const {
  return uptimes_[machine] + now_;
}

void Supervisor::note_file(const std::string& path) {
  files_.insert(std::filesystem::path(path).lexically_normal().string());
}

void Supervisor::note_open_file(pid_t tid, std::int64_t descriptor) {
  std::error_code error;
  const std::filesystem::path path =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", tid, descriptor), error);
  if (!error && path.is_absolute()) note_file(path.string());
}

HostTime Supervisor::time_of(MachineId machine, bool is_calendar,
                             std::chrono::nanoseconds value) const {
  const std::chrono::nanoseconds shown = is_calendar ? calendar(machine) : steady(machine);
  return value <= shown ? now_ : now_ + (value - shown);
}

void Supervisor::set_calendar_offset(MachineId machine, std::chrono::nanoseconds offset) {
  calendar_offsets_.at(machine) = offset;
  for (const auto& process : processes_) process->page_time = HostTime(-1);
}

void Supervisor::at(HostTime time, std::function<void()> action) {
  agenda_.emplace(std::make_pair(std::max(time, now_), agenda_number_++), std::move(action));
}

void Supervisor::step_to(HostTime time) {
  if (time <= now_) return;
  now_ = time;
  ++jumps_;
}

void Supervisor::excuse(std::chrono::nanoseconds real_time) {
  began_ += real_time;
  watchdog_.set_deadline(began_ + plan_.limits.wall_time);
}

bool Supervisor::run_until(HostTime until) {
  const AtWork work(watchdog_);
  until_ = until;
  is_finishing_ = false;
  for (std::uint32_t drained = 0;;) {
    run_queue();
    if (!trouble_.empty() || !check_limits()) return false;
    const bool has_written = pipes_.drain();
    const bool has_drained = network_.drain() || has_written;
    // Who sends without end must not keep the owner from hearing of it.
    if (has_drained && is_finishing_ && ++drained > kDrainsMax) return true;
    if (poll_waiting() || has_drained) continue;
    journal_.end_step(now_.count());
    if (is_finishing_) return true;
    const HostTime next = agenda_.empty() ? kNever : agenda_.begin()->first.first;
    if (next > now_ && revive_yielded()) continue;
    if (next >= until) {
      if (until != kNever) step_to(until);
      return true;
    }
    step_to(next);
    while (!agenda_.empty() && agenda_.begin()->first.first <= now_) {
      const auto action = std::move(agenda_.begin()->second);
      agenda_.erase(agenda_.begin());
      action();
    }
  }
}

bool Supervisor::check_limits() {
  if (watchdog_.is_over_memory()) {
    trouble_ =
        fmt::format("the programs use more than {} MiB of memory", plan_.limits.memory_bytes >> 20);
  }
  const auto wall = std::chrono::steady_clock::now();
  if (watchdog_.is_over_time() || wall - began_ > plan_.limits.wall_time) {
    trouble_ = fmt::format("the run took more than {} s of real time (limits.wall_time)",
                           static_cast<double>(plan_.limits.wall_time.count()) / 1000);
  }
  if (trouble_.empty() && watchdog_.is_stuck()) {
    trouble_ = "a program waits in a call that cannot be supervised, and all others with it";
  }
  if (!trouble_.empty()) doubt(trouble_);
  return trouble_.empty();
}

// ---- who runs

void Supervisor::queue_back(Thread& thread) {
  thread.is_queued = true;
  (programs_[thread.process->program]->is_paused ? held_ : ready_).push_back(&thread);
}

void Supervisor::make_runnable(Thread& thread) {
  if (thread.is_dead || thread.is_queued) return;
  std::erase(waiting_, &thread);
  thread.waiting.what = Waiting::For::nothing;
  queue_back(thread);
}

std::size_t Supervisor::pick() {
  return plan_.order == ThreadOrder::seeded ? order_.below(ready_.size() - ready_first_) : 0;
}

void Supervisor::run_queue() {
  while (ready_first_ < ready_.size() && trouble_.empty()) {
    const std::size_t chosen = ready_first_ + pick();
    Thread* const thread = ready_[chosen];
    // Those before the chosen one stay in their order.
    std::move_backward(ready_.begin() + static_cast<std::ptrdiff_t>(ready_first_),
                       ready_.begin() + static_cast<std::ptrdiff_t>(chosen),
                       ready_.begin() + static_cast<std::ptrdiff_t>(chosen) + 1);
    if (++ready_first_ > 1024) {
      ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(ready_first_));
      ready_first_ = 0;
    }
    thread->is_queued = false;
    if (thread->is_dead) continue;
    if (programs_[thread->process->program]->is_paused) {
      thread->is_queued = true;
      held_.push_back(thread);
      continue;
    }
    run_turn(*thread);
    watchdog_.idle();
    if (is_alarmed() && !check_limits()) return;
  }
  ready_.clear();
  ready_first_ = 0;
}

/// Threads that wait for descriptors go on when one of these is ready. True: some do.
bool Supervisor::poll_waiting() {
  std::vector<pollfd> polled;
  for (const Thread* thread : waiting_) {
    for (const Interest& interest : thread->waiting.interests) {
      polled.push_back({interest.handle.get(), interest.events, 0});
    }
  }
  if (!polled.empty() && poll(polled.data(), polled.size(), 0) < 0) return false;
  std::size_t at = 0;
  std::vector<Thread*> ready;
  for (Thread* thread : waiting_) {
    bool is_ready =
        thread->waiting.what == Waiting::For::step && thread->step_mark != journal_.count();
    for (std::size_t i = 0; i < thread->waiting.interests.size(); ++i) {
      is_ready = is_ready || polled[at + i].revents != 0;
    }
    at += thread->waiting.interests.size();
    if (is_ready) ready.push_back(thread);
  }
  for (Thread* thread : ready) make_runnable(*thread);
  return ready_first_ < ready_.size();
}

/// Threads that gave up their turn without having done anything: time passes if all do so.
bool Supervisor::revive_yielded() {
  if (yielded_.empty()) return false;
  const bool all_idle = std::all_of(yielded_.begin(), yielded_.end(), [](const Thread* thread) {
    return thread->is_dead || thread->idle_turns >= kIdleTurnsMax;
  });
  if (all_idle) {
    // A program that goes on and on like this would take minutes of real time for a second.
    if (now_ != idle_until_) idle_since_ = now_;
    const HostTime step = std::max(std::clamp((now_ - idle_since_) / 8, kIdleStep, kIdleStepMax),
                                   std::exchange(computed_, HostTime(0)));
    const HostTime next = agenda_.empty() ? kNever : agenda_.begin()->first.first;
    const HostTime target = std::min({next, now_ + step, until_});
    if (target <= now_) return false;
    const HostTime before = now_;
    step_to(target);
    idle_until_ = now_;
    count_spinning(now_ - before);
  }
  const std::vector<Thread*> revived = std::move(yielded_);
  yielded_.clear();
  for (Thread* thread : revived) {
    thread->is_queued = false;
    if (!thread->is_dead) queue_back(*thread);
  }
  return ready_first_ < ready_.size() || all_idle;
}

void Supervisor::count_spinning(HostTime step) {
  std::set<ProgramId> programs;
  for (const Thread* thread : yielded_) {
    if (!thread->is_dead) programs.insert(thread->process->program);
  }
  for (const ProgramId program : programs) {
    HostTime& spun = programs_[program]->spun;
    constexpr HostTime kSecond = std::chrono::seconds(1);
    const bool is_another_second = spun / kSecond != (spun + step) / kSecond;
    spun += step;
    if (is_another_second) listener_.on_spin(program);
  }
}

Outcome Supervisor::idle(Thread& thread, long value) {
  was_idle_ = true;
  Outcome outcome = answer(value);
  outcome.ends_turn = ++thread.idle_calls > kIdleCallsMax || thread.call == SYS_sched_yield;
  return outcome;
}

Outcome Supervisor::expire(Thread& thread, long value) {
  Outcome outcome = idle(thread, value);
  if (thread.timed_out_at != now_ || ++thread.expired_waits <= kExpiredWaitsMax) return outcome;
  spin_step_ = std::chrono::microseconds(1);
  outcome.ends_turn = spin_on(*thread.process) || outcome.ends_turn;
  return outcome;
}

/// Moves the clock a little, up to the next event. True: there is one now.
bool Supervisor::spin_on(Process& process) {
  const HostTime next = std::min(until_, agenda_.empty() ? kNever : agenda_.begin()->first.first);
  const HostTime target = now_ + spin_step_;
  spin_step_ = std::min<HostTime>(spin_step_ * 2, kIdleStep);
  const HostTime before = now_;
  now_ = std::min(target, std::max(next, now_));
  process.spun += now_ - before;
  return now_ >= next;
}

Outcome Supervisor::clock_read(Thread& thread, long value) {
  was_idle_ = true;
  Outcome outcome = answer(value);
  if (++thread.clock_reads <= kClockReadsMax) {
    if (thread.clock_reads == 1) spin_step_ = std::chrono::microseconds(1);
    return outcome;
  }
  outcome.ends_turn = spin_on(*thread.process);
  return outcome;
}

void Supervisor::got_something_done(Thread& thread) {
  if (thread.clock_reads != 0) thread.process->page_time = HostTime(-1);  // counts anew
  thread.idle_calls = 0;
  thread.idle_turns = 0;
  thread.clock_reads = 0;
}

void Supervisor::refresh_clock(Process& process, pid_t tid) {
  if (process.page_time == now_) return;
  process.page_time = now_;
  const std::uint64_t real = static_cast<std::uint64_t>(calendar(process.machine).count());
  const std::uint64_t steady_now = static_cast<std::uint64_t>(steady(process.machine).count());
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const ClockPage page{real / kSecond,       real % kSecond,       real % kSecond / 1000,
                       steady_now / kSecond, steady_now % kSecond, 0,
                       kPageReadsMax};
  write_value(tid, kClockPageAddress, page);
}

// ---- a turn

void Supervisor::run_turn(Thread& thread) {
  ++turns_;
  thread.turn_calls = 0;
  if (thread.is_in_call && !try_call(thread)) return;
  int signal = 0;
  do {
    refresh_clock(*thread.process, thread.tid);
    tell_answers(thread);
    if (!resume(thread, signal)) return;
    if (std::exchange(signal, 0) != 0) wait_for_signal(thread);
  } while (on_stop(thread, await(thread), signal) && !is_alarmed());
}

Stop Supervisor::await(const Thread& thread) {
  const bool is_exec = thread.call == SYS_execve || thread.call == SYS_execveat;
  if (is_exec && thread.process->threads.size() > 1) return await_new_program(thread);
  return await(thread.process->pid, thread.tid);
}

namespace {

/// 1: it has something to tell, 0: not yet, -1: there is no such thread.
int look_at(pid_t tid, int for_what) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(tid), &info, for_what | WNOHANG | WNOWAIT | __WALL) != 0) {
    return -1;
  }
  return info.si_pid != 0 ? 1 : 0;
}

}  // namespace

/// The kernel ends all other threads first, and waits until we have heard of that. The one that is
/// left then has the number of the first.
Stop Supervisor::await_new_program(const Thread& thread) {
  const Process& process = *thread.process;
  watchdog_.running(process.pid, thread.tid);
  for (;;) {
    const int own = look_at(thread.tid, WEXITED | WSTOPPED);
    if (own > 0) return wait_for_stop(thread.tid);
    const int first = look_at(process.pid, WEXITED | WSTOPPED);
    if (first > 0 || (own < 0 && first < 0)) return wait_for_stop(process.pid);
    for (const Thread* other : process.threads) {
      const bool is_third = other != &thread && other->tid != process.pid;
      if (is_third && look_at(other->tid, WEXITED) > 0) wait_for_stop(other->tid);
    }
    sched_yield();
  }
}

Stop Supervisor::await(pid_t pid, pid_t tid) {
  watchdog_.running(pid, tid);
  return wait_for_stop(tid);
}

/// The watchdog has stopped this thread; the run is over.
bool Supervisor::is_stopped(const Thread& thread) {
  if (!watchdog_.is_stuck() || !trouble_.empty()) return false;
  const auto call = static_cast<std::int32_t>(read_registers(thread.tid).orig_rax);
  trouble_ = fmt::format("{} waits in {}, and all others with it: this call cannot be supervised",
                         name_of(thread), call < 0 ? "the kernel" : call_name(call));
  doubt(trouble_);
  return false;
}

bool Supervisor::resume(Thread& thread, int signal) {
  if (ptrace(PTRACE_CONT, thread.tid, nullptr, static_cast<std::uintptr_t>(signal)) == 0)
    return true;
  reap_process(*thread.process);  // somebody has killed it
  return false;
}

bool Supervisor::on_stop(Thread& thread, const Stop& stop, int& signal) {
  if (is_alarmed() && stop.kind == StopKind::signal) return is_stopped(thread);
  if (stop.kind != StopKind::gone) hear_answers(thread);
  ++stops_;
  ++thread.process->stops;
  switch (stop.kind) {
    case StopKind::call:
      return on_call(thread);
    case StopKind::gone:
      if (thread.tid == thread.process->pid) thread.process->status = stop.status;
      if (stop.status != 0 && !thread.process->is_ended_by_owner) keep_ended({view_of(thread)});
      forget_thread(thread);
      reap_process(*thread.process);
      return false;
    case StopKind::created:
      on_created(thread, static_cast<pid_t>(stop.number), false);
      return true;
    case StopKind::vforked:
      on_created(thread, static_cast<pid_t>(stop.number), true);
      return false;
    case StopKind::executed:
      on_executed(thread, static_cast<pid_t>(stop.number));
      return true;
    case StopKind::signal:
      return on_signal(thread, static_cast<int>(stop.number), signal);
    case StopKind::call_exit:
    case StopKind::trap:
      return true;
  }
  return true;
}

bool Supervisor::on_call(Thread& thread) {
  thread.registers = read_registers(thread.tid);
  const Registers& registers = thread.registers;
  thread.call = static_cast<long>(registers.orig_rax);
  thread.arguments = {registers.rdi, registers.rsi, registers.rdx,
                      registers.r10, registers.r8,  registers.r9};
  thread.is_in_call = true;
  thread.is_retry = false;
  thread.deadline = kNever;
  thread.timed_out = thread.woken = thread.interrupted = false;
  thread.progress = 0;
  enter_call(thread);
  if (processor_time(*thread.process) >= thread.process->processor_due) {
    fire_processor_timers(*thread.process);
  }
  return try_call(thread);
}

void Supervisor::enter_call(Thread& thread) {
  ++thread.turn_calls;
  if (thread.call >= 0 && thread.call < static_cast<long>(call_counts_.size())) {
    ++call_counts_[static_cast<std::size_t>(thread.call)];
  }
  thread.last_calls[thread.last_call++ % thread.last_calls.size()] = {
      static_cast<std::int32_t>(thread.call),
      now_.count(),
      {thread.arguments[0], thread.arguments[1], thread.arguments[2]}};
  RollingHash hash;
  for (std::size_t i = 0; i < 4; ++i) hash.add(thread.arguments[i]);
  record(thread, static_cast<std::int32_t>(thread.call), hash.value());
}

bool Supervisor::try_call(Thread& thread) {
  if (thread.interrupted) {
    thread.interrupted = false;
    return interrupt(thread);
  }
  const Handler handler = handler_of(thread.call);
  was_idle_ = false;
  if (const int error = refusal_of(thread.call); error != 0) {
    note(fmt::format("{} makes the call {}, which is refused ({})",
                     programs_[thread.process->program]->plan.name,
                     call_name(static_cast<std::int32_t>(thread.call)), strerrorname_np(error)));
    return apply(thread, answer(-error));
  }
  if (handler == nullptr) {
    doubt(fmt::format("{} makes the call {}, which nobody has thought about",
                      programs_[thread.process->program]->plan.name,
                      call_name(static_cast<std::int32_t>(thread.call))));
  }
  const Outcome outcome = handler == nullptr ? native() : handler(*this, thread);
  thread.is_retry = true;
  return apply(thread, outcome);
}

bool Supervisor::apply(Thread& thread, const Outcome& outcome) {
  switch (outcome.next) {
    case Outcome::Next::gone:
      return false;
    case Outcome::Next::blocked:
      return false;
    case Outcome::Next::answered:
      thread.registers.orig_rax = ~0ULL;
      thread.registers.rax = static_cast<unsigned long long>(outcome.value);
      write_registers(thread.tid, thread.registers);
      break;
    case Outcome::Next::native:
    case Outcome::Next::finished:
      break;
  }
  thread.is_in_call = false;
  thread.wait_number = 0;
  thread.waiting = {};
  if (!was_idle_) got_something_done(thread);
  if (outcome.ends_turn) {
    ++thread.idle_turns;
    thread.is_queued = true;
    yielded_.push_back(&thread);
    return false;
  }
  if (thread.turn_calls > kTurnCallsMax) {
    // It may wait for a time that is a little ahead, with calls that all do something: unless
    // others have work, time passes.
    thread.idle_turns = kIdleTurnsMax;
    thread.is_queued = true;
    yielded_.push_back(&thread);
    return false;
  }
  return true;
}

Outcome Supervisor::wait_for(Thread& thread, Waiting::For what, HostTime deadline,
                             std::vector<Interest> interests) {
  got_something_done(thread);
  thread.waiting.what = what;
  thread.waiting.interests = std::move(interests);
  thread.deadline = deadline;
  thread.step_mark = journal_.count();
  if (what == Waiting::For::handles || what == Waiting::For::step) waiting_.push_back(&thread);
  if (deadline != kNever && thread.wait_number == 0) {
    thread.wait_number = ++wait_number_;
    at(deadline, [this, &thread, number = thread.wait_number] {
      if (thread.is_dead || thread.wait_number != number) return;
      thread.timed_out = true;
      thread.timed_out_at = now_;
      thread.expired_waits = 0;
      make_runnable(thread);
    });
  }
  return blocked();
}

long Supervisor::finish_call(Thread& thread) {
  ptrace(PTRACE_SYSCALL, thread.tid, nullptr, nullptr);
  const Stop stop = await(thread.process->pid, thread.tid);
  ++stops_;
  thread.registers = read_registers(thread.tid);
  return stop.kind == StopKind::call_exit ? static_cast<long>(thread.registers.rax) : -EINTR;
}

void Supervisor::replace_call(Thread& thread, long call,
                              const std::array<std::uint64_t, 6>& arguments) {
  Registers registers = thread.registers;
  registers.orig_rax = static_cast<unsigned long long>(call);
  registers.rax = static_cast<unsigned long long>(-ENOSYS);
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.r10 = arguments[3];
  registers.r8 = arguments[4];
  registers.r9 = arguments[5];
  write_registers(thread.tid, registers);
}

/// What the program sees of its registers is as if its own call had been made.
void Supervisor::set_result(Thread& thread, long value) {
  Registers& registers = thread.registers;
  registers.rax = static_cast<unsigned long long>(value);
  registers.rdi = thread.arguments[0];
  registers.rsi = thread.arguments[1];
  registers.rdx = thread.arguments[2];
  registers.r10 = thread.arguments[3];
  registers.r8 = thread.arguments[4];
  registers.r9 = thread.arguments[5];
  write_registers(thread.tid, registers);
}

Outcome Supervisor::wait_in_front(Thread& thread, HostTime deadline, Waiting::For what) {
  set_result(thread, thread.call);
  thread.registers.rip -= 2;
  thread.registers.orig_rax = ~0ULL;
  write_registers(thread.tid, thread.registers);
  ptrace(PTRACE_CONT, thread.tid, nullptr, nullptr);
  const Stop stop = await(thread.process->pid, thread.tid);
  ++stops_;
  thread.registers = read_registers(thread.tid);
  if (stop.kind == StopKind::call) return wait_for(thread, what, deadline);
  // A signal comes first.
  if (stop.kind == StopKind::signal) send_signal_to_self(thread, static_cast<int>(stop.number));
  thread.is_in_call = false;
  make_runnable(thread);
  return blocked();
}

// ---- what is told

void Supervisor::doubt(const std::string& why) {
  if (doubts_.size() < 1000) doubts_.insert(why);
}

void Supervisor::note(const std::string& what) {
  if (notes_.size() < 1000) notes_.insert(what);
}

void Supervisor::record(const Thread& thread, std::int32_t what, std::uint64_t hash) {
  JournalEntry entry;
  entry.time_ns = now_.count();
  entry.program = thread.process->program;
  entry.process = thread.process->index;
  entry.thread = thread.index;
  entry.call = what;
  journal_.add(entry, hash);
}

void Supervisor::record_message(std::uint32_t program, std::uint64_t hash) {
  JournalEntry entry;
  entry.time_ns = now_.count();
  entry.program = program;
  entry.call = kMessageEntry;
  journal_.add(entry, hash);
}

std::string Supervisor::name_of(const Thread& thread) const {
  return fmt::format("{} process {} thread {}", programs_[thread.process->program]->plan.name,
                     thread.process->index, thread.index);
}

ThreadView Supervisor::view_of(const Thread& thread) const {
  ThreadView view;
  view.program = thread.process->program;
  view.name = name_of(thread);
  const std::string call = call_name(static_cast<std::int32_t>(thread.call));
  view.state = thread.is_queued    ? "can run"
               : thread.is_in_call ? fmt::format("waits in {}", call)
                                   : "waits";
  const std::size_t kept = std::min(thread.last_call, thread.last_calls.size());
  for (std::size_t i = thread.last_call - kept; i < thread.last_call; ++i) {
    const CallRecord& record = thread.last_calls[i % thread.last_calls.size()];
    view.last_calls.push_back(fmt::format(
        "{:.9f} {}({:#x}, {:#x}, {:#x})", static_cast<double>(record.time_ns) * 1e-9,
        call_name(record.call), record.arguments[0], record.arguments[1], record.arguments[2]));
  }
  return view;
}

std::vector<ThreadView> Supervisor::threads() const {
  std::vector<ThreadView> views(ended_threads_.begin(), ended_threads_.end());
  for (const auto& process : processes_) {
    for (const Thread* thread : process->threads) views.push_back(view_of(*thread));
  }
  return views;
}

std::vector<ProcessView> Supervisor::process_views() const {
  std::vector<ProcessView> views;
  for (const auto& process : processes_) {
    if (process->is_dead || process->threads.empty()) continue;
    const Program& plan = programs_[process->program]->plan;
    ProcessView view;
    view.program = process->program;
    view.name =
        process->index == 0 ? plan.name : fmt::format("{} process {}", plan.name, process->index);
    view.pid = process->pid;
    view.inner_pid = process->inner_pid;
    for (const Thread* thread : process->threads) {
      view.tids.push_back(thread->tid);
      view.inner_tids.push_back(thread->inner_tid);
    }
    for (const std::string& word : plan.command) {
      view.command += (view.command.empty() ? "" : " ") + word;
    }
    views.push_back(std::move(view));
  }
  return views;
}

namespace {

/// A file that programs see as it is on this machine; others are made up, or nodes' own.
bool is_of_system(const std::string& path, const std::vector<std::string>& visible) {
  constexpr std::string_view kElsewhere[] = {"/proc/", "/sys/", "/dev/",  "/run/",
                                             "/var/",  "/tmp/", "/node/", "/memfd:"};
  constexpr std::string_view kMadeUp[] = {
      "/etc/passwd",        "/etc/group",     "/etc/hosts",       "/etc/nsswitch.conf",
      "/etc/resolv.conf",   "/etc/host.conf", "/etc/ld.so.cache", "/etc/localtime",
      "/etc/ld.so.preload", "/etc/mtab"};
  const auto is_below = [&](std::string_view folder) { return path.starts_with(folder); };
  const bool is_shown = std::any_of(visible.begin(), visible.end(), [&](const std::string& shown) {
    return path == shown || path.starts_with(shown + "/");
  });
  const bool is_seen = std::none_of(std::begin(kElsewhere), std::end(kElsewhere), is_below) &&
                       std::find(std::begin(kMadeUp), std::end(kMadeUp), path) == std::end(kMadeUp);
  std::error_code error;
  return (is_shown || is_seen) && std::filesystem::is_regular_file(path, error);
}

}  // namespace

Report Supervisor::report() const {
  Report report;
  report.doubts.assign(doubts_.begin(), doubts_.end());
  report.notes.assign(notes_.begin(), notes_.end());
  constexpr std::size_t kLostMax = 100;
  const std::vector<LostProcess> lost = lost_processes();
  for (std::size_t i = 0; i < std::min(lost.size(), kLostMax); ++i) {
    report.notes.push_back(fmt::format("{} {} at {:.9f} s, which nobody expected", lost[i].name,
                                       to_string(lost[i].exit),
                                       static_cast<double>(lost[i].time.count()) * 1e-9));
  }
  for (const std::string& file : files_) {
    if (is_of_system(file, plan_.visible)) report.files.push_back(file);
  }
  report.spin_sites = found_sites_;
  report.journal = journal_;
  report.stops = stops_;
  report.inside = inside_;
  report.turns = turns_;
  report.jumps = jumps_;
  report.time = now_;
  report.wall = std::chrono::steady_clock::now() - began_;
  for (std::size_t i = 0; i < call_counts_.size(); ++i) {
    if (call_counts_[i] != 0) {
      report.calls.emplace_back(call_name(static_cast<std::int32_t>(i)), call_counts_[i]);
    }
  }
  std::stable_sort(report.calls.begin(), report.calls.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return report;
}

}  // namespace dissensus::host
