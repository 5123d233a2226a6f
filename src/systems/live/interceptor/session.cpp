#include "systems/live/interceptor/session.h"

#include <array>
#include <deque>
#include <exception>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>

#include "systems/live/interceptor/counters.h"
#include "systems/live/loop/seeded_tls.h"
#include "systems/live/loop/stream.h"
#include "systems/live/loop/timer.h"
#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/handshake.h"

namespace dissensus::live {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

class TlsClient {
 public:
  explicit TlsClient(std::uint64_t seed) : context_(seed) {}
  asio::ssl::context& context() { return context_.context(); }

 private:
  TlsClientContext context_;
};

namespace {

constexpr std::size_t kRecordBytesMax = 16384;

Hash256 shared_value_of(SSL* ssl) {
  std::array<std::uint8_t, 128> own{};
  std::array<std::uint8_t, 128> peer{};
  const std::size_t own_bytes = SSL_get_finished(ssl, own.data(), own.size());
  const std::size_t peer_bytes = SSL_get_peer_finished(ssl, peer.data(), peer.size());
  const std::optional<Hash256> shared =
      own_bytes > own.size() || peer_bytes > peer.size()
          ? std::nullopt
          : shared_value(ByteView(own.data(), own_bytes), ByteView(peer.data(), peer_bytes));
  if (!shared) throw WireError("no value that both ends of the TLS session share");
  return *shared;
}

/// Both words for the end of a stream: with and without a farewell of TLS.
std::string closed_text(const ErrorCode& error, std::string_view when) {
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) {
    return fmt::format("closed the connection {}", when);
  }
  return fmt::format("broke the connection {}: {}", when, error.message());
}

class TlsSession final : public Session, public std::enable_shared_from_this<TlsSession> {
 public:
  TlsSession(asio::io_context& io, std::shared_ptr<TlsClient> tls, SessionPlan plan,
             std::weak_ptr<SessionOwner> owner, std::shared_ptr<InterceptorCounters> counters)
      : io_(io),
        tls_(std::move(tls)),
        plan_(std::move(plan)),
        owner_(std::move(owner)),
        counters_(std::move(counters)),
        stream_(io, tls_->context()),
        timer_(io),
        reader_(plan_.frame_payload_max) {}

  void dial() {
    ++counters_->sessions_dialled;
    watch(plan_.handshake_timeout);
    stream_.next_layer().connect(plan_.source_address, plan_.server_address, plan_.server_port,
                                 [self = shared_from_this()](const ErrorCode& result) {
                                   self->guarded([&] { self->on_connected(result); });
                                 });
  }

  void upgrade() override {
    if (closed_) return;
    watch(plan_.handshake_timeout);
    const HandshakeIdentity identity{&plan_.presented, plan_.user_agent, plan_.network_id};
    request_ = upgrade_request(identity, shared_);
    asio::async_write(stream_, asio::buffer(request_),
                      [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                        self->guarded([&] { self->on_request_sent(error); });
                      });
  }

  void start_reading() override {
    if (closed_) return;
    open_ = true;
    watch(plan_.idle_timeout);
    // Frames may have come together with the answer to the upgrade. They are handled from the loop,
    // like all others.
    asio::post(io_, [self = shared_from_this()] {
      self->guarded([&] {
        const std::string surplus = std::exchange(self->answer_, {});
        self->on_bytes(view_of(surplus));
      });
    });
  }

  void write(std::shared_ptr<const Bytes> frame) override {
    if (closed_) return;
    if (overflowed_) {
      ++counters_->dropped_with_link;
      return;
    }
    if (!queue_.empty() && queued_bytes_ + frame->size() > plan_.queue_bytes_max) {
      overflowed_ = true;
      ++counters_->dropped_with_link;
      return fail_later(SessionEnd::overflow, fmt::format("reads too slowly: {} bytes wait for it",
                                                          queued_bytes_ + frame->size()));
    }
    queued_bytes_ += frame->size();
    queue_.push_back(std::move(frame));
    if (queue_.size() == 1) write_front();
  }

  void close() override {
    if (closed_) return;
    closed_ = true;
    owner_.reset();
    counters_->dropped_with_link += queue_.size();
    timer_.cancel();
    stream_.next_layer().close();
  }

 private:
  /// Ends the session for what a handler throws; nothing is thrown into the io_context.
  template <typename Work>
  void guarded(const Work& work) {
    if (closed_) return;
    try {
      work();
    } catch (const WireError& error) {
      fail(SessionEnd::protocol, fmt::format("broke the protocol: {}", error.what()));
    } catch (const std::exception& error) {
      fail(SessionEnd::closed, fmt::format("could not be served: {}", error.what()));
    } catch (...) {
      fail(SessionEnd::closed, "could not be served");
    }
  }

  void fail(SessionEnd end, const std::string& reason) {
    if (closed_) return;
    const std::shared_ptr<SessionOwner> owner = owner_.lock();
    close();
    if (owner) owner->on_end(plan_.half, end, reason);
  }

  /// For failures in the middle of a caller who does not expect to hear of them yet.
  void fail_later(SessionEnd end, std::string reason) {
    asio::post(io_, [self = shared_from_this(), end, reason = std::move(reason)] {
      self->fail(end, reason);
    });
  }

  void on_connected(const ErrorCode& error) {
    if (error) {
      return fail(SessionEnd::unreachable,
                  fmt::format("cannot be reached at {}:{}: {}", plan_.server_address,
                              plan_.server_port, error.message()));
    }
    stream_.async_handshake(asio::ssl::stream_base::client,
                            [self = shared_from_this()](const ErrorCode& result) {
                              self->guarded([&] { self->on_secured(result); });
                            });
  }

