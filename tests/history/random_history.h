// Histories of a store that works: operations take effect at one moment between invocation and
// answer. Some are never answered, some fail without effect.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dissensus/history.h"
#include "dissensus/random.h"

namespace dissensus::history {

struct RandomHistory {
  std::size_t processes = 4;
  std::size_t operations = 20;
  double info = 0.1;  ///< share of operations that nobody is told about
  double fail = 0.1;
  /// Makes the value of an invocation and its function.
  std::function<Value(History&, Random&, std::string& function)> ask;
  /// Carries it out on the store and gives the value of the answer.
  std::function<Value(History&, Random&, const std::string& function, const Value& asked)> act;
  /// True where the store refuses the operation at that moment: it then fails. Default: never.
  std::function<bool(const std::string& function, const Value& asked)> refuses;

  History make(std::uint64_t seed) const {
    Random random(seed, "history");
    History history("random");
    struct Client {
      bool is_busy = false;
      bool is_done = false;  ///< has taken effect
      std::int64_t process = 0;
      EventKind outcome = EventKind::ok;
      std::string function;
      Value asked;
      Value answer;
    };
    std::vector<Client> clients(processes);
    std::int64_t next_process = 0;
    for (Client& client : clients) client.process = next_process++;
    std::int64_t time_us = 0;
    const auto now = [&] { return std::chrono::microseconds(time_us); };
    std::size_t invoked = 0;
    std::size_t open = 0;
    while (invoked < operations || open > 0) {
      time_us += random.between(1, 100);
      Client& client = clients[random.below(processes)];
      if (!client.is_busy) {
        if (invoked == operations) continue;
        client.is_busy = true;
        client.is_done = false;
        client.asked = ask(history, random, client.function);
        const double draw = random.unit();
        client.outcome = draw < info          ? EventKind::info
                         : draw < info + fail ? EventKind::fail
                                              : EventKind::ok;
        history.invoke(client.process, client.function, client.asked, now());
        ++invoked;
        ++open;
      } else if (!client.is_done) {
        client.is_done = true;
        if (refuses && refuses(client.function, client.asked)) client.outcome = EventKind::fail;
        // What nobody is told about happens half of the time.
        const bool happens = client.outcome == EventKind::ok ||
                             (client.outcome == EventKind::info && random.chance(0.5));
        client.answer =
            happens ? act(history, random, client.function, client.asked) : client.asked;
      } else {
        client.is_busy = false;
        --open;
        const bool is_ok = client.outcome == EventKind::ok;
        history.complete(client.outcome, client.process, client.function,
                         is_ok ? client.answer : client.asked, now());
        // A client that does not know how its operation went is replaced, as in Jepsen.
        if (client.outcome == EventKind::info) client.process = next_process++;
      }
    }
    return history;
  }
};

}  // namespace dissensus::history
