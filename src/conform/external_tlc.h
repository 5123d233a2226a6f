// TLC as a second opinion: writes a trace and the model as one specification for the TLC that the
// user names, and reads what it says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "conform/bound_mapping.h"
#include "conform/observed_trace.h"

namespace dissensus::conform {

struct TlcOptions {
  std::string jar;  ///< tla2tools.jar, or several paths as a class path
  std::string java = "java";
  std::size_t events_most = 2'000;  ///< of the trace: TLC reads it as one formula
};

struct TlcVerdict {
  bool is_admitted = false;
  bool is_cut = false;      ///< the trace goes on after what TLC was given
  std::size_t events = 0;   ///< events given to TLC
  std::size_t refused = 0;  ///< number of the first event that it does not admit, from 1
  double seconds = 0;
};

/// Throws InputError when TLC cannot be run or does not come to an end with a verdict.
TlcVerdict judge_with_tlc(BoundMapping& mapping, const std::string& spec_path,
                          const ObservedTrace& trace, const TlcOptions& options);

/// The module that is given to TLC, for tests and for people who want to look.
std::string trace_module(BoundMapping& mapping, const ObservedTrace& trace, std::size_t events_most,
                         std::size_t& events);

}  // namespace dissensus::conform
