// What a client of a run reports: the events of its history (dissensus/history.h), one by one.
//
//   context.operation({history::EventKind::invoke, 3, "write", "[1,7]"});
//   context.operation({history::EventKind::ok, 3, "write", "[1,7]"});
#pragma once

#include <cstdint>
#include <string_view>

namespace dissensus::history {

/// invoke: a client asks. ok: it happened. fail: it did not. info: nobody knows.
enum class EventKind : std::uint8_t { invoke, ok, fail, info };

/// Views are valid during the call only. A process asks one thing at a time.
struct OperationReport {
  EventKind kind = EventKind::invoke;
  std::int64_t process = 0;
  std::string_view function;        ///< "read", "write", "txn"...
  std::string_view value = "null";  ///< JSON
  std::string_view error = {};      ///< JSON; empty: none
  bool is_final = false;            ///< a read after which nothing more is asked
};

}  // namespace dissensus::history
