// Anomalies of transactions: what was read and written says in which order transactions must have
// happened; a cycle of such musts is an anomaly with a name, and excludes isolation levels.
#pragma once

#include <vector>

#include "dissensus/history.h"

#include "history/isolation.h"
#include "history/transactions.h"
#include "history/verdict.h"

namespace dissensus::history {

struct TransactionOptions {
  /// What the store promises: only anomalies that exclude it are violations.
  Isolation promised = Isolation::strict_serializable;
  CheckLimits limits;
};

Verdict check_transactions(const History& history, const std::vector<Operation>& operations,
                           TransactionKind kind, const TransactionOptions& options);

}  // namespace dissensus::history
