// A link between two servers: the session with each of them, which live and end together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "systems/live/interceptor/interceptor.h"
#include "systems/live/interceptor/session.h"

namespace dissensus::live {

/// What all links of an interceptor share. Outlives the interceptor while one of its callbacks
/// runs.
struct LinkContext {
  boost::asio::io_context& io;
  const InterceptorOptions options;
  InterceptorHandler* handler;  ///< null once the interceptor is gone
  std::shared_ptr<TlsClient> tls;
  std::shared_ptr<InterceptorCounters> counters;
  std::size_t links_up = 0;
};

/// Half 0 is the session with node a, in which node b is played; half 1 the other way round. So
/// what is read from half h comes from node h and goes to the other half.
class Link final : public SessionOwner, public std::enable_shared_from_this<Link> {
 public:
  /// `number` is the link's place in InterceptorOptions::links.
  Link(std::shared_ptr<LinkContext> context, std::size_t number);
  ~Link() override;

  /// Dials at once, unless that is under way.
  void open();
  /// Closes, dials no more, and tells the handler when a reason is given.
  void close(const std::string& reason);
  bool is_up() const { return state_ == State::up; }
  bool touches(NodeId node) const { return nodes_[0] == node || nodes_[1] == node; }
  void write(NodeId to, std::shared_ptr<const Bytes> frame);

  void on_secured(std::size_t half) override;
  void on_open(std::size_t half) override;
  void on_frame(std::size_t half, Frame&& frame) override;
  void on_end(std::size_t half, SessionEnd end, const std::string& reason) override;

 private:
  enum class State : std::uint8_t { closed, dialling, up, waiting };
  struct Timing;

  void dial();
  void dial_half(std::size_t half);
  void go_up();
  /// Closes both halves and leaves the state of a link that is up.
  void drop_sessions();
  void fail(const std::string& reason);
  void dial_later();
  void forward(std::size_t to_half, Frame&& frame);
  void answer_ping(std::size_t half, const Frame& frame);
  void tell(bool up, const std::string& reason);
  LinkCounters& own_counters();

  const std::shared_ptr<LinkContext> context_;
  const std::size_t number_;
  const std::array<NodeId, 2> nodes_;
  State state_ = State::closed;
  std::array<std::shared_ptr<Session>, 2> sessions_;
  std::array<bool, 2> secured_{};
  std::array<bool, 2> open_{};
  std::unique_ptr<Timing> timing_;
};

}  // namespace dissensus::live
