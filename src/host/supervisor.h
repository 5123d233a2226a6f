// The supervisor: decides which thread runs, when time moves, and what a system call means.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "dissensus/random.h"

#include "host/answers.h"
#include "host/disk.h"
#include "host/instructions.h"
#include "host/journal.h"
#include "host/model.h"
#include "host/network.h"
#include "host/pipes.h"
#include "host/sandbox.h"
#include "host/watchdog.h"

namespace dissensus::host {

/// Calls in a row by which nothing gets done, before the turn ends.
inline constexpr std::uint32_t kIdleCallsMax = 100;
/// Waits for a moment at which a wait has timed out already, before the clock moves past it.
inline constexpr std::uint32_t kExpiredWaitsMax = 16;
/// Turns in a row by which nothing gets done, before time passes.
inline constexpr std::uint32_t kIdleTurnsMax = 20;
/// Calls after which others get their turn.
inline constexpr std::uint32_t kTurnCallsMax = 5000;

/// What becomes of a call of a thread.
struct Outcome {
  enum class Next : std::uint8_t {
    answered,  ///< with `value`; the kernel does not see the call
    native,    ///< the kernel does it, and it cannot wait
    finished,  ///< the kernel has done it; the thread is stopped behind it
    blocked,   ///< Thread::waiting says for what
    gone,      ///< the thread has ended
  };
  Next next = Next::native;
  long value = 0;
  bool ends_turn = false;
};

inline Outcome answer(long value) {
  return {Outcome::Next::answered, value, false};
}
inline Outcome native() {
  return {Outcome::Next::native, 0, false};
}
inline Outcome finished(long value) {
  return {Outcome::Next::finished, value, false};
}
inline Outcome blocked() {
  return {Outcome::Next::blocked, 0, false};
}
inline Outcome gone() {
  return {Outcome::Next::gone, 0, false};
}

/// Keeps this thread, and all that it starts, on one processor: a stop is then half as expensive.
class Processor {
 public:
  Processor();
  ~Processor();
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;

 private:
  std::vector<unsigned char> before_;
};

class Supervisor {
 public:
  Supervisor(const Plan& plan, HostListener& listener);
  ~Supervisor();

  // For Host.

  bool run_until(HostTime until);
  void finish_soon() { is_finishing_ = true; }
  ProgramId start(const Program& program);
  void kill(ProgramId program);
  void power_loss(MachineId machine);
  void set_paused(ProgramId program, bool is_paused);
  void signal(ProgramId program, int number);
  std::vector<ThreadView> threads() const;
  std::vector<ProcessView> process_views() const;
  std::vector<LostProcess> lost_processes() const;
  void excuse(std::chrono::nanoseconds real_time);
  Report report() const;
  const std::string& trouble() const { return trouble_; }
  const ProgramState& program(ProgramId id) const { return *programs_.at(id); }
  std::string folder(MachineId machine) const {
    return sandbox_.folder(plan_.machines.at(machine));
  }

  // For the handlers of calls.

  const Plan& plan() const { return plan_; }
  HostListener& listener() { return listener_; }
  Sandbox& sandbox() { return sandbox_; }
  Network& network() { return network_; }
  Pipes& pipes() { return pipes_; }
  Disk& disk() { return disk_; }
  HostTime now() const { return now_; }
  /// Calendar and steady clock of a machine, since their epochs.
  std::chrono::nanoseconds calendar(MachineId machine) const;
  std::chrono::nanoseconds steady(MachineId machine) const;
  void set_calendar_offset(MachineId machine, std::chrono::nanoseconds offset);
  /// A program opened it, or wanted to, or runs it.
  void note_file(const std::string& path);
  /// The same of an open descriptor.
  void note_open_file(pid_t tid, std::int64_t descriptor);
  /// When a clock of this machine will show `value`.
  HostTime time_of(MachineId machine, bool is_calendar, std::chrono::nanoseconds value) const;

  /// What happens at `time`, unless the run is over by then.
  void at(HostTime time, std::function<void()> action);

  void doubt(const std::string& why);
  void note(const std::string& what);
  void record(const Thread& thread, std::int32_t what, std::uint64_t hash);
  void record_message(std::uint32_t program, std::uint64_t hash);

  /// Lets the kernel do the thread's call, which cannot wait, and returns the result.
  long finish_call(Thread& thread);
  /// Changes what the kernel will see as the call.
  void replace_call(Thread& thread, long call, const std::array<std::uint64_t, 6>& arguments);
  /// After finish_call.
  void set_result(Thread& thread, long value);
  /// After finish_call of a call that was asked not to wait, and would have: the thread stands in
  /// front of it again, and tries it when there is something new.
  Outcome wait_in_front(Thread& thread, HostTime deadline, Waiting::For what = Waiting::For::step);

