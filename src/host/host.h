// Unmodified x86-64 Linux programs in virtual time: repeatable, in a sandbox, on a network that
// belongs to the caller. docs/virtual-time.md says what is covered and what is not.
//
//   Host host(plan, listener);
//   host.start({.machine = 0, .command = {"/usr/bin/etcd", ...}});
//   host.run_until(30s);      // calls the listener; returns early when it asks for that
//
// Time stands still while any thread can run and then jumps to the next timer or delivery. One
// thread of all programs runs at a time, until it blocks. Equal plans, and equal calls at equal
// times, give equal runs; Report::doubts lists every reason why this one might not.
//
// A Host belongs to the thread that made it. Everything it started ends with it, also when this
// program is killed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/outside.h"

#include "host/journal.h"

namespace dissensus::host {

/// Time since the host was made.
using HostTime = std::chrono::nanoseconds;

using MachineId = std::uint16_t;
using ProgramId = std::uint32_t;
using ConnectionId = std::uint32_t;
/// Where the owner's own connections come from, and which program makes them.
inline constexpr MachineId kOwnerMachine = UINT16_MAX;
inline constexpr ProgramId kOwnerProgram = UINT32_MAX;

/// A limit on everything; what was hit is in the report.
struct Limits {
  /// Per process, and resident of all together. Programs that are built with a sanitizer reserve
  /// far more addresses than they use: of these only the latter counts.
  std::uint64_t memory_bytes = 4ULL << 30;
  std::uint64_t folder_bytes = 2ULL << 30;       ///< all folders together
  std::uint64_t output_bytes = 16ULL << 20;      ///< per program; what follows is counted, not kept
  std::size_t threads = 1024;                    ///< alive at once, all programs together
  std::chrono::milliseconds wall_time{600'000};  ///< of the whole run
  std::chrono::milliseconds stop_time{4000};  ///< for which a thread may compute without any call
};

/// What writing costs, and what a loss of power takes.
struct DiskModel {
  std::chrono::nanoseconds write{0};   ///< per call that writes to a file
  std::chrono::nanoseconds sync{0};    ///< per fsync and its like
  std::uint64_t bytes_per_second = 0;  ///< added to a sync for what was written before; 0: free
  bool keeps_unsynced = false;         ///< remember what a loss of power takes (power_loss)
};

struct Machine {
  std::string name;      ///< also its host name: letters, digits, '-'
  std::string contents;  ///< a folder that is copied to /node first; empty: nothing
};

enum class ThreadOrder : std::uint8_t {
  first_come,
  seeded,  ///< which runnable thread goes next is drawn from the seed
};

/// How calls that need no stop are answered. Runs are the same either way.
enum class Answers : std::uint8_t {
  inside,  ///< by code that is put into programs (answers.h)
  stops,   ///< by the supervisor, like all others
};

struct Plan {
  std::uint64_t seed = 1;
  std::vector<Machine> machines;
  /// Files and folders that programs see, read only, besides the system's (/usr, /lib...).
  std::vector<std::string> visible;
  Limits limits;
  DiskModel disk;
  ThreadOrder order = ThreadOrder::first_come;
  /// Steady clocks of machines differ, as of machines that were switched on at different moments.
  bool has_own_uptimes = true;
  Answers answers = Answers::inside;
  std::int64_t epoch_seconds = 1'798'761'600;  ///< what calendars show at time 0: 2027-01-01
  /// Sleeps are at least this long. Runtimes that poll in microseconds then cost fewer stops.
  std::chrono::nanoseconds sleep_min{0};
  /// Instructions of spin loops that earlier runs found (Report::spin_sites).
  std::vector<SpinSite> spin_sites;
};

struct Program {
  MachineId machine = 0;
  std::string name;                      ///< for people
  std::vector<std::string> command;      ///< the first is an absolute path
  std::vector<std::string> environment;  ///< "NAME=value", besides PATH, HOME, LANG, TMPDIR, TZ
  std::string input;                     ///< standard input
  /// Standard input and output are pipes whose other ends are the owner's: Host::write, and
  /// on_output, which then hears everything, however much that is.
  bool is_piped = false;
  /// Of the random bytes that its first process draws; none: the plan's, for each process another.
  std::optional<std::uint64_t> random_seed{};
};

struct Endpoint {
  std::uint32_t ip = 0;
  std::uint16_t port = 0;
};
std::string to_string(const Endpoint& endpoint);
/// The address of a machine: 127.0.0.(10 + number), then 127.0.1.x and so on. 127.0.0.1 is, on
/// every machine, the machine itself.
std::uint32_t address_of(MachineId machine);

struct Connection {
  ConnectionId id = 0;
  Endpoint from;  ///< who connects
  Endpoint to;
  MachineId from_machine = 0;
  MachineId to_machine = 0;
  ProgramId program = 0;  ///< of the program that connects
};

enum class Side : std::uint8_t { connector, acceptor };

struct Datagram {
  Endpoint from;
  Endpoint to;
  MachineId from_machine = 0;
  MachineId to_machine = 0;
  std::string bytes;
  std::uint8_t hops = 64;  ///< that it may still make: what receivers can ask for
  std::uint8_t traffic_class = 0;
};

enum class Stream : std::uint8_t { output, errors };

/// How a program ended.
struct Exit {
  int code = 0;    ///< if signal is 0
  int signal = 0;  ///< that ended it
  bool by_owner = false;
};
std::string to_string(const Exit& exit);

/// Hears what programs do while run_until runs. May call everything of Host but run_until.
class HostListener {
 public:
  virtual ~HostListener() = default;

