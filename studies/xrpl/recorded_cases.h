// Recorded executions of real servers (rippled-delays): schedules, outcomes, messages and logs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "case_metrics.h"
#include "faults/schedule.h"

namespace dissensus::studies {

struct RecordedCase {
  std::string id;
  std::string group;    ///< a, b, c, c-tx, d-zero, d-rand, d-b3
  std::string version;  ///< 1.7.2 or 2.4.0
  bool same_sequence = true;
  std::uint32_t reserve_xrp = 0;
  std::array<std::uint64_t, 3> balance_drops{};
  faults::Schedule schedule;  ///< empty in the groups without delay
  std::int64_t start_epoch_ms = 0;
  std::array<double, kPayments> submitted_ms{};
  std::array<std::string, kPayments> payment_hash;  ///< their first 8 hexadecimal digits
  /// When each node closed the round that was under way at the start, or the one before: negative
  /// or shortly after 0. It fixes the heartbeat phases and where in its round the network was.
  std::array<double, kNodes> closed_ms{};
  double recovery_ms = 0;  ///< from switching the delays off to two new ledgers everywhere
  bool recovered = false;
  double lateness_p99_ms = 0;  ///< of the relay that delayed the messages
  CaseMetrics metrics;
};

/// Reads case after case; the details of a case come from its own files of messages and logs.
/// Throws InputError for files that are missing or not as documented.
class RecordedCases {
 public:
  explicit RecordedCases(const std::string& folder);
  ~RecordedCases();
  /// False at the end.
  bool next(RecordedCase& recorded);

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

/// True when the folder holds the recorded executions.
bool has_recorded_cases(const std::string& folder);

}  // namespace dissensus::studies