  /// The thread waits; its handler is called again.
  Outcome wait_for(Thread& thread, Waiting::For what, HostTime deadline,
                   std::vector<Interest> interests = {});
  void make_runnable(Thread& thread);
  /// A call by which a program can wait for time to pass without saying so.
  Outcome idle(Thread& thread, long value);
  /// A wait for a moment that has come. Elsewhere it takes a little time all the same, and who
  /// waits until the clock is past the moment, not at it, needs that (Ruby's sleep): the clock
  /// moves.
  Outcome expire(Thread& thread, long value);
  Outcome clock_read(Thread& thread, long value);
  void got_something_done(Thread& thread);

  Descriptor descriptor(const Thread& thread, int fd);
  /// Only our copy, where nothing else has to be known: a quarter of the calls.
  static Handle copy_of(const Thread& thread, int fd);
  void add_special(const Handle& handle, std::shared_ptr<Special> special);
  /// The same of a timerfd or signalfd (counter.h). False: the kernel does not take the number.
  bool add_counter(const Handle& handle, std::shared_ptr<Special> special);
  /// Null: there is none of this number.
  std::shared_ptr<Special> counter_of(std::uint64_t number) const;

  /// Puts a thread to sleep in the right queue; wakes `count` of those whose bits match.
  void futex_enqueue(Thread& thread, const FutexKey& key, std::uint32_t bits);
  int futex_wake(const FutexKey& key, int count, std::uint32_t bits);
  int futex_requeue(const FutexKey& from, const FutexKey& to, int count);
  void futex_leave(Thread& thread);
  bool futex_has_waiters(const FutexKey& key) const { return futexes_.contains(key); }
  Thread* futex_first(const FutexKey& key);
  FutexKey futex_key(Thread& thread, std::uint64_t address, bool is_private);

  /// Threads of this process that wait may have been sent a signal.
  void look_for_signals(Process& process);
  /// A signalfd is ready while a signal that it names waits for the process, or for `reader`.
  void refresh_signal_readers(Process& process, const Thread* reader);
  void add_signal_reader(Process& process, std::shared_ptr<SignalReader> reader);
  void send_timer_signal(Process& process, SignalTimer& timer);
  void arm_timer(Process& process, int id);
  Process* process_of_inner(pid_t inner_pid);
  Process* process_of_handle(const Handle& handle);
  Thread* thread_of_inner(pid_t inner_tid);
  /// `program` writes to standard output or error.
  void write_output(ProgramId program, Stream stream, std::string_view bytes, const Thread& thread);
  /// Of which processes of this machine have descriptors, by inode.
  /// Our copy of a descriptor of some process of this machine, by inode; empty: nobody has it.
  Handle find_descriptor(MachineId machine, std::uint64_t socket) const;
  std::set<std::uint64_t> open_sockets(MachineId machine) const;
  /// A file was written or made now, by a program of this machine.
  void touch(const struct stat& file, MachineId machine);
  void touch(std::uint64_t inode, MachineId machine);
  /// When, in nanoseconds of the calendar; files that no program has touched are of the beginning.
  FileTimes& times_of(std::uint64_t inode);
  const FileTimes& times_of(std::uint64_t device, std::uint64_t inode) const;
  /// Of files that programs can write to.
  bool is_own_device(std::uint64_t device) const { return device == folder_device_; }
  std::uint64_t virtual_inode(std::uint64_t device, std::uint64_t inode);
  std::uint64_t virtual_device(std::uint64_t device);
  std::size_t thread_count() const { return by_tid_.size(); }
  void wake_orphans();
  Outcome end_thread(Thread& thread);
  Outcome end_process(Thread& thread);
  void look_at_code(Process& process, pid_t tid, std::uint64_t begin, std::uint64_t end);
  const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }
  void kill_process(Process& process);
  /// Somebody waited for this process, by the number that programs see, and knows how it ended.
  void mark_reaped(pid_t inner_pid);
  void send_signal_to_self(Thread& thread, int number);
  void end_waits_for_children(Process& parent);

 private:
  using Agenda = std::map<std::pair<HostTime, std::uint64_t>, std::function<void()>>;

