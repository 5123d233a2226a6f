#include "systems/live/loop/timer.h"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace dissensus::live {

struct Timer::Real {
  explicit Real(boost::asio::io_context& io) : timer(io) {}
  boost::asio::steady_timer timer;
};

Timer::Timer(boost::asio::io_context& io) : io_(io) {
  if (surroundings_of(io) == nullptr) real_ = std::make_unique<Real>(io);
}

Timer::~Timer() {
  cancel();
}

void Timer::after(std::chrono::nanoseconds time, std::function<void()> done) {
  at(now(io_) + std::chrono::duration_cast<LoopTime::duration>(time), std::move(done));
}

void Timer::at(LoopTime time, std::function<void()> done) {
  cancel();
  // A wait that has ended already is not cancelled any more: its handler asks whether it is wanted.
  is_wanted_ = std::make_shared<bool>(true);
  auto action = [wanted = is_wanted_, done = std::move(done)] {
    if (std::exchange(*wanted, false)) done();
  };
  if (real_) {
    real_->timer.expires_at(time);
    real_->timer.async_wait(
        [action = std::move(action)](const boost::system::error_code&) { action(); });
  } else {
    number_ = agenda::add(io_, time, std::move(action));
  }
}

void Timer::cancel() {
  if (is_wanted_) *is_wanted_ = false;
  is_wanted_.reset();
  if (real_) {
    real_->timer.cancel();
  } else if (const std::uint64_t number = std::exchange(number_, 0); number != 0) {
    agenda::forget(io_, number);
  }
}

}  // namespace dissensus::live
