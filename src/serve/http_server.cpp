#include "serve/http_server.h"

#include <atomic>
#include <thread>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>

#include "dissensus/options.h"

#include "trace/text.h"

namespace dissensus::serve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;

/// Nothing that a page loads may come from elsewhere, nor may others show, read or embed it.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: "
    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

template <class Message>
void set_headers(Message& message, const Response& response) {
  message.set(http::field::server, "dissensus");
  message.set(http::field::content_type, response.type);
  message.set(http::field::cache_control, "no-store");
  message.set("Content-Security-Policy", kContentPolicy);
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Referrer-Policy", "no-referrer");
  message.set("Cross-Origin-Resource-Policy", "same-origin");
  message.set("Cross-Origin-Opener-Policy", "same-origin");
  if (!response.download.empty()) {
    message.set(http::field::content_disposition,
                fmt::format("attachment; filename=\"{}\"", response.download));
  }
}

Response error_response(unsigned status, std::string_view text) {
  Response response;
  response.status = status;
  response.body = "{\"error\":";
  trace::append_json_text(response.body, text);
  response.body += "}\n";
  return response;
}

Response guarded(const Handler& handler, const Request& request) {
  try {
    return handler(request);
  } catch (const InputError& error) {
    return error_response(400, error.what());
  } catch (const std::exception& error) {
    return error_response(500, error.what());
  }
}

Request to_request(http::request<http::string_body>&& message) {
  const auto header = [&message](http::field field) {
    const auto found = message.find(field);
    return found == message.end() ? std::string() : std::string(found->value());
  };
  Request request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.host = header(http::field::host);
  request.origin = header(http::field::origin);
  request.content_type = header(http::field::content_type);
  request.body = std::move(message.body());
  return request;
}

}  // namespace

struct HttpServer::Implementation {
  class Connection;

  Implementation(HttpOptions chosen, Handler answer)
      : options(std::move(chosen)),
        handler(std::move(answer)),
        workers(options.workers),
        acceptor(network) {
    listen();
    accept();
    thread = std::thread([this] { network.run(); });
  }
  ~Implementation() {
    network.stop();
    thread.join();
    workers.join();  // answers that are being made are made; nobody reads them any more
  }

  void listen() {
    Error error;
    const auto address = asio::ip::make_address(options.address, error);
    const tcp::endpoint endpoint(address, options.port);
    if (!error) acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      throw InputError(fmt::format("--listen: {}:{} cannot be had: {}", options.address,
                                   options.port, error.message()));
    }
  }
  void accept();

  HttpOptions options;
  Handler handler;
  std::atomic<std::size_t> open{0};  // connections count themselves off until the network is gone
  asio::thread_pool workers;
  asio::io_context network{1};
  tcp::acceptor acceptor;
  std::thread thread;
};

