#include "systems/live/servers/server_client.h"

// GCC 12 with sanitizers takes an empty boost::optional of Beast's parser for uninitialised.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <deque>
#include <map>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dissensus::live {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using nlohmann::json;

namespace {

constexpr auto kConnectLimit = std::chrono::seconds(3);
constexpr auto kIdleLimit = std::chrono::seconds(20);
constexpr auto kReconnectDelay = std::chrono::milliseconds(250);
constexpr std::size_t kMessageBytesMax = 16U << 20;

struct Connection {
  explicit Connection(asio::io_context& context) : stream(context) {}
  websocket::stream<beast::tcp_stream> stream;
  beast::flat_buffer buffer;
  std::deque<std::string> outgoing;  ///< the first one is being written
};
using ConnectionPointer = std::shared_ptr<Connection>;

json own_error(const char* error, const std::string& message) {
  return {{"status", "error"}, {"error", error}, {"error_message", message}};
}

std::string member_text(const json& object, const char* key) {
  const bool has = object.is_object() && object.contains(key) && object[key].is_string();
  return has ? object[key].get<std::string>() : std::string();
}

}  // namespace

struct ServerClient::State : std::enable_shared_from_this<ServerClient::State> {
  struct Request {
    Handler done;
    std::unique_ptr<asio::steady_timer> timer;
  };

  State(asio::io_context& context_used, const std::string& address, std::uint16_t port)
      : context(context_used),
        endpoint(asio::ip::make_address(address), port),
        host(fmt::format("{}:{}", address, port)),
        reconnect_timer(context_used) {}

  asio::io_context& context;
  asio::ip::tcp::endpoint endpoint;
  std::string host;
  asio::steady_timer reconnect_timer;
  ConnectionPointer connection;  ///< handlers of any other one are late and do nothing
  bool active = false;
  bool open = false;
  bool subscribed = false;
  std::uint64_t connections = 0;
  std::uint64_t next_id = 1;
  std::map<std::uint64_t, Request> requests;
  std::string last_error;
  Handler event_handler;
  Handler owner_handler;

  bool is_current(const ConnectionPointer& one) const { return active && connection == one; }
  void connect();
  void handshake(const ConnectionPointer& one);
  void subscribe();
  void read(const ConnectionPointer& one);
  void handle(const ConnectionPointer& one, const std::string& text);
  void answer(const json& reply);
  void send(std::string text);
  void write_next(const ConnectionPointer& one);
  void lose(const std::string& reason);
  void request(json command, Handler done, std::chrono::milliseconds limit);
};

void ServerClient::State::connect() {
  connection = std::make_shared<Connection>(context);
  auto& tcp = beast::get_lowest_layer(connection->stream);
  tcp.expires_after(kConnectLimit);
  tcp.async_connect(endpoint,
                    [self = shared_from_this(), one = connection](beast::error_code error) {
                      if (!self->is_current(one)) return;
                      if (error) return self->lose("connect: " + error.message());
                      self->handshake(one);
                    });
}

void ServerClient::State::handshake(const ConnectionPointer& one) {
  auto& tcp = beast::get_lowest_layer(one->stream);
  tcp.expires_never();
  beast::error_code ignored;
  tcp.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  one->stream.set_option(websocket::stream_base::timeout{kConnectLimit, kIdleLimit, true});
  one->stream.read_message_max(kMessageBytesMax);
  one->stream.async_handshake(host, "/", [self = shared_from_this(), one](beast::error_code error) {
    if (!self->is_current(one)) return;
    if (error) return self->lose("WebSocket handshake: " + error.message());
    self->open = true;
    ++self->connections;
    self->read(one);
    self->subscribe();
  });
}

void ServerClient::State::subscribe() {
  const json command = {
      {"command", "subscribe"},
      {"streams", {"ledger", "transactions", "validations", "consensus", "server", "peer_status"}}};
  const auto done = [self = shared_from_this(), one = connection](const json& reply) {
    if (!self->is_current(one)) return;
    if (!succeeded(reply)) return self->lose("subscribe: " + error_of(reply));
    self->subscribed = true;
    if (self->owner_handler) self->owner_handler(reply);
  };
  request(command, done, kConnectLimit);
}

void ServerClient::State::read(const ConnectionPointer& one) {
  one->stream.async_read(one->buffer,
                         [self = shared_from_this(), one](beast::error_code error, std::size_t) {
                           if (!self->is_current(one)) return;
                           if (error) return self->lose("read: " + error.message());
                           const std::string text = beast::buffers_to_string(one->buffer.data());
                           one->buffer.consume(one->buffer.size());
                           self->handle(one, text);
                           if (self->is_current(one)) self->read(one);
                         });
}

