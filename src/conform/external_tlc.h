// TLC as a second opinion: writes a trace and the model as one specification for the TLC that the
// user names, and reads what it says.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conform/bound_mapping.h"
#include "conform/observed_trace.h"

namespace dissensus::conform {

struct TlcOptions {
  std::string jar;  ///< tla2tools.jar, or several paths as a class path
  std::string java = "java";
};

struct TlcVerdict {
  bool is_admitted = false;
  std::size_t refused = 0;  ///< number of the first event that it does not admit, from 1
  double seconds = 0;
};

/// TLC reads the trace as one formula: a few hundred events are quick. Properties of the mapping
/// are not judged. Throws InputError for a mapping with hidden steps, and when TLC cannot be run or
/// does not come to an end with a verdict.
TlcVerdict judge_with_tlc(BoundMapping& mapping, const std::string& spec_path,
                          const ObservedTrace& trace, const TlcOptions& options);

/// The module that is given to TLC, for tests and for people who want to look.
struct TraceModule {
  std::string text;
  std::vector<std::size_t> events;  ///< by step of the module: number of its event, from 1
};
TraceModule trace_module(BoundMapping& mapping, const ObservedTrace& trace);

}  // namespace dissensus::conform
