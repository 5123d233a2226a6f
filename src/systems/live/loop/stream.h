// A connection to a program in the surroundings of its io_context. An AsyncStream, so that TLS goes
// on top.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "systems/live/loop/surroundings.h"

namespace dissensus::live {

class Stream {
 public:
  using executor_type = boost::asio::io_context::executor_type;
  using lowest_layer_type = Stream;
  using Connected = VirtualConnection::Connected;

  explicit Stream(boost::asio::io_context& io)
      : io_(io), connection_(surroundings_of(io).make_connection()) {}

  executor_type get_executor() { return io_.get_executor(); }
  lowest_layer_type& lowest_layer() { return *this; }

  /// `source` may be empty: any address.
  void connect(const std::string& source, const std::string& address, std::uint16_t port,
               Connected done) {
    connection_->connect(source, address, port, std::move(done));
  }
  /// At once and for good.
  void close() { connection_->close(); }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    connection_->read_some(first_of<boost::asio::mutable_buffer>(buffers),
                           shared(std::forward<Handler>(handler)));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    connection_->write_some(first_of<boost::asio::const_buffer>(buffers),
                            shared(std::forward<Handler>(handler)));
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
  std::unique_ptr<VirtualConnection> connection_;
};

}  // namespace dissensus::live