  // The network between machines; what stays on one machine is not told. A connection is opened by
  // Host::knock at the acceptor and then Host::answer at the connector; after that bytes are
  // delivered in the order in which they were told.

  virtual void on_connect(const Connection& connection) = 0;
  virtual void on_bytes(const Connection& connection, Side from, std::string bytes) = 0;
  /// This side will send no more; with `gone` it will not read either.
  virtual void on_end(const Connection& connection, Side from, bool gone) = 0;
  virtual void on_datagram(Datagram datagram) = 0;

  virtual void on_output(ProgramId program, Stream stream, std::string_view bytes) = 0;
  /// Its main process has ended, and all others with it. A main process that exits with 0 while
  /// others of the program live is followed by the oldest of them, as where a server goes into the
  /// background: that is no end.
  virtual void on_exit(ProgramId program, const Exit& exit) = 0;
  /// It has looked around without ever waiting while others had nothing to do: for another second.
  virtual void on_spin(ProgramId /*program*/) {}
};

/// One thread as it is now, for people (Host::threads).
struct ThreadView {
  ProgramId program = 0;
  std::string name;                     ///< "etcd0 process 2 thread 5"
  std::string state;                    ///< "waits in epoll_pwait"
  std::vector<std::string> last_calls;  ///< oldest first
};

/// One process as it is now, for people (Host::processes).
struct ProcessView {
  ProgramId program = 0;
  std::string name;  ///< "etcd0", "etcd0 process 2"
  int pid = -1;      ///< as everybody sees it
  int inner_pid = -1;
  std::vector<int> tids;  ///< as everybody sees them; the first is the pid, if that thread lives
  std::vector<int> inner_tids;
  std::string command;
};

/// A process besides the main one of its program that ended badly, which nobody expected: neither
/// did another process of its machine send it that signal, nor did any wait for its exit code.
struct LostProcess {
  ProgramId program = 0;
  std::string name;  ///< "etcd0 process 2 (helper)"
  Exit exit;
  HostTime time{};
};

/// What came of a run.
struct Report {
  /// Why the run is not proven repeatable, a line each; empty: nothing is known against it.
  std::vector<std::string> doubts;
  std::vector<std::string> notes;    ///< limits that were hit, files that were hidden
  std::vector<SpinSite> spin_sites;  ///< found in this run, for the plan of the next
  std::vector<std::string> files;    ///< of this machine, that programs opened or ran
  Journal journal;                   ///< hashes per step, to compare runs with
  std::uint64_t stops = 0;           ///< times a program was stopped
  std::uint64_t inside = 0;          ///< calls that were answered without a stop
  std::uint64_t turns = 0;           ///< times a thread was given the processor
  std::uint64_t jumps = 0;           ///< times the clock moved
  HostTime time{};
  std::chrono::nanoseconds wall{};
  std::vector<std::pair<std::string, std::uint64_t>> calls;  ///< how often, most frequent first
};

/// Files of a run's folder: the report as text, and its journal.
inline constexpr const char* kReportFile = "host.txt";
inline constexpr const char* kJournalFile = "host.journal";

/// For people, several lines.
std::string to_text(const Report& report);
/// The doubts that such a text names.
std::vector<std::string> doubts_in(std::string_view report_text);
/// The notes that it has.
std::vector<std::string> notes_in(std::string_view report_text);
std::string to_text(const std::vector<ThreadView>& threads);
/// Where to look at them while they stand still.
std::string to_text(const std::vector<ProcessView>& processes);

class Supervisor;

class Host {
 public:
  /// Throws OutsideError, with one line that says what is missing, where programs cannot be run
  /// like this: another architecture, no namespaces, no ptrace.
  Host(const Plan& plan, HostListener& listener);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  HostTime now() const;
  /// Lets programs run until this time has come, or the listener called finish_soon, or nothing can
  /// ever happen again and `until` is the end of time. False: the run cannot go on; trouble() says
  /// why.
  bool run_until(HostTime until);
  /// run_until returns before time moves again.
  void finish_soon();
  /// Why the run cannot go on, in one line for people; empty while it can.
  std::string trouble() const;

