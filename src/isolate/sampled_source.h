// Isolation from a part of what happened: of the messages, as a monitor sees them that cannot
// afford to record all, and of the successful runs, which are many.
#pragma once

#include <cstdint>
#include <string>

#include "isolate/run_source.h"

namespace dissensus::isolate {

struct Sampling {
  double messages = 1;    ///< share of received messages that is looked at, drawn one by one
  double successful = 1;  ///< share of successful runs; failing ones are all kept
  std::uint64_t seed = 1;
};

/// The same sample for the same seed, whatever the order of runs: drawn by the names of runs.
class SampledSource final : public RunSource {
 public:
  /// `source` must outlive this.
  SampledSource(RunSource& source, const Sampling& sampling)
      : source_(source), sampling_(sampling) {}
  std::string name() const override { return source_.name(); }
  const Schema& schema() const override { return source_.schema(); }
  bool next(Run& run) override;

 private:
  RunSource& source_;
  Sampling sampling_;
};

}  // namespace dissensus::isolate
