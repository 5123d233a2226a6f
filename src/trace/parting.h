// Where two recordings of what was meant to be one run part.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace dissensus::trace {

/// The same to whoever judges a run: all that the trace hash has of it.
bool is_same_event(const Record& a, const Record& b);

/// Indices of the first events that differ; one is the number of records where that run is over.
struct Parting {
  std::size_t first = 0;
  std::size_t second = 0;
};
/// Log lines do not matter. None: all events are the same.
std::optional<Parting> parting_of(const std::vector<Record>& first,
                                  const std::vector<Record>& second);

/// "event 12 at 3.5ms: then n0 decides 7, now n1 starts". Both runs are of the system of the
/// header.
std::string to_text(const Parting& parting, const Header& header, const std::vector<Record>& first,
                    const std::vector<Record>& second);

}  // namespace dissensus::trace
