// What system calls mean in virtual time, one table per idea.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <signal.h>
#include <time.h>

#include "host/supervisor.h"

namespace dissensus::host {

struct CallEntry {
  int call;
  Handler handler;
};

std::span<const CallEntry> clock_calls();
std::span<const CallEntry> timer_calls();
std::span<const CallEntry> futex_calls();
std::span<const CallEntry> readiness_calls();
std::span<const CallEntry> data_calls();
std::span<const CallEntry> socket_calls();
std::span<const CallEntry> file_calls();
std::span<const CallEntry> process_calls();
std::span<const CallEntry> signal_calls();
std::span<const CallEntry> signalfd_calls();
std::span<const CallEntry> move_calls();
std::span<const CallEntry> times_calls();
std::span<const CallEntry> queue_calls();
std::span<const CallEntry> machine_calls();

// Shared by handlers.

inline timespec to_timespec(std::chrono::nanoseconds value) {
  return {value.count() / 1'000'000'000, value.count() % 1'000'000'000};
}
/// Saturates far in the future.
std::chrono::nanoseconds to_duration(const timespec& value);
HostTime after(HostTime now, std::chrono::nanoseconds delay);
/// A calendar clock, as opposed to a steady one.
bool is_calendar_clock(int clock);

/// Reads from a signalfd, with something there or not.
Outcome read_signals(Supervisor& supervisor, Thread& thread, const SignalReader& reader);
/// A signal was taken from the kernel's queue. False: nobody is to see it, for it is of a timer
/// that has been deleted since.
bool took_signal(Process& process, const siginfo_t& info);

/// Linux tells how much of a limit was left: select, pselect and ppoll.
void write_time_left(const Thread& thread, HostTime now);

/// What a file of a process's folder in /proc says, where we write it: "status", "statm".
std::optional<std::string> process_text(const Process& process, std::string_view name);

inline bool is_kind(const Descriptor& descriptor, Special::Kind kind) {
  return descriptor.special != nullptr && descriptor.special->kind == kind;
}

/// A timerfd, by its number, is to expire once: after `value` or, by flags of timerfd_settime, when
/// its clock shows it; not at all if it is 0.
void set_timer(Supervisor& supervisor, const Process& process, std::uint64_t number,
               std::uint64_t flags, std::chrono::nanoseconds value);

/// Neither connected nor about to be: what reading it answers then.
bool is_unconnected(const StreamSocket& socket);
long unconnected_read(StreamSocket& socket);
/// The error that the next call on this socket tells, once; the kernel has one in its place.
int take_error(const Descriptor& descriptor, DatagramSocket& socket);

/// A descriptor that is ready when we say so (counter.h), in place of the one that the call makes.
/// Negative: the error.
long make_counter(Supervisor& supervisor, Thread& thread, std::uint64_t flags,
                  const std::shared_ptr<Special>& special, Handle& copy);

/// A path of a program as one from its root.
std::string absolute_path(const Thread& thread, int folder, const std::string& path);
/// The file that a program means; empty: there is none.
Handle find_file(const Thread& thread, int folder, const std::string& path, bool follows);

inline int descriptor_argument(const Thread& thread, std::size_t index) {
  return static_cast<int>(static_cast<std::uint32_t>(thread.arguments[index]));
}

}  // namespace dissensus::host
