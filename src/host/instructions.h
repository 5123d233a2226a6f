// Instructions by which a program could learn what differs from run to run: the time stamp counter,
// the number of its processor, random numbers of the processor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "dissensus/random.h"

#include "host/image.h"
#include "host/journal.h"
#include "host/tracee.h"

namespace dissensus::host {

class Instructions {
 public:
  explicit Instructions(std::vector<SpinSite> spin_sites) : spin_sites_(std::move(spin_sites)) {}

  /// Once per program, at the end of execve: makes CPUID stop where the processor can do that.
  /// False: it cannot.
  static bool trap_cpuid(pid_t tid);

  /// Looks through executable code: random instructions and known spin loops become stops.
  void look_through(std::uint32_t process, pid_t tid, const Mapping& mapping);
  void forget(std::uint32_t process);
  void copy(std::uint32_t from, std::uint32_t to);

  enum class Kind : std::uint8_t { none, clock, identity, random, spin };
  /// A fault of this thread: carries out the instruction if it is one of these and moves on.
  Kind carry_out(std::uint32_t process, pid_t tid, int signal, std::uint64_t clock, Random& random,
                 Registers& registers);

  /// A thread was found computing here: the nearest PAUSE, turned into a stop. Empty path: there
  /// is none.
  SpinSite stop_spinning(std::uint32_t process, pid_t tid, std::uint64_t address);

 private:
  struct Site {
    Kind kind = Kind::none;
    std::vector<unsigned char> bytes;  ///< of the whole instruction, as it was
  };
  using Found = std::vector<std::pair<std::uint64_t, std::vector<unsigned char>>>;
  static Found find_random(pid_t tid, const Mapping& mapping);
  void patch(std::uint32_t process, pid_t tid, std::uint64_t address, Site site);

  std::vector<SpinSite> spin_sites_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Site> sites_;
  /// By device, inode, offset and length: what was found there, by offset in the mapping.
  std::map<std::string, Found> cache_;
};

}  // namespace dissensus::host
