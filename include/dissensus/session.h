// Systems whose servers can stay up from one run to the next. A run is then a function of its own
// schedule and seed and of those of all runs since the servers were started.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "dissensus/system.h"

namespace dissensus {

/// Runs one after another on servers that are started once for several of them. One thread makes,
/// uses and destroys it. Equal sessions with equal runs give equal runs.
class Session {
 public:
  virtual ~Session() = default;
  /// In the place of System::make_cluster. The one before it is gone.
  virtual std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) = 0;
  /// How many runs the servers of the last cluster had had before it.
  virtual std::size_t earlier_runs() const = 0;
};

/// What such a System is as well.
class SessionMaker {
 public:
  virtual ~SessionMaker() = default;
  /// Servers have `runs_per_start` runs at most, and fewer if they do not recover from one. Null:
  /// as configured, every run needs a start of its own.
  virtual std::unique_ptr<Session> make_session(std::size_t runs_per_start) const = 0;
};

}  // namespace dissensus
