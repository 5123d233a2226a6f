// Whose time and whose connections an io_context has. Code on top uses now(), Timer and Stream.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>

namespace boost::asio {
class io_context;
}

namespace dissensus::live {

using LoopTime = std::chrono::steady_clock::time_point;

/// One connection to a program. Handlers are called from the loop, never from
/// within; after close() with operation_aborted, as Asio does.
class VirtualConnection {
 public:
  using Connected = std::function<void(boost::system::error_code)>;
  using Moved = std::function<void(boost::system::error_code, std::size_t)>;

  virtual ~VirtualConnection() = default;
  virtual void connect(const std::string& source, const std::string& address, std::uint16_t port,
                       Connected done) = 0;
  virtual void read_some(boost::asio::mutable_buffer to, Moved done) = 0;
  virtual void write_some(boost::asio::const_buffer from, Moved done) = 0;
  virtual void close() = 0;
};

/// Time, and the programs in it. Used by the thread that made it.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual LoopTime now() const = 0;
  /// Lets programs run until this time has come, or one of them has said something. False: they
  /// cannot go on.
  virtual bool advance(LoopTime until) = 0;
  virtual std::unique_ptr<VirtualConnection> make_connection() = 0;
  /// Of everything that is drawn at our end: keys and masks repeat with it.
  virtual std::uint64_t seed() const = 0;
};

/// Before anything else is made with the io_context. `surroundings` outlives what is made with it.
void put_into(boost::asio::io_context& io, Surroundings& surroundings);
Surroundings& surroundings_of(boost::asio::io_context& io);

LoopTime now(boost::asio::io_context& io);

/// Handles what is to be handled until `stop` says so, `until` has come, or programs cannot go on.
/// True when `stop` said so.
bool drive(boost::asio::io_context& io, LoopTime until, const std::function<bool()>& stop);

/// Use Timer.
namespace agenda {
/// Calls from the loop when the time has come. Returns a number for forget(), never 0.
std::uint64_t add(boost::asio::io_context& io, LoopTime time, std::function<void()> action);
void forget(boost::asio::io_context& io, std::uint64_t number);
}  // namespace agenda

}  // namespace dissensus::live
