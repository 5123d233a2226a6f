#include "systems/live/servers/server_client.h"

#include <map>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "systems/live/loop/timer.h"
#include "systems/live/loop/web_socket.h"

namespace dissensus::live {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr auto kConnectLimit = std::chrono::seconds(3);
constexpr auto kReconnectDelay = std::chrono::milliseconds(250);

using ConnectionPointer = std::shared_ptr<WebSocket>;

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
    std::unique_ptr<Timer> timer;
  };

  State(asio::io_context& context_used, const std::string& address, std::uint16_t port)
      : context(context_used), reconnect_timer(context_used) {
    plan.address = address;
    plan.port = port;
    plan.open_limit = kConnectLimit;
  }

  asio::io_context& context;
  WebSocketPlan plan;
  Timer reconnect_timer;
  ConnectionPointer connection;  ///< handlers of any other one are late and do nothing
  bool active = false;
  bool open = false;
  bool subscribed = false;
  std::uint64_t connections = 0;
  std::uint64_t attempts = 0;
  std::uint64_t next_id = 1;
  std::map<std::uint64_t, Request> requests;
  std::string last_error;
  Handler event_handler;
  Handler owner_handler;

  bool is_current(const ConnectionPointer& one) const { return active && connection == one; }
  void connect();
  void subscribe();
  void handle(const ConnectionPointer& one, const std::string& text);
  void answer(const json& reply);
  void lose(const std::string& reason);
  void request(json command, Handler done, std::chrono::milliseconds limit);
};

void ServerClient::State::connect() {
  const auto self = weak_from_this();
  const std::uint64_t number = ++attempts;
  const auto if_current = [self, number](const auto& work) {
    const auto state = self.lock();
    if (state && state->active && state->attempts == number && state->connection) work(*state);
  };
  WebSocketEvents events;
  events.opened = [if_current] {
    if_current([](State& state) {
      state.open = true;
      ++state.connections;
      state.subscribe();
    });
  };
  events.received = [if_current](const std::string& text) {
    if_current([&text](State& state) { state.handle(state.connection, text); });
  };
  events.ended = [if_current](const std::string& reason) {
    if_current([&reason](State& state) { state.lose(reason); });
  };
  connection = std::make_shared<WebSocket>(context, plan, std::uint64_t{plan.port} << 32 | number,
                                           std::move(events));
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

void ServerClient::State::lose(const std::string& reason) {
  last_error = reason;
  open = false;
  subscribed = false;
  if (connection) connection->close();
  connection.reset();
  reconnect_timer.after(kReconnectDelay, [self = weak_from_this()] {
    const auto state = self.lock();
    if (state && state->active && !state->connection) state->connect();
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
  auto timer = std::make_unique<Timer>(context);
  timer->after(limit, [self = weak_from_this(), id, limit] {
    const auto state = self.lock();
    if (!state || !state->active) return;
    const auto found = state->requests.find(id);
    if (found == state->requests.end()) return;
    const Handler late = std::move(found->second.done);
    state->requests.erase(found);
    if (late) late(own_error("timeout", fmt::format("no answer within {} ms", limit.count())));
  });
  requests.emplace(id, Request{std::move(done), std::move(timer)});
  connection->send(command.dump());
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
  if (state.connection) state.connection->close();
  state.connection.reset();
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
