// A client in the process of a server: it asks the server that it believes to lead, follows hints,
// waits, and tries again until its time is up.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "dissensus/node.h"

#include "systems/libraft/messages.h"
#include "systems/libraft/settings.h"
#include "systems/libraft/witness.h"

namespace dissensus::libraft {

class Client {
 public:
  Client(const Settings& settings, Witness& witness) : settings_(settings), witness_(witness) {}

  /// Something to ask for; after what was asked before.
  void add(Operation operation, std::uint64_t argument);
  /// Draws a request of its own.
  void draw(Context& context);

  /// Whom to ask what now, if anything: called at every tick of the client. `leader` is whom its
  /// own server believes to lead, 0 if nobody.
  struct Call {
    std::uint64_t server;
    ClientRequest request;
  };
  std::optional<Call> next(Context& context, std::uint64_t leader);
  void answered(Context& context, const ClientReply& reply);
  bool idle() const { return !current_ && waiting_.empty(); }

 private:
  struct Asked {
    ClientRequest request;
    Time deadline;
    Time retry;                  ///< no answer until then: ask again
    std::uint64_t acknowledged;  ///< what clients had been told when it was asked
  };

  const Settings& settings_;
  Witness& witness_;
  std::deque<ClientRequest> waiting_;
  std::optional<Asked> current_;
  std::uint64_t hint_ = 0;
};

}  // namespace dissensus::libraft
