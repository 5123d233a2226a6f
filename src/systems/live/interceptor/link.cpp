#include "systems/live/interceptor/link.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "systems/live/loop/timer.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/messages.h"

namespace dissensus::live {

struct Link::Timing {
  explicit Timing(boost::asio::io_context& io) : redial(io) {}

  Timer redial;
  std::chrono::milliseconds delay{};  ///< before the next attempt
  LoopTime up_since;
};

namespace {

std::uint64_t& counter_of(InterceptorCounters& counters, SessionEnd end, std::uint64_t& ignored) {
  switch (end) {
    case SessionEnd::unreachable:
      return counters.unreachable;
    case SessionEnd::timeout:
      return counters.timeouts;
    case SessionEnd::refused:
      return counters.handshakes_refused;
    case SessionEnd::untrusted:
      return counters.servers_refused;
    case SessionEnd::protocol:
      return counters.protocol_errors;
    case SessionEnd::overflow:
      return counters.overflows;
    case SessionEnd::closed:
      break;
  }
  return ignored;
}

}  // namespace

Link::Link(std::shared_ptr<LinkContext> context, std::size_t number)
    : context_(std::move(context)),
      number_(number),
      nodes_{context_->options.links[number].first, context_->options.links[number].second},
      timing_(std::make_unique<Timing>(context_->io)) {
  timing_->delay = context_->options.redial_delay_min;
}

Link::~Link() = default;

LinkCounters& Link::own_counters() {
  return context_->counters->links[number_];
}

void Link::open() {
  if (state_ == State::dialling || state_ == State::up) return;
  timing_->redial.cancel();
  timing_->delay = context_->options.redial_delay_min;
  dial();
}

void Link::close(const std::string& reason) {
  const bool was_up = is_up();
  drop_sessions();
  timing_->redial.cancel();
  state_ = State::closed;
  if (was_up && !reason.empty()) tell(false, reason);
}

void Link::dial() {
  state_ = State::dialling;
  secured_ = {};
  open_ = {};
  try {
    for (const std::size_t half : {0u, 1u}) dial_half(half);
  } catch (const std::exception& error) {
    fail(fmt::format("no session could be made: {}", error.what()));
  }
}

void Link::dial_half(std::size_t half) {
  const InterceptorOptions& options = context_->options;
  const PeerEndpoint& server = options.peers[nodes_[half]];
  const PeerEndpoint& played = options.peers[nodes_[1 - half]];
  SessionPlan plan;
  plan.half = half;
  plan.source_address = played.address;
  plan.server_address = server.address;
  plan.server_port = server.port;
  plan.presented = played.node_keys;
  plan.expected = server.node_keys.public_key;
  plan.user_agent = options.user_agent;
  plan.network_id = options.network_id;
  plan.handshake_timeout = options.handshake_timeout;
  plan.idle_timeout = options.idle_timeout;
  plan.queue_bytes_max = options.queue_bytes_max;
  plan.frame_payload_max = options.frame_payload_max;
  sessions_[half] = Session::dial(context_->io, context_->tls, std::move(plan), weak_from_this(),
                                  context_->counters);
}

// Neither server gets to see a new peer before both can be reached: a server that is down does not
// make its peers accept and lose a link again and again.
void Link::on_secured(std::size_t half) {
  secured_[half] = true;
  if (!secured_[1 - half]) return;
  for (const auto& session : sessions_) session->upgrade();
}

void Link::on_open(std::size_t half) {
  open_[half] = true;
  if (open_[1 - half]) go_up();
}

void Link::go_up() {
  state_ = State::up;
  ++context_->links_up;
  timing_->up_since = now(context_->io);
  if (++own_counters().times_up > 1) ++context_->counters->reconnects;
  for (const auto& session : sessions_) session->start_reading();
  tell(true, {});
}

void Link::on_frame(std::size_t half, Frame&& frame) {
  InterceptorCounters& counters = *context_->counters;
  switch (frame.type) {
    case FrameType::ping:
      return answer_ping(half, frame);
    case FrameType::endpoints:
      ++counters.endpoints_dropped;
      return;
    case FrameType::squelch:
      ++counters.squelches_dropped;
      return;
    default:
      break;
  }
  if (!is_scheduled(frame.type)) return forward(1 - half, std::move(frame));
  ++counters.frames_handled;
  try {
    context_->handler->on_frame(nodes_[half], nodes_[1 - half], std::move(frame));
  } catch (const WireError&) {
    throw;
  } catch (const std::exception& error) {
    ++counters.handler_failures;
    fail(fmt::format("a frame of node {} could not be handled: {}", nodes_[half], error.what()));
  }
}

void Link::forward(std::size_t to_half, Frame&& frame) {
  ++context_->counters->frames_forwarded;
  sessions_[to_half]->write(std::make_shared<const Bytes>(std::move(frame.bytes)));
}

// Answered here, so that no schedule makes servers drop links for missing pongs.
void Link::answer_ping(std::size_t half, const Frame& frame) {
  Ping ping = std::get<Ping>(decode(frame));
  if (ping.pong) {
    ++context_->counters->pongs_dropped;
    return;
  }
  ++context_->counters->pings_answered;
  ping.pong = true;
  sessions_[half]->write(std::make_shared<const Bytes>(encode(ping).bytes));
}

void Link::write(NodeId to, std::shared_ptr<const Bytes> frame) {
  if (!is_up()) {
    ++context_->counters->dropped_link_down;
    return;
  }
  sessions_[nodes_[0] == to ? 0 : 1]->write(std::move(frame));
}

void Link::on_end(std::size_t half, SessionEnd end, const std::string& reason) {
  std::uint64_t ignored = 0;
  ++counter_of(*context_->counters, end, ignored);
  fail(fmt::format("node {} {}", nodes_[half], reason));
}

void Link::fail(const std::string& reason) {
  if (state_ == State::closed) return;  // by the handler that now throws
  const bool was_up = is_up();
  drop_sessions();
  own_counters().last_error = reason;
  if (was_up) {
    ++own_counters().disconnects;
    ++context_->counters->disconnects;
    if (now(context_->io) - timing_->up_since >= context_->options.stable_time) {
      timing_->delay = context_->options.redial_delay_min;
    }
  } else {
    ++own_counters().failed_attempts;
  }
  dial_later();
  if (was_up) tell(false, reason);
}

void Link::drop_sessions() {
  if (is_up()) --context_->links_up;
  state_ = State::closed;
  for (auto& session : sessions_) {
    if (session) session->close();
    session.reset();
  }
}

void Link::dial_later() {
  state_ = State::waiting;
  timing_->redial.after(timing_->delay, [weak = weak_from_this()] {
    const std::shared_ptr<Link> link = weak.lock();
    if (link && link->state_ == State::waiting) link->dial();
  });
  timing_->delay = std::min(2 * timing_->delay, context_->options.redial_delay_max);
}

void Link::tell(bool up, const std::string& reason) {
  if (!context_->handler) return;
  try {
    context_->handler->on_link(nodes_[0], nodes_[1], up, reason);
  } catch (const std::exception& error) {
    ++context_->counters->handler_failures;
    own_counters().last_error =
        fmt::format("news of the link could not be handled: {}", error.what());
  }
}

}  // namespace dissensus::live