  ProgramId start(const Program& program);
  bool is_running(ProgramId program) const;
  /// Ends it and all that it started, at once.
  void kill(ProgramId program);
  /// The machine stops at once: all its programs end and, if the disk model keeps what was not
  /// synced, a part of that is lost: of each file, the writes from some point on, which the seed
  /// draws. Covered are write, pwrite, their vectors and ftruncate. Names of files, and what is
  /// written through shared mappings, count as synced.
  void power_loss(MachineId machine);
  /// Syncs on this machine that begin from now on take so much longer than the disk model says.
  void slow_disk(MachineId machine, HostTime extra);
  /// Its threads get no processor; its connections stay.
  void pause(ProgramId program);
  void resume(ProgramId program);
  void signal(ProgramId program, int number);
  /// These bytes arrive at the standard input of a program with pipes.
  void write(ProgramId program, std::string_view bytes);
  /// Its calendar goes ahead by this much from now on.
  void set_calendar_offset(MachineId machine, std::chrono::nanoseconds offset);

  /// The request of a connection arrives: false if nothing listens there.
  bool knock(ConnectionId connection);
  /// The answer arrives where the connection was asked for.
  void answer(ConnectionId connection, bool accepted);
  /// No answer came for too long.
  void give_up(ConnectionId connection);
  void deliver(ConnectionId connection, Side to, std::string_view bytes);
  /// The end of what the other side sent arrives; with `gone` writing fails from now on.
  void deliver_end(ConnectionId connection, Side to, bool gone);
  void deliver(const Datagram& datagram);
  /// The owner itself connects to a program, as if from this address. Nothing: nobody listens. From
  /// then on it is the connector: on_bytes and on_end tell what the program sends, deliver with
  /// Side::acceptor answers.
  std::optional<ConnectionId> dial(const Endpoint& from, MachineId machine, std::uint16_t port);
  /// True when a program on this machine listens at this port for other machines.
  bool is_listening(MachineId machine, std::uint16_t port) const;

  /// A path of this process under which a machine's /node is found while the host lives.
  std::string folder(MachineId machine) const;

  /// In the order of their beginnings.
  std::vector<LostProcess> lost_processes() const;
  /// First those of processes that ended badly by themselves, as they were then.
  std::vector<ThreadView> threads() const;
  // While run_until does not run, programs stand still and can be looked at.

  std::vector<ProcessView> processes() const;
  /// A core file of each, for a debugger; returns their names.
  std::vector<std::string> write_cores(const std::string& folder) const;
  /// For so long somebody looked at them: no limit of real time counts this.
  void excuse(std::chrono::nanoseconds real_time);

  /// Valid at any time; complete after the last run_until.
  Report report() const;

 private:
  std::unique_ptr<Supervisor> supervisor_;
};

}  // namespace dissensus::host
