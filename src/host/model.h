// What the supervisor knows of programs: processes, threads, what they wait for, and the objects
// behind their descriptors that are ours.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>

#include "dissensus/random.h"

#include "host/answers.h"
#include "host/host.h"
#include "host/socket_options.h"
#include "host/tracee.h"

namespace dissensus::host {

struct Process;
struct SignalReader;
struct Thread;

inline constexpr HostTime kNever = HostTime::max();

/// A descriptor of a program that a thread waits for; the handle is our copy of it.
struct Interest {
  Handle handle;
  short events = 0;
};

/// Why a thread does not run. A call that has to wait is one that is tried again: the thread stays
/// stopped in front of it, and its handler is called anew when something has changed.
struct Waiting {
  enum class For : std::uint8_t {
    nothing,         ///< runs or can run
    time,            ///< only the deadline
    handles,         ///< readiness of descriptors
    futex,           ///< to be woken
    children,        ///< the end of a process it started
    child_runs_own,  ///< vfork: until the child has a program of its own
    signal,          ///< any signal
    step,            ///< anything: asked again at every step
  };
  For what = For::nothing;
  std::vector<Interest> interests;
  std::uint64_t signal_mask = 0;  ///< blocked while it waits, instead of the thread's own
  bool has_signal_mask = false;
  bool takes_any_signal = false;  ///< also one that would do nothing: sigtimedwait
};

struct FutexKey {
  std::uint64_t space = 0;  ///< a process, or the file that is shared
  std::uint64_t address = 0;
  friend auto operator<=>(const FutexKey&, const FutexKey&) = default;
};

struct CallRecord {
  std::int32_t call = -1;
  std::int64_t time_ns = 0;
  std::array<std::uint64_t, 3> arguments{};
};

struct Thread {
  pid_t tid = -1;        ///< as we see it
  pid_t inner_tid = -1;  ///< as programs see it
  Process* process = nullptr;
  std::uint16_t index = 0;
  bool is_dead = false;
  bool is_queued = false;

  Registers registers{};
  long call = -1;
  bool is_in_call = false;  ///< stopped in front of `call`, which is to be tried (again)
  bool is_retry = false;
  std::array<std::uint64_t, 6> arguments{};

  Waiting waiting;
  HostTime deadline = kNever;
  std::uint64_t wait_number = 0;  ///< tells an old deadline from the present one
  bool timed_out = false;
  bool woken = false;
  bool interrupted = false;
  Handle held;                  ///< what the call has opened, and holds while it waits
  std::size_t progress = 0;     ///< bytes of a call that is done piece by piece
  std::uint64_t step_mark = 0;  ///< entries of the journal when it was last tried

  FutexKey futex;
  std::uint32_t futex_bits = 0;
  std::uint64_t clear_tid = 0;

  std::uint32_t idle_calls = 0;   ///< calls in a row by which nothing gets done
  std::uint32_t clock_reads = 0;  ///< in a row, nothing else between
  std::uint32_t idle_turns = 0;
  HostTime timed_out_at{-1};        ///< when it last waited as long as it wanted to
  std::uint32_t expired_waits = 0;  ///< since, for times that had come already
  std::uint32_t turn_calls = 0;
  std::array<CallRecord, 16> last_calls{};
  std::size_t last_call = 0;
};

/// A timer that sends a signal: setitimer, alarm, timer_create.
struct SignalTimer {
  int signal = 0;
  int clock = 0;
  pid_t tid = 0;  ///< as we see it; 0: the process
  std::uint64_t value = 0;
  bool is_silent = false;
  bool is_posix = false;
  int number = 0;
  HostTime next = kNever;
  HostTime interval{};
  std::uint64_t generation = 0;
  bool is_pending = false;
  int overrun = 0;
};

struct Process {
  pid_t pid = -1;
  pid_t inner_pid = -1;
  ProgramId program = 0;
  std::uint16_t index = 0;   ///< among those of its program
  std::uint32_t number = 0;  ///< among all
  MachineId machine = 0;
  Process* parent = nullptr;
  Handle handle;  ///< pidfd
  Random random;
  std::vector<Thread*> threads;  ///< alive, in order of creation
  std::uint16_t threads_made = 0;
  bool is_dead = false;
  bool is_ended_by_owner = false;
  bool is_leader_gone = false;
  bool is_reaped = false;  ///< somebody waited for it and knows of its end
  int status = 0;
  HostTime ended{};
  std::string name;                   ///< of the file that it runs
  std::uint64_t told_signals = 0;     ///< that others of its machine sent, or it asked to get
  HostTime page_time{-1};             ///< what the clock page shows
  HostTime spun{};                    ///< passed because it looked at clocks, or only computed
  std::uint64_t stops = 0;            ///< stands for the processor time that it has used
  std::map<int, SignalTimer> timers;  ///< by id; ITIMER_REAL is -1
  /// ITIMER_VIRTUAL and ITIMER_PROF, in its processor time.
  std::array<SignalTimer, 2> processor_timers;
  HostTime processor_due = kNever;  ///< the next of them
  int next_timer = 0;
  int nice = 0;
  int schedule = 0;  ///< SCHED_OTHER, SCHED_BATCH or SCHED_IDLE, which mean the same here
  std::vector<std::shared_ptr<SignalReader>> signal_readers;
  std::uint64_t unsynced_bytes = 0;
  std::map<std::uint64_t, FutexKey> shared_pages;  ///< cache of futex_key

