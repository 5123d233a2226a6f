// What is measured of one test case, on real servers and in the simulator alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dissensus::studies {

inline constexpr std::size_t kNodes = 5;
inline constexpr std::size_t kPayments = 4;

/// Thesis Table 3.1, in its order.
inline constexpr std::array<std::string_view, 13> kKindNames{
    "ProposeSet0",        "ProposeSet1",      "ProposeSet2",  "ProposeSet3", "ProposeSet4",
    "ProposeSet5",        "ProposeSetBowOut", "StatusChange", "Validation",  "Transaction",
    "HaveTransactionSet", "GetLedger",        "LedgerData"};
inline constexpr std::size_t kKinds = kKindNames.size();
/// Thesis Table 4.1 counts all proposals as one.
inline constexpr std::array<std::string_view, 7> kTypeNames{
    "ProposeSet",         "StatusChange", "Validation", "Transaction",
    "HaveTransactionSet", "GetLedger",    "LedgerData"};
inline constexpr std::size_t kTypes = kTypeNames.size();
constexpr std::size_t type_of_kind(std::size_t kind) {
  return kind <= 6 ? 0 : kind - 6;
}

/// settled: every node has a validated ledger that decides all four payments. stalled: some node
/// had no new validated ledger for 65 s. unsettled: neither within 150 s.
enum class CaseOutcome : std::uint8_t { settled, stalled, unsettled };
inline constexpr std::array<std::string_view, 3> kOutcomeNames{"settled", "stalled", "unsettled"};
inline constexpr double kStallSeconds = 65;
inline constexpr double kCaseSecondsMax = 150;

/// The window is the time from switching the schedule on to the end of the case.
struct CaseMetrics {
  CaseOutcome outcome = CaseOutcome::unsettled;
  double window_s = 0;
  std::array<std::uint32_t, kKinds> messages{};  ///< sent within the window
  std::array<std::uint32_t, 4> requests{};       ///< GetLedger by item type
  std::array<std::uint32_t, 4> replies{};        ///< LedgerData by item type
  std::vector<double> intervals_s;               ///< between validated ledgers, per node
  std::vector<double> establish_s;               ///< lengths of establish phases
  std::vector<double> open_s;                    ///< lengths of open phases
  std::vector<double> round_propose_seq;         ///< highest sequence per round and proposer
  std::uint32_t propose_seq_max = 0;
  std::uint32_t bow_outs = 0;             ///< by their signer
  std::uint32_t failed_acquisitions = 0;  ///< of transaction sets
  bool stuck = false;           ///< stalled, and no node built a ledger any more (simulated cases)
  bool sets_differ = false;     ///< consensus on different sets over one parent: agreement (1)
  bool built_differ = false;    ///< different ledgers of one sequence built
  bool ledgers_differ = false;  ///< different ledgers of one sequence validated: agreement (2)
  std::uint32_t not_applied = 0;  ///< payments not applied when submitted (tefPAST_SEQ, terPRE_SEQ)
  std::uint32_t succeeded = 0;    ///< payments with tesSUCCESS on node 0 at the end
  std::uint32_t claimed = 0;      ///< payments that only cost the fee (tec)

  std::uint32_t message_count() const {
    std::uint32_t sum = 0;
    for (const std::uint32_t count : messages) sum += count;
    return sum;
  }
  /// Relative frequencies per type of Table 4.1; zeros where nothing was sent.
  std::array<double, kTypes> mix() const {
    std::array<double, kTypes> result{};
    const double all = message_count();
    if (all == 0) return result;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      result[type_of_kind(kind)] += messages[kind] / all;
    }
    return result;
  }
};

}  // namespace dissensus::studies
