// A stream connection in the surroundings of its io_context: a socket of this machine, or a
// connection to a program in virtual time. An AsyncStream, so that TLS goes on top.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "systems/live/loop/surroundings.h"

namespace dissensus::live {

class Stream {
 public:
  using executor_type = boost::asio::io_context::executor_type;
  using lowest_layer_type = Stream;
  using Connected = VirtualConnection::Connected;

  explicit Stream(boost::asio::io_context& io);
  ~Stream();

  executor_type get_executor() { return io_.get_executor(); }
  lowest_layer_type& lowest_layer() { return *this; }

  /// `source` may be empty: any address of this machine. A problem with it is returned at once, and
  /// `done` is not called.
  boost::system::error_code connect(const std::string& source, const std::string& address,
                                    std::uint16_t port, Connected done);
  /// At once and for good.
  void close();

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (socket_) {
      socket_->async_read_some(buffers, std::forward<Handler>(handler));
    } else {
      virtual_->read_some(first_of<boost::asio::mutable_buffer>(buffers),
                          shared(std::forward<Handler>(handler)));
    }
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (socket_) {
      socket_->async_write_some(buffers, std::forward<Handler>(handler));
    } else {
      virtual_->write_some(first_of<boost::asio::const_buffer>(buffers),
                           shared(std::forward<Handler>(handler)));
    }
  }

 private:
  /// The first that is not empty: who reads or writes some may do less than all.
  template <class Buffer, class Buffers>
  static Buffer first_of(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto one = boost::asio::buffer_sequence_begin(buffers); one != end; ++one) {
      if (Buffer(*one).size() != 0) return Buffer(*one);
    }
    return {};
  }
  /// Handlers of Asio can be moved only.
  template <class Handler>
  static VirtualConnection::Moved shared(Handler&& handler) {
    auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
    return [kept](boost::system::error_code error, std::size_t bytes) {
      std::move (*kept)(error, bytes);
    };
  }

  boost::asio::io_context& io_;
  std::optional<boost::asio::ip::tcp::socket> socket_;
  std::unique_ptr<VirtualConnection> virtual_;
};

}  // namespace dissensus::live