/// One client. Everything but the making of answers happens in the network's only thread.
class HttpServer::Implementation::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Implementation& owner, tcp::socket&& socket)
      : owner_(owner), stream_(std::move(socket)), timer_(owner.network) {
    ++owner_.open;
  }
  ~Connection() { --owner_.open; }

  void start() {
    if (owner_.open > owner_.options.connections_max) {
      respond(error_response(503, "too many connections at once"), false);
    } else {
      read();
    }
  }

 private:
  void read() {
    parser_.emplace();
    parser_->body_limit(owner_.options.body_bytes_max);
    parser_->header_limit(owner_.options.header_bytes_max);
    stream_.expires_after(owner_.options.patience);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](const Error& error, std::size_t) { self->on_read(error); });
  }

  void on_read(const Error& error) {
    if (error == http::error::body_limit) {
      respond(error_response(413, fmt::format("expected a body of at most {} bytes",
                                              owner_.options.body_bytes_max)),
              false);
    } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      respond(error_response(431, fmt::format("expected headers of at most {} bytes",
                                              owner_.options.header_bytes_max)),
              false);
    } else if (error.category() == http::make_error_code(http::error::bad_method).category() &&
               error != http::error::end_of_stream && error != http::error::partial_message) {
      respond(error_response(400, "not a request of HTTP/1: " + error.message()), false);
    } else if (!error) {
      answer();
    }
  }

  void answer() {
    const bool keeps = parser_->get().keep_alive();
    auto request = std::make_shared<Request>(to_request(parser_->release()));
    stream_.expires_never();
    asio::post(owner_.workers, [self = shared_from_this(), request, keeps] {
      auto response = std::make_shared<Response>(guarded(self->owner_.handler, *request));
      asio::post(self->owner_.network, [self, response, keeps] {
        if (response->more) {
          self->begin_pieces(std::move(*response));
        } else {
          self->respond(std::move(*response), keeps);
        }
      });
    });
  }

  void respond(Response&& response, bool keeps) {
    message_.emplace();
    message_->version(11);
    message_->result(response.status);
    set_headers(*message_, response);
    message_->keep_alive(keeps);
    message_->body() = std::move(response.body);
    message_->prepare_payload();
    stream_.expires_after(owner_.options.patience);
    http::async_write(stream_, *message_,
                      [self = shared_from_this(), keeps](const Error& error, std::size_t) {
                        if (error) return;
                        keeps ? self->read() : self->close();
                      });
  }

  /// What the client still sends is read and thrown away for a moment: a socket that is closed
  /// with bytes waiting would take the answer back.
  void close() {
    Error ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(2));
    drain(16);
  }
  void drain(int times) {
    if (times == 0) return;
    rest_.resize(64 << 10);
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this(), times](const Error& error, std::size_t) {
                              if (!error) self->drain(times - 1);
                            });
  }

  // ---- bodies that go on

  void begin_pieces(Response&& response) {
    more_ = std::move(response.more);
    head_.emplace();
    head_->version(11);
    head_->result(response.status);
    set_headers(*head_, response);
    head_->chunked(true);
    serializer_.emplace(*head_);
    stream_.expires_after(owner_.options.patience);
    http::async_write_header(stream_, *serializer_,
                             [self = shared_from_this()](const Error& error, std::size_t) {
                               if (!error) self->ask_more();
                             });
  }

  void ask_more() {
    stream_.expires_never();
    asio::post(owner_.workers, [self = shared_from_this()] {
      std::optional<std::string> piece;
      try {
        piece = self->more_();
      } catch (const std::exception&) {
        piece.reset();  // the body ends; the client asks again and hears why
      }
      asio::post(self->owner_.network,
                 [self, piece = std::move(piece)]() mutable { self->on_piece(std::move(piece)); });
    });
  }

  void on_piece(std::optional<std::string>&& piece) {
    if (!piece) {
      stream_.expires_after(owner_.options.patience);
      asio::async_write(stream_, http::make_chunk_last(),
                        [self = shared_from_this()](const Error& error, std::size_t) {
                          if (!error) self->close();
                        });
      return;
    }
    // A client that went away shows when something is written to it.
    constexpr int kSilentTimes = 25;
    if (piece->empty() && ++silent_ < kSilentTimes) {
      wait();
      return;
    }
    silent_ = 0;
    piece_ = piece->empty() ? std::string(":\n\n") : std::move(*piece);
    stream_.expires_after(owner_.options.patience);
    asio::async_write(stream_, http::make_chunk(asio::buffer(piece_)),
                      [self = shared_from_this()](const Error& error, std::size_t) {
                        if (!error) self->wait();
                      });
  }

  void wait() {
    timer_.expires_after(owner_.options.between_pieces);
    timer_.async_wait([self = shared_from_this()](const Error& error) {
      if (!error) self->ask_more();
    });
  }

  Implementation& owner_;
  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_{64 << 10};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> message_;
  std::optional<http::response<http::empty_body>> head_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  std::function<std::optional<std::string>()> more_;
  std::string piece_;
  std::string rest_;
  int silent_ = 0;
};

void HttpServer::Implementation::accept() {
  acceptor.async_accept([this](const Error& error, tcp::socket socket) {
    if (!error) {
      Error ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Connection>(*this, std::move(socket))->start();
    }
    accept();
  });
}

HttpServer::HttpServer(HttpOptions options, Handler handler)
    : implementation_(std::make_unique<Implementation>(std::move(options), std::move(handler))) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
  return implementation_->acceptor.local_endpoint().port();
}

std::size_t HttpServer::connections() const {
  return implementation_->open;
}

}  // namespace dissensus::serve