  bool has_answers = false;  ///< our code is there (answers.h)
  AnswerControl shown;       ///< what it was told last
  bool is_stale = false;     ///< it has changed that since
  bool shares_memory = false;
  bool may_have_signals = false;  ///< that no thread has taken yet
};

/// A program of the owner: its first process and all that come from it.
struct ProgramState {
  Program plan;
  Process* main = nullptr;  ///< the first; or who follows it (Supervisor::end_program)
  bool is_paused = false;
  bool is_done = false;
  std::uint16_t processes = 0;
  std::uint64_t output_bytes = 0;
  bool is_output_cut = false;
  std::array<std::uint64_t, 2> stream_inodes{};
  HostTime spun{};  ///< looked around without waiting
};

/// An object behind a program's descriptor that is not what the program thinks it is. Known by the
/// inode of the socket or pipe, or the number of the counter (counter.h), so that dup, fork and
/// descriptor passing need no bookkeeping.
struct Special {
  enum class Kind : std::uint8_t { stream, datagram, timer, signals, output };
  Kind kind;
  std::uint64_t inode = 0;
  virtual ~Special() = default;

 protected:
  explicit Special(Kind its_kind) : kind(its_kind) {}
};

/// Stands for ::1, which is not 127.0.0.1; and for addresses that nobody has.
inline constexpr std::uint32_t kLoopback6 = 1;
inline constexpr std::uint32_t kNowhere = 2;

/// What all sockets of a network have.
struct InternetSocket : Special {
  int family = 0;
  int protocol = 0;
  MachineId machine = 0;
  Endpoint local;
  SocketOptions options;
  HostTime receive_timeout{};
  HostTime send_timeout{};
  bool has_own_port = false;     ///< it asked for: no other comes in its place
  bool has_own_address = false;  ///< the same
  bool is_shut_for_reading = false;
  bool is_shut_for_writing = false;
  SocketKind type() const { return {family, kind == Kind::stream}; }
  /// Whether what is sent to this address of its machine comes here.
  bool takes(std::uint32_t ip) const;
  /// Of IPv6, with an address of IPv4: the other family is out of its reach.
  bool has_mapped_address() const;
  /// Why it cannot reach this address of its machine or another: 0, or the error.
  int unreachable(std::uint32_t ip) const;
  /// Whether both would take something.
  bool overlaps(const InternetSocket& other) const;

 protected:
  using Special::Special;
};

struct StreamSocket final : InternetSocket {
  StreamSocket() : InternetSocket(Kind::stream) {}
  Endpoint peer;
  enum class State : std::uint8_t { fresh, bound, listening, connecting, connected, failed };
  State state = State::fresh;
  int error = 0;  ///< of a connection that failed; told once
  ConnectionId connection = 0;
  std::string listen_path;
  std::deque<ConnectionId> arrived;  ///< not yet accepted
  std::optional<int> linger;         ///< seconds (SO_LINGER)
  bool is_reset = false;             ///< there is no peer any more
  bool is_spoilt = false;            ///< shut down after its connection had failed

  /// A new one of the same machine and kind, with the options that programs gave this one.
  std::shared_ptr<StreamSocket> made_alike() const {
    auto socket = std::make_shared<StreamSocket>();
    socket->family = family;
    socket->protocol = protocol;
    socket->machine = machine;
    socket->options = options;
    socket->linger = linger;
    socket->receive_timeout = receive_timeout;
    socket->send_timeout = send_timeout;
    return socket;
  }
};

/// What came with a datagram.
struct Arrival {
  Endpoint from;
  Endpoint to;
  std::uint8_t hops = 64;
  std::uint8_t traffic_class = 0;
};

struct DatagramSocket final : InternetSocket {
  DatagramSocket() : InternetSocket(Kind::datagram) {}
  std::optional<Endpoint> peer;
  int error = 0;                ///< nobody was there for one that was sent; told once
  Handle end;                   ///< ours
  std::string program_path;     ///< of the program's
  std::deque<Arrival> arrived;  ///< what is in the program's queue
  std::deque<std::pair<Arrival, std::string>> backlog;
};

struct Timer final : Special {
  Timer() : Special(Kind::timer) {}
  int clock = 0;
  Handle counter;                  ///< our copy of the program's (counter.h)
  const Process* owner = nullptr;  ///< who made it; the timer ends with it
  HostTime next = kNever;
  HostTime interval{};
  std::uint64_t generation = 0;
};

/// A signalfd is a counter that is ready while there is something to read.
struct SignalReader final : Special {
  SignalReader() : Special(Kind::signals) {}
  std::uint64_t mask = 0;
  bool is_ready = false;
  Handle counter;  ///< our copy of the program's
};

struct OutputPipe final : Special {
  OutputPipe() : Special(Kind::output) {}
  Handle end;  ///< ours; nothing ever comes out of it
  ProgramId program = 0;
  Stream stream = Stream::output;
};

/// Of a file, in nanoseconds of the calendar.
struct FileTimes {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t changed = 0;
  std::int64_t made = 0;
};

/// What a descriptor of a thread is.
struct Descriptor {
  Handle handle;  ///< our copy; empty: there is no such descriptor
  struct stat info {};
  std::shared_ptr<Special> special;
  bool is_nonblocking = false;
  bool is_file = false;    ///< a regular file or folder: never waits
  bool is_random = false;  ///< /dev/random, /dev/urandom
  int flags = 0;
};

}  // namespace dissensus::host
