// HTTP on a socket: connections, limits, timeouts. What is answered is somebody else's business.
// Everything that needs Boost.Beast is in http_server.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace dissensus::serve {

struct Request {
  std::string method;  ///< "GET", "POST"; any other word is passed on as it came
  std::string target;  ///< as it came: path and query, not decoded
  std::string host;    ///< headers; empty where they are missing
  std::string origin;
  std::string content_type;
  std::string body;
};

struct Response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
  /// Not empty: the body goes on for as long as this gives pieces; an empty piece means that there
  /// is nothing new yet, none that all is said. Asked several times a second, in no fixed thread.
  std::function<std::optional<std::string>()> more = nullptr;
  /// Empty, or the name under which a browser saves it.
  std::string download = {};
};

/// Called by several threads at once. What it throws becomes a response: InputError 400, all else
/// 500.
using Handler = std::function<Response(const Request&)>;

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: a free one
  std::size_t body_bytes_max = 1 << 20;
  std::uint32_t header_bytes_max = 16 << 10;
  std::size_t connections_max = 512;  ///< one more is told so, and closed
  std::size_t workers = 4;            ///< threads that answer
  /// To send a request, or to take an answer; a connection that is idle for longer is closed.
  std::chrono::milliseconds patience{30'000};
  std::chrono::milliseconds between_pieces{200};
};

class HttpServer {
 public:
  /// Listens from here on. Throws InputError where the address cannot be had.
  HttpServer(HttpOptions options, Handler handler);
  /// Ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// How many are open now.
  std::size_t connections() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dissensus::serve
