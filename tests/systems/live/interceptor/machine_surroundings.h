// The time and the sockets of this machine, for peers that are threads of the tests.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include "systems/live/loop/surroundings.h"

namespace dissensus::live::test {

class MachineSurroundings final : public Surroundings {
 public:
  explicit MachineSurroundings(boost::asio::io_context& io) : io_(io) { put_into(io, *this); }

  LoopTime now() const override { return std::chrono::steady_clock::now(); }
  bool advance(LoopTime until) override {
    if (io_.stopped()) io_.restart();
    io_.run_one_until(std::min(until, now() + std::chrono::milliseconds(2)));
    return true;
  }
  std::unique_ptr<VirtualConnection> make_connection() override {
    return std::make_unique<Connection>(io_);
  }
  std::uint64_t seed() const override { return 1; }

 private:
  class Connection final : public VirtualConnection {
   public:
    explicit Connection(boost::asio::io_context& io) : io_(io), socket_(io) {}
    void connect(const std::string& source, const std::string& address, std::uint16_t port,
                 Connected done) override {
      using boost::asio::ip::make_address, boost::asio::ip::tcp;
      const tcp::endpoint server(make_address(address), port);
      boost::system::error_code error;
      socket_.open(server.protocol(), error);
      if (!error) socket_.set_option(tcp::no_delay(true), error);
      if (!error && !source.empty()) socket_.bind({make_address(source), 0}, error);
      if (!error) return socket_.async_connect(server, std::move(done));
      boost::asio::post(io_, [done = std::move(done), error] { done(error); });
    }
    void read_some(boost::asio::mutable_buffer to, Moved done) override {
      socket_.async_read_some(to, std::move(done));
    }
    void write_some(boost::asio::const_buffer from, Moved done) override {
      socket_.async_write_some(from, std::move(done));
    }
    void close() override {
      boost::system::error_code ignored;
      socket_.close(ignored);
    }

   private:
    boost::asio::io_context& io_;
    boost::asio::ip::tcp::socket socket_;
  };

  boost::asio::io_context& io_;
};

/// An io_context that is driven in the time of this machine.
struct MachineLoop {
  boost::asio::io_context io;
  MachineSurroundings surroundings{io};
};

}  // namespace dissensus::live::test
