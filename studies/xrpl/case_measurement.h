// Reads the metrics of a case off the records of its run.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "dissensus/description.h"

#include "case_metrics.h"
#include "trace/trace.h"

namespace dissensus::studies {

class CaseMeasurement {
 public:
  /// The window begins at `start`; records before it matter only as the beginning of intervals.
  CaseMeasurement(std::span<const trace::Record> records, const SystemDescription& description,
                  Time start);

  /// False when the run ended before the case did.
  bool is_over() const { return over_; }
  const CaseMetrics& metrics() const { return metrics_; }

 private:
  void find_end(std::span<const trace::Record> records);
  void measure(std::span<const trace::Record> records);
  void count_message(const trace::Record& record);
  void follow_phase(const trace::Record& record);
  void follow_ledger(const trace::Record& record);
  double seconds_since_start(Time time) const {
    return static_cast<double>((time - start_).count()) / 1e6;
  }

  const SystemDescription& description_;
  Time start_;
  Time end_ = Time::max();
  bool over_ = false;
  CaseMetrics metrics_;
  struct NodeState {
    std::optional<Time> validated;  ///< last validated ledger
    std::optional<Time> closed;     ///< within the window
    std::optional<Time> accepted;   ///< within the window
  };
  std::array<NodeState, kNodes> nodes_;
};

/// When every node had two new validated ledgers and at least 4.2 s had passed, as in the recorded
/// executions; nothing if that did not happen.
std::optional<Time> recovery_end(std::span<const trace::Record> records,
                                 const SystemDescription& description, Time since);

}  // namespace dissensus::studies