  void step_to(HostTime time);
  void run_queue();
  bool poll_waiting();
  bool revive_yielded();
  /// Time moves on by itself while a thread waits for the clock.
  bool spin_on(Process& process);
  void fire_processor_timers(Process& process);
  void count_spinning(HostTime step);
  void run_turn(Thread& thread);
  bool resume(Thread& thread, int signal);
  /// Says what may be answered inside until the next stop, and hears what was (answers.h).
  void tell_answers(Thread& thread);
  void hear_answers(Thread& thread);
  bool may_answer(Thread& thread);
  AnswerControl answers_for(Thread& thread);
  /// Counts a call of this thread and enters it into the journal.
  void enter_call(Thread& thread);
  /// The thread goes on with a signal, which may end its process.
  void wait_for_signal(Thread& thread);
  /// False: the turn is over.
  bool on_stop(Thread& thread, const Stop& stop, int& signal);
  bool on_call(Thread& thread);
  bool try_call(Thread& thread);
  bool on_signal(Thread& thread, int number, int& signal);
  bool apply(Thread& thread, const Outcome& outcome);
  void on_created(Thread& thread, pid_t tid, bool is_vfork);
  void on_executed(Thread& thread, pid_t former);
  void on_preempted(Thread& thread);
  void prepare(Thread& thread);
  void refresh_clock(Process& process, pid_t tid);
  bool interrupt(Thread& thread);
  Thread& add_thread(Process& process, pid_t tid);
  void forget_thread(Thread& thread);
  void reap_process(Process& process);
  void finish_process(Process& process);
  void forget_counters(Process& process);
  void end_program(Process& process);
  void collect(Process& process);
  void release_vfork_parent(Process& child);
  bool check_limits();
  /// A limit of real time or memory may have been hit.
  bool is_alarmed() const {
    return watchdog_.is_over_time() || watchdog_.is_stuck() || watchdog_.is_over_memory();
  }
  /// Waits until a thread of a program stops, under the watchdog's eyes: nothing that a program
  /// does may keep us here.
  Stop await(pid_t pid, pid_t tid);
  Stop await(const Thread& thread);
  Stop await_new_program(const Thread& thread);
  bool is_stopped(const Thread& thread);
  void queue_back(Thread& thread);
  std::size_t pick();
  ThreadView view_of(const Thread& thread) const;
  void keep_ended(std::vector<ThreadView> views);
  std::string name_of(const Thread& thread) const;

  Plan plan_;
  HostListener& listener_;
  Processor processor_;  ///< before the sandbox: what it starts runs there, too
  Sandbox sandbox_;
  Network network_;
  Pipes pipes_;
  Disk disk_;
  std::chrono::steady_clock::time_point began_;
  Watchdog watchdog_;
  Instructions instructions_;
  Gates gates_;
  HostTime now_{};
  std::vector<std::chrono::nanoseconds> calendar_offsets_;
  std::vector<std::chrono::seconds> uptimes_;  ///< by machine: what clocks show at time 0
  std::set<std::string> files_;                ///< that programs opened or ran, as they name them
  Agenda agenda_;
  std::uint64_t agenda_number_ = 0;
  std::uint64_t wait_number_ = 0;
  HostTime until_{};
  bool is_finishing_ = false;
  bool was_idle_ = false;  ///< what the last call did
  std::deque<ThreadView> ended_threads_;
  std::string trouble_;
  Random order_;

  std::vector<std::unique_ptr<ProgramState>> programs_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<std::unique_ptr<Thread>> all_threads_;
  std::unordered_map<pid_t, Thread*> by_tid_;
  std::vector<Thread*> ready_;  ///< can run, from ready_first_ on
  std::size_t ready_first_ = 0;
  HostTime spin_step_{};
  HostTime computed_{};    ///< by a thread that had to be stopped
  HostTime idle_since_{};  ///< all who could run only look around, since then and
  HostTime idle_until_{};  ///< until then
  std::vector<Thread*> yielded_;
  std::vector<Thread*> held_;     ///< runnable, but their program is paused
  std::vector<Thread*> waiting_;  ///< for handles or steps, in order of waiting
  std::map<FutexKey, std::deque<Thread*>> futexes_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<Special>> specials_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Special>> counters_;  ///< by number
  bool has_signal_readers_ = false;                                       ///< some process
  std::uint64_t proc_device_ = 0;                                         ///< as programs see it
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> inodes_;
  std::map<std::uint64_t, std::uint64_t> devices_;
  std::uint64_t folder_device_ = 0;  ///< of all files that programs can write to
  FileTimes old_times_;
  std::unordered_map<std::uint64_t, FileTimes> file_times_;  ///< by inode

  Journal journal_;
  std::set<std::string> doubts_;
  std::set<std::string> notes_;
  std::vector<SpinSite> found_sites_;
  std::array<std::uint64_t, 512> call_counts_{};
  std::uint64_t stops_ = 0;
  std::uint64_t inside_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t jumps_ = 0;
};

/// That a process has used, as it is told.
std::chrono::nanoseconds processor_time(const Process& process);

using Handler = Outcome (*)(Supervisor& supervisor, Thread& thread);
/// Null: nobody has thought about this call.
Handler handler_of(long call);

}  // namespace dissensus::host
