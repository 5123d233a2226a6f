// Standard input and output of programs whose owner speaks with them: real pipes whose other ends
// are ours, so that readiness, waiting and the end of a stream are the kernel's.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "host/model.h"

namespace dissensus::host {

class Supervisor;

/// A pipe: where it is read, and where it is written.
std::array<Handle, 2> make_pipe();

class Pipes {
 public:
  explicit Pipes(Supervisor& supervisor) : supervisor_(supervisor) {}

  /// What becomes the program's.
  struct Ends {
    Handle input;
    Handle output;
  };
  Ends open(ProgramId program);
  /// What does not fit into the pipe waits until the program has read.
  void write(ProgramId program, std::string_view bytes);
  /// Tells what programs have written; before time moves. True when there was something.
  bool drain();
  /// The program has ended: tells what it wrote last.
  void close(ProgramId program);

 private:
  struct Pair {
    Handle input;      ///< we write
    Handle read_end;   ///< of that, so that writing never fails
    Handle output;     ///< we read
    std::string rest;  ///< for its input
  };
  bool drain(ProgramId program, Pair& pair);

  Supervisor& supervisor_;
  std::map<ProgramId, Pair> pairs_;
};

}  // namespace dissensus::host
