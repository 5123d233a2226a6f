#include "systems/live/loop/surroundings.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "core/assert.h"

namespace dissensus::live {

namespace {

/// What an io_context knows of its surroundings.
class LoopService final : public boost::asio::execution_context::service {
 public:
  static inline boost::asio::execution_context::id id;

  explicit LoopService(boost::asio::execution_context& owner) : service(owner) {}

  Surroundings* surroundings = nullptr;
  std::map<std::pair<LoopTime, std::uint64_t>, std::function<void()>> agenda;
  std::uint64_t made = 0;

 private:
  void shutdown() noexcept override { agenda.clear(); }
};

LoopService& service_of(boost::asio::io_context& io) {
  return boost::asio::use_service<LoopService>(io);
}

/// One thing that is due; false: nothing is.
bool do_next_due(LoopService& service) {
  if (service.agenda.empty() || service.agenda.begin()->first.first > service.surroundings->now()) {
    return false;
  }
  const auto action = std::move(service.agenda.begin()->second);
  service.agenda.erase(service.agenda.begin());
  action();
  return true;
}

}  // namespace

void put_into(boost::asio::io_context& io, Surroundings& surroundings) {
  LoopService& service = service_of(io);
  DISSENSUS_ASSERT(service.surroundings == nullptr, "put_into : once");
  service.surroundings = &surroundings;
}

Surroundings& surroundings_of(boost::asio::io_context& io) {
  Surroundings* const surroundings = service_of(io).surroundings;
  DISSENSUS_ASSERT(surroundings != nullptr, "surroundings_of : after put_into");
  return *surroundings;
}

LoopTime now(boost::asio::io_context& io) {
  return surroundings_of(io).now();
}

bool drive(boost::asio::io_context& io, LoopTime until, const std::function<bool()>& stop) {
  LoopService& service = service_of(io);
  while (!stop()) {
    if (io.stopped()) io.restart();
    if (io.poll_one() != 0 || do_next_due(service)) continue;
    if (service.surroundings->now() >= until) return false;
    LoopTime next = until;
    if (!service.agenda.empty()) next = std::min(next, service.agenda.begin()->first.first);
    if (!service.surroundings->advance(next)) return false;
  }
  return true;
}

namespace agenda {

std::uint64_t add(boost::asio::io_context& io, LoopTime time, std::function<void()> action) {
  LoopService& service = service_of(io);
  service.agenda.emplace(std::pair{time, ++service.made}, std::move(action));
  return service.made;
}

void forget(boost::asio::io_context& io, std::uint64_t number) {
  std::erase_if(service_of(io).agenda,
                [number](const auto& entry) { return entry.first.second == number; });
}

}  // namespace agenda

}  // namespace dissensus::live
