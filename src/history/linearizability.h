// Linearizability: every operation seems to happen at one moment between its invocation and its
// answer. Objects are checked apart, since a history is linearizable if that of each object is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dissensus/history.h"

#include "history/verdict.h"

namespace dissensus::history {

enum class LinearKind : std::uint8_t {
  single_register,  ///< read, write, cas; values as they are
  key_value,        ///< read/get, write/put, cas, append; values are [key value]
  queue,            ///< enqueue, dequeue: first in, first out
  bag,              ///< the same without an order
  set,              ///< add, remove, contains; read of the whole set
  mutex,            ///< acquire, release
};

struct LinearOptions {
  Value initial;  ///< of registers
  /// A cas that failed without a reason tells that the value was another one. Jepsen's definition
  /// of fail, "did not happen", says less; this is what its etcd tests mean.
  bool failed_cas_compares = false;
  CheckLimits limits;
};

Verdict check_linearizable(const History& history, const std::vector<Operation>& operations,
                           LinearKind kind, const LinearOptions& options);
/// For models of your own.
Verdict check_linearizable(const History& history, const std::vector<Operation>& operations,
                           const Model& model, const CheckLimits& limits);

}  // namespace dissensus::history
