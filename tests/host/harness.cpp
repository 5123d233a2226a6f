#include "host/harness.h"

#include <algorithm>
#include <utility>

namespace dissensus::host {

TestNetwork::TestNetwork(const Plan& plan, HostTime latency)
    : latency_(latency), host_(plan, *this) {}

bool TestNetwork::run_until(HostTime until) {
  for (;;) {
    const HostTime next = agenda_.empty() ? HostTime::max() : agenda_.begin()->first;
    if (!host_.run_until(std::min(next, until))) return false;
    bool any = false;
    while (!agenda_.empty() && agenda_.begin()->first <= host_.now()) {
      const auto action = std::move(agenda_.begin()->second);
      agenda_.erase(agenda_.begin());
      action();
      any = true;
    }
    if (!any && host_.now() >= until) return true;
    if (!any && agenda_.empty() && until == HostTime::max()) return true;
  }
}

void TestNetwork::at(HostTime time, std::function<void()> action) {
  agenda_.emplace(time, std::move(action));
  host_.finish_soon();
}

void TestNetwork::heal() {
  cut_.clear();
  for (auto& arrival : std::exchange(held_, {})) at(host_.now() + latency_, std::move(arrival));
}

void TestNetwork::send(MachineId from, MachineId to, std::function<void()> arrival) {
  if (cut_.contains(from) || cut_.contains(to)) {
    held_.push_back(std::move(arrival));
  } else {
    at(host_.now() + latency_, std::move(arrival));
  }
}

void TestNetwork::on_connect(const Connection& connection) {
  send(connection.from_machine, connection.to_machine, [this, connection] {
    const bool is_accepted = host_.knock(connection.id);
    send(connection.to_machine, connection.from_machine,
         [this, connection, is_accepted] { host_.answer(connection.id, is_accepted); });
  });
}

void TestNetwork::on_bytes(const Connection& connection, Side from, std::string bytes) {
  bytes_ += bytes.size();
  const bool is_forward = from == Side::connector;
  send(is_forward ? connection.from_machine : connection.to_machine,
       is_forward ? connection.to_machine : connection.from_machine,
       [this, id = connection.id, is_forward, moved = std::move(bytes)] {
         host_.deliver(id, is_forward ? Side::acceptor : Side::connector, moved);
       });
}

void TestNetwork::on_end(const Connection& connection, Side from, bool gone) {
  const bool is_forward = from == Side::connector;
  send(is_forward ? connection.from_machine : connection.to_machine,
       is_forward ? connection.to_machine : connection.from_machine,
       [this, id = connection.id, is_forward, gone] {
         host_.deliver_end(id, is_forward ? Side::acceptor : Side::connector, gone);
       });
}

void TestNetwork::on_datagram(Datagram datagram) {
  send(datagram.from_machine, datagram.to_machine,
       [this, moved = std::move(datagram)] { host_.deliver(moved); });
}

void TestNetwork::on_output(ProgramId program, Stream, std::string_view bytes) {
  outputs_[program] += bytes;
}

void TestNetwork::on_exit(ProgramId program, const Exit& exit) {
  exits_[program] = exit;
}

}  // namespace dissensus::host
