// What can go wrong with real servers, as one line for people.
#pragma once

#include <stdexcept>
#include <string>

#include "dissensus/outside.h"

namespace dissensus::live {

/// Bytes of a peer that break the protocol: the link they came from is to be closed. The message
/// names what was wrong and never contains a secret.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An outside circumstance: port in use, server that died, disk full. It may go away by itself.
class LiveError : public OutsideError {
 public:
  using OutsideError::OutsideError;
};

/// What was named as a server is none: no such file, another program.
class NoServerProgram : public LiveError {
 public:
  using LiveError::LiveError;
};

/// A folder that cannot be written, a disk without room: somebody has to do something about it.
class NoPlaceForServers : public LiveError {
 public:
  using LiveError::LiveError;
};

}  // namespace dissensus::live
