// What the order of clients and real time says about the order of versions of registers.
#pragma once

#include <span>
#include <vector>

#include "dissensus/history.h"

#include "history/anomalies.h"
#include "history/transactions.h"

namespace dissensus::history {

/// A version and the transactions that wrote or read it are in use from the first invocation to the
/// last answer. If a client used two versions one after the other, or one was out of somebody's use
/// before the other was used for the last time, they are in this order; the next writer then comes
/// after all readers of the version before. These are hints for searches and names for cycles, no
/// complete account: where a key has very many versions in use at a time, some are left out.
void add_version_orders(const History& history, const std::vector<Operation>& operations,
                        const Transactions& transactions, Dependencies& dependencies);

}  // namespace dissensus::history
