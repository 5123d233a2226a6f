#include "systems/live/loop/stream.h"

namespace dissensus::live {

using boost::asio::ip::tcp;

Stream::Stream(boost::asio::io_context& io) : io_(io) {
  if (Surroundings* const surroundings = surroundings_of(io)) {
    virtual_ = surroundings->make_connection();
  } else {
    socket_.emplace(io);
  }
}

Stream::~Stream() = default;

boost::system::error_code Stream::connect(const std::string& source, const std::string& address,
                                          std::uint16_t port, Connected done) {
  boost::system::error_code error;
  if (virtual_) {
    virtual_->connect(source, address, port, std::move(done));
    return error;
  }
  const tcp::endpoint server(boost::asio::ip::make_address(address), port);
  socket_->open(server.protocol(), error);
  if (!error) socket_->set_option(tcp::no_delay(true), error);
  if (!error && !source.empty()) {
    socket_->bind({boost::asio::ip::make_address(source), 0}, error);
  }
  if (!error) socket_->async_connect(server, std::move(done));
  return error;
}

void Stream::close() {
  if (virtual_) return virtual_->close();
  boost::system::error_code ignored;
  socket_->close(ignored);
}

}  // namespace dissensus::live