  void on_secured(const ErrorCode& error) {
    if (error) {
      return fail(SessionEnd::unreachable,
                  fmt::format("failed the TLS handshake: {}", error.message()));
    }
    shared_ = shared_value_of(stream_.native_handle());
    timer_.cancel();  // what comes next waits for the other half of the link
    if (const auto owner = owner_.lock()) owner->on_secured(plan_.half);
  }

  void on_request_sent(const ErrorCode& error) {
    if (error) return fail(SessionEnd::unreachable, closed_text(error, "before the upgrade"));
    read_answer();
  }

  void read_answer() {
    stream_.async_read_some(asio::buffer(buffer_),
                            [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                              self->guarded([&] { self->on_answer(error, bytes); });
                            });
  }

  void on_answer(const ErrorCode& error, std::size_t bytes) {
    if (error) {
      return fail(SessionEnd::unreachable,
                  closed_text(error, answer_.empty() ? "without answering the upgrade"
                                                     : "in the middle of its answer"));
    }
    answer_.append(text_of(ByteView(buffer_.data(), bytes)));
    const std::optional<UpgradeMessage> answer = parse_upgrade(answer_);
    if (!answer) return read_answer();
    if (answer->status != 101) {
      return fail(SessionEnd::refused,
                  fmt::format("refused the handshake: {} {}", answer->status, answer->reason));
    }
    if (!identify(*answer)) return;
    answer_.erase(0, answer->bytes);
    timer_.cancel();
    if (const auto owner = owner_.lock()) owner->on_open(plan_.half);
  }

  bool identify(const UpgradeMessage& answer) {
    try {
      const PublicKey key = verify_identity(answer, shared_);
      if (key == plan_.expected) return true;
      fail(SessionEnd::untrusted, fmt::format("presented the key {}, expected {}", key.node_text(),
                                              plan_.expected.node_text()));
    } catch (const WireError& error) {
      fail(SessionEnd::untrusted, fmt::format("did not prove its identity: {}", error.what()));
    }
    return false;
  }

  void read_some() {
    stream_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](
                                                       const ErrorCode& error, std::size_t bytes) {
      self->guarded([&] {
        if (error) {
          return self->fail(SessionEnd::closed, closed_text(error, self->reading_place()));
        }
        self->on_bytes(ByteView(self->buffer_.data(), bytes));
      });
    });
  }

  std::string_view reading_place() const {
    return reader_.pending() == 0 ? "between frames" : "in the middle of a frame";
  }

  void on_bytes(ByteView bytes) {
    const std::shared_ptr<SessionOwner> owner = owner_.lock();
    if (!owner) return;
    heard_ = now(io_);
    reader_.feed(bytes);
    while (std::optional<Frame> frame = reader_.next()) {
      ++counters_->frames_read;
      counters_->bytes_read += frame->bytes.size();
      owner->on_frame(plan_.half, std::move(*frame));
      if (closed_) return;
    }
    read_some();
  }

  void write_front() {
    const Bytes& frame = *queue_.front();
    asio::async_write(stream_, asio::buffer(frame),
                      [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                        self->guarded([&] { self->on_written(error, bytes); });
                      });
  }

  void on_written(const ErrorCode& error, std::size_t bytes) {
    if (error) return fail(SessionEnd::closed, closed_text(error, "while a frame was written"));
    ++counters_->frames_written;
    counters_->bytes_written += bytes;
    queued_bytes_ -= bytes;
    queue_.pop_front();
    if (!queue_.empty() && !overflowed_) write_front();
  }

  /// Ends the session unless something cancels the timer, or bytes of frames come, in time.
  void watch(std::chrono::milliseconds limit) {
    heard_ = now(io_);
    wait(limit);
  }

  void wait(std::chrono::milliseconds limit) {
    timer_.at(heard_ + limit, [self = shared_from_this(), limit] {
      self->guarded([&] { self->on_timer(limit); });
    });
  }

  void on_timer(std::chrono::milliseconds limit) {
    if (now(io_) < heard_ + limit) return wait(limit);
    fail(SessionEnd::timeout,
         open_ ? fmt::format("was silent for {} ms", limit.count())
               : fmt::format("did not finish the handshake within {} ms", limit.count()));
  }

  asio::io_context& io_;
  const std::shared_ptr<TlsClient> tls_;
  const SessionPlan plan_;
  std::weak_ptr<SessionOwner> owner_;
  const std::shared_ptr<InterceptorCounters> counters_;
  asio::ssl::stream<Stream> stream_;
  Timer timer_;

  bool closed_ = false;
  bool open_ = false;
  LoopTime heard_;  ///< of the server; before the upgrade: when a step began
  Hash256 shared_{};
  std::string request_;
  std::string answer_;
  std::array<std::uint8_t, kRecordBytesMax> buffer_;
  FrameReader reader_;
  std::deque<std::shared_ptr<const Bytes>> queue_;  ///< the first is being written
  std::size_t queued_bytes_ = 0;
  bool overflowed_ = false;  ///< is about to end; nothing is written any more
};

}  // namespace

std::shared_ptr<TlsClient> make_tls_client(asio::io_context& io) {
  return std::make_shared<TlsClient>(surroundings_of(io).seed());
}

bool is_address(const std::string& text) {
  ErrorCode error;
  asio::ip::make_address(text, error);
  return !error;
}

std::shared_ptr<Session> Session::dial(asio::io_context& io, const std::shared_ptr<TlsClient>& tls,
                                       SessionPlan plan, std::weak_ptr<SessionOwner> owner,
                                       std::shared_ptr<InterceptorCounters> counters) {
  auto session =
      std::make_shared<TlsSession>(io, tls, std::move(plan), std::move(owner), std::move(counters));
  session->dial();
  return session;
}

}  // namespace dissensus::live
