// What an interceptor has done so far.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/ids.h"

namespace dissensus::live {

struct LinkCounters {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  std::uint64_t times_up = 0;
  std::uint64_t disconnects = 0;      ///< was up, and ended without being asked to
  std::uint64_t failed_attempts = 0;  ///< ended before it was up
  std::string last_error;             ///< of a disconnect or a failed attempt; empty: none so far
};

struct InterceptorCounters {
  std::uint64_t frames_read = 0;
  std::uint64_t bytes_read = 0;      ///< of whole frames
  std::uint64_t frames_handled = 0;  ///< given to the handler
  std::uint64_t frames_forwarded = 0;
  std::uint64_t frames_written = 0;  ///< handed to the operating system, pongs included
  std::uint64_t bytes_written = 0;

  std::uint64_t endpoints_dropped = 0;
  std::uint64_t squelches_dropped = 0;
  std::uint64_t dropped_link_down = 0;  ///< writes to a link that was not up
  std::uint64_t dropped_with_link = 0;  ///< were queued when their link ended, or ended it
  std::uint64_t pings_answered = 0;
  std::uint64_t pongs_dropped = 0;

  std::uint64_t sessions_dialled = 0;
  std::uint64_t unreachable = 0;  ///< sessions: no connection or no TLS
  std::uint64_t timeouts = 0;     ///< sessions: handshake not done in time, or silent too long
  std::uint64_t handshakes_refused = 0;  ///< sessions: the server answered with an HTTP error
  std::uint64_t servers_refused = 0;  ///< sessions: the server did not prove the expected identity
  std::uint64_t protocol_errors = 0;  ///< sessions: malformed bytes
  std::uint64_t overflows = 0;        ///< sessions: too much was waiting for a slow server
  std::uint64_t handler_failures = 0;

  std::uint64_t disconnects = 0;    ///< sum over links
  std::uint64_t reconnects = 0;     ///< links that came up again
  std::vector<LinkCounters> links;  ///< in the order of InterceptorOptions::links
};

}  // namespace dissensus::live