void ServerClient::State::handle(const ConnectionPointer& one, const std::string& text) {
  const json message = json::parse(text, nullptr, false);
  if (!message.is_object()) return lose("a message that is not a JSON object");
  if (message.contains("id") && message["id"].is_number_unsigned()) return answer(message);
  // Copies: a handler may replace itself.
  const Handler owner = owner_handler;
  if (owner) owner(message);
  const Handler user = event_handler;
  if (user && is_current(one)) user(message);
}

void ServerClient::State::answer(const json& reply) {
  const auto found = requests.find(reply["id"].get<std::uint64_t>());
  if (found == requests.end()) return;  // its time was over
  const Handler done = std::move(found->second.done);
  requests.erase(found);
  if (done) done(reply);
}

void ServerClient::State::send(std::string text) {
  connection->outgoing.push_back(std::move(text));
  if (connection->outgoing.size() == 1) write_next(connection);
}

void ServerClient::State::write_next(const ConnectionPointer& one) {
  one->stream.async_write(asio::buffer(one->outgoing.front()),
                          [self = shared_from_this(), one](beast::error_code error, std::size_t) {
                            if (!self->is_current(one)) return;
                            if (error) return self->lose("write: " + error.message());
                            one->outgoing.pop_front();
                            if (!one->outgoing.empty()) self->write_next(one);
                          });
}

void ServerClient::State::lose(const std::string& reason) {
  last_error = reason;
  open = false;
  subscribed = false;
  if (connection) {
    beast::error_code ignored;
    beast::get_lowest_layer(connection->stream).socket().close(ignored);
    connection.reset();
  }
  reconnect_timer.expires_after(kReconnectDelay);
  reconnect_timer.async_wait([self = shared_from_this()](beast::error_code error) {
    if (!error && self->active && !self->connection) self->connect();
  });
  const auto unanswered = std::exchange(requests, {});
  for (const auto& [id, request] : unanswered) {
    if (active && request.done) request.done(own_error("disconnected", reason));
  }
}

void ServerClient::State::request(json command, Handler done, std::chrono::milliseconds limit) {
  if (!open) {
    const std::string reason = last_error;
    asio::post(context, [self = shared_from_this(), done = std::move(done), reason] {
      if (self->active && done) done(own_error("notConnected", reason));
    });
    return;
  }
  const std::uint64_t id = next_id++;
  command["id"] = id;
  auto timer = std::make_unique<asio::steady_timer>(context, limit);
  timer->async_wait([self = shared_from_this(), id, limit](beast::error_code error) {
    const auto found = self->requests.find(id);
    if (error || !self->active || found == self->requests.end()) return;
    const Handler late = std::move(found->second.done);
    self->requests.erase(found);
    if (late) late(own_error("timeout", fmt::format("no answer within {} ms", limit.count())));
  });
  requests.emplace(id, Request{std::move(done), std::move(timer)});
  send(command.dump());
}

ServerClient::ServerClient(asio::io_context& context, const std::string& address,
                           std::uint16_t port)
    : state_(std::make_shared<State>(context, address, port)) {}

ServerClient::~ServerClient() {
  stop();
}

void ServerClient::start() {
  if (state_->active) return;
  state_->active = true;
  state_->connect();
}

void ServerClient::stop() {
  State& state = *state_;
  state.active = false;
  state.open = false;
  state.subscribed = false;
  state.requests.clear();
  state.reconnect_timer.cancel();
  if (state.connection) {
    beast::error_code ignored;
    beast::get_lowest_layer(state.connection->stream).socket().close(ignored);
    state.connection.reset();
  }
}

void ServerClient::request(json command, Handler done, std::chrono::milliseconds limit) {
  state_->request(std::move(command), std::move(done), limit);
}

void ServerClient::on_event(Handler handler) {
  state_->event_handler = std::move(handler);
}
void ServerClient::on_event_of_owner(Handler handler) {
  state_->owner_handler = std::move(handler);
}

bool ServerClient::connected() const {
  return state_->subscribed;
}
const std::string& ServerClient::last_error() const {
  return state_->last_error;
}
std::uint64_t ServerClient::connections() const {
  return state_->connections;
}

bool succeeded(const json& reply) {
  return member_text(reply, "status") == "success";
}

std::string error_of(const json& reply) {
  const std::string message = member_text(reply, "error_message");
  const std::string error = member_text(reply, "error");
  if (error.empty()) return "malformed reply";
  return message.empty() ? error : error + ": " + message;
}

}  // namespace dissensus::live
