// What stands behind a timerfd or signalfd of a program: a timerfd of the kernel that is never
// armed. How often it has expired is set by us, so that it is ready when we say so, and to the
// program it is what it asked for: it can be neither written, mapped, nor sent to.
#pragma once

#include <cstdint>

namespace dissensus::host {

/// All such descriptors share an inode. What tells them apart is a number, kept where the kernel
/// keeps the interval of the timer.
bool name_counter(int fd, std::uint64_t number);
/// 0: it is none of ours.
std::uint64_t counter_number(int fd);

/// False: this kernel cannot (it lacks CONFIG_CHECKPOINT_RESTORE).
bool set_counter(int fd, std::uint64_t count);
/// How often it has expired since somebody looked; from then on it is not ready. Never waits.
std::uint64_t take_counter(int fd);

}  // namespace dissensus::host
