// A program that was just loaded, made ready for virtual time: the clock is read from a page that
// we write, random bytes that the kernel gave are ours, and instructions that tell real time stop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "dissensus/random.h"

#include "host/tracee.h"

namespace dissensus::host {

/// What the replaced vDSO reads. Addresses are the same in every program.
struct ClockPage {
  std::uint64_t real_seconds;
  std::uint64_t real_nanoseconds;
  std::uint64_t real_microseconds;  ///< of the second
  std::uint64_t steady_seconds;
  std::uint64_t steady_nanoseconds;
  std::uint64_t reads;      ///< counted by the program since the page was written
  std::uint64_t reads_max;  ///< more of them become system calls: the program may be spinning
};
/// Between the stack and where the kernel begins to place mappings, downwards; sanitizers, too,
/// leave this part to the program.
inline constexpr std::uint64_t kClockPageAddress = 0x7fff'f810'0000;
inline constexpr std::uint64_t kClockCodeAddress = 0x7fff'f810'1000;

/// Makes a system call in the name of a thread that is stopped after one. Returns its result.
long inject_call(pid_t tid, long number, std::uint64_t a = 0, std::uint64_t b = 0,
                 std::uint64_t c = 0, std::uint64_t d = 0, std::uint64_t e = 0,
                 std::uint64_t f = 0);

/// The thread is stopped at the end of execve. Returns what could not be done, for people.
std::vector<std::string> prepare_image(pid_t tid, Random& random);

/// A mapping of a process (/proc/<pid>/maps).
struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::string permissions;  ///< "r-xp"
  std::string device;
  std::uint64_t inode = 0;
  std::string path;
};
std::vector<Mapping> read_mappings(pid_t pid);

}  // namespace dissensus::host
