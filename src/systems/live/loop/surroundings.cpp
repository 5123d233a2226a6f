#include "systems/live/loop/surroundings.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "core/assert.h"

namespace dissensus::live {

namespace {

using namespace std::chrono_literals;
constexpr auto kInterruptsSeen = 100ms;

/// What an io_context knows of its surroundings.
class LoopService final : public boost::asio::execution_context::service {
 public:
  static inline boost::asio::execution_context::id id;

  explicit LoopService(boost::asio::execution_context& owner)
      : service(owner), alarm(static_cast<boost::asio::io_context&>(owner)) {}

  /// Something is handled at `time` at the latest. A timer rather than run_one_until, since its
  /// resolution is finer than the poller's; one that comes earlier does no harm, and setting it
  /// again would make work for the loop each time.
  void wake_by(LoopTime time) {
    if (alarm_at <= time) return;
    alarm_at = time;
    alarm.expires_at(time);
    alarm.async_wait([this](const boost::system::error_code& error) {
      if (!error) alarm_at = LoopTime::max();
    });
  }

  Surroundings* surroundings = nullptr;
  std::map<std::pair<LoopTime, std::uint64_t>, std::function<void()>> agenda;
  std::uint64_t made = 0;

 private:
  void shutdown() noexcept override { agenda.clear(); }

  boost::asio::steady_timer alarm;
  LoopTime alarm_at = LoopTime::max();
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

bool drive_virtual(boost::asio::io_context& io, LoopService& service, LoopTime until,
                   const std::function<bool()>& stop, const std::function<bool()>& is_interrupted) {
  while (!stop()) {
    if (is_interrupted && is_interrupted()) return false;
    if (io.stopped()) io.restart();
    if (io.poll_one() != 0 || do_next_due(service)) continue;
    if (service.surroundings->now() >= until) return false;
    LoopTime next = until;
    if (!service.agenda.empty()) next = std::min(next, service.agenda.begin()->first.first);
    if (!service.surroundings->advance(next)) return false;
  }
  return true;
}

bool drive_real(boost::asio::io_context& io, LoopService& service, LoopTime until,
                const std::function<bool()>& stop, const std::function<bool()>& is_interrupted) {
  while (!stop()) {
    if (io.stopped()) io.restart();
    const LoopTime now = std::chrono::steady_clock::now();
    if (now >= until || (is_interrupted && is_interrupted())) {
      io.poll();
      return stop();
    }
    service.wake_by(std::min(until, now + kInterruptsSeen));
    io.run_one();
  }
  return true;
}

}  // namespace

void put_into(boost::asio::io_context& io, Surroundings& surroundings) {
  LoopService& service = service_of(io);
  DISSENSUS_ASSERT(service.surroundings == nullptr, "put_into : once");
  service.surroundings = &surroundings;
}

Surroundings* surroundings_of(boost::asio::io_context& io) {
  return service_of(io).surroundings;
}

LoopTime now(boost::asio::io_context& io) {
  const Surroundings* const surroundings = surroundings_of(io);
  return surroundings != nullptr ? surroundings->now() : std::chrono::steady_clock::now();
}

bool drive(boost::asio::io_context& io, LoopTime until, const std::function<bool()>& stop,
           const std::function<bool()>& is_interrupted) {
  LoopService& service = service_of(io);
  return service.surroundings != nullptr ? drive_virtual(io, service, until, stop, is_interrupted)
                                         : drive_real(io, service, until, stop, is_interrupted);
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
