// Nodes in C++, for Dissensus: the protocol of docs/formats/process.md. One header; needs
// nlohmann/json.
//
//   struct Echo : node::Node {
//     void receive(const std::string& source, const Json& body) override {
//       if (body["type"] == "echo") reply(source, body, {{"type", "echo_ok"}, {"echo",
//       body["echo"]}});
//     }
//   };
//   int main() { node::run<Echo>(); }
//
// While a handler runs, the world waits: time stands still, and whatever is sent goes out when it
// returns. A node that keeps to this (no threads, no clock, no random_device, no unordered order in
// what it sends) does the same again for the same seed.
#pragma once

#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace node {

using Json = nlohmann::json;

class Node {
 public:
  virtual ~Node() = default;

  // For nodes to fill in.

  /// The node knows who it is: name, nodes, stored, now.
  virtual void start() {}
  virtual void receive(const std::string& source, const Json& body) = 0;
  virtual void timer(const std::string& /*name*/) {}

 protected:
  // For nodes to use.

  void send(const std::string& to, Json body) {
    say({{"src", name}, {"dest", to}, {"body", std::move(body)}});
  }
  void reply(const std::string& to, const Json& request, Json body) {
    if (request.contains("msg_id")) body["in_reply_to"] = request["msg_id"];
    send(to, std::move(body));
  }
  void error(const std::string& to, const Json& request, int code, const std::string& text) {
    reply(to, request, {{"type", "error"}, {"code", code}, {"text", text}});
  }
  /// Sends a request; `then` gets the answer, if one comes.
  void call(const std::string& to, Json body, std::function<void(const Json&)> then) {
    body["msg_id"] = ++last_id_;
    waiting_[last_id_] = std::move(then);
    send(to, std::move(body));
  }
  std::vector<std::string> others() const {
    std::vector<std::string> result;
    for (const std::string& other : nodes) {
      if (other != name) result.push_back(other);
    }
    return result;
  }
  /// Calls timer() after so many microseconds; a timer has one moment at a time.
  void set_timer(const std::string& timer, std::int64_t after) {
    say({{"type", "set_timer"}, {"timer", timer}, {"after", after}});
  }
  void cancel_timer(const std::string& timer) { say({{"type", "cancel_timer"}, {"timer", timer}}); }
  /// Survives a crash: `stored` has it when the node starts again.
  void store(const std::string& key, const Json& value) {
    stored[key] = value;
    say({{"type", "store"}, {"key", key}, {"value", value}});
  }
  /// 32 bits: xorshift over what the world gives with every event.
  std::uint32_t random() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    return random_ ^= random_ << 5;
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  }

  // Reports: what oracle, trace and conformance checks see. They change nothing. Others of the
  // protocol: say({{"type", "state"}, ...}).

  void propose(std::uint64_t instance, const Json& value, const std::string& level = "value") {
    say({{"type", "propose"}, {"level", level}, {"instance", instance}, {"value", value}});
  }
  void decide(std::uint64_t instance, const Json& value, const std::string& level = "value") {
    say({{"type", "decide"}, {"level", level}, {"instance", instance}, {"value", value}});
  }
  void phase(const std::string& name_of_phase) {
    say({{"type", "phase"}, {"phase", name_of_phase}});
  }
  void round(std::uint64_t number) { say({{"type", "round"}, {"round", number}}); }
  void observe(const std::string& what, std::int64_t value) {
    say({{"type", "observe"}, {"name", what}, {"value", value}});
  }
  void log(const std::string& text) { say({{"type", "log"}, {"text", text}}); }
  void say(const Json& line) { out_ += line.dump() + '\n'; }

  std::string name;
  std::vector<std::string> nodes;
  Json stored;
  std::int64_t now = 0;  ///< microseconds

 private:
  template <class Kind>
  friend void run();

  void begin(const Json& line) {
    const Json& body = line["body"];
    name = body["node_id"];
    nodes = body["node_ids"].get<std::vector<std::string>>();
    stored = body.value("stored", Json::object());
    set_moment(line);
    reply(line["src"], body, {{"type", "init_ok"}, {"reset", true}});
    start();
  }
  void handle(const Json& line) {
    set_moment(line);
    if (line.contains("timer")) return timer(line["timer"]);
    const Json& body = line["body"];
    if (!body.contains("in_reply_to")) return receive(line["src"], body);
    const auto found = waiting_.find(body["in_reply_to"].get<std::int64_t>());
    if (found == waiting_.end()) return;
    const std::function<void(const Json&)> then = std::move(found->second);
    waiting_.erase(found);
    then(body);
  }
  void set_moment(const Json& line) {
    now = line["now"];
    random_ = line["random"].get<std::uint32_t>() | 1U;
  }

  std::uint32_t random_ = 1;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::function<void(const Json&)>> waiting_;
  std::string out_;
};

/// Serves until the world closes its end. Every `init` makes a new node.
template <class Kind>
void run() {
  std::ios::sync_with_stdio(false);
  std::unique_ptr<Node> node;
  for (std::string text; std::getline(std::cin, text);) {
    const Json line = Json::parse(text);
    if (line.contains("body") && line["body"]["type"] == "init") {
      node = std::make_unique<Kind>();
      node->begin(line);
    } else {
      node->handle(line);
    }
    std::cout << node->out_ << "{\"type\":\"done\"}\n" << std::flush;
    node->out_.clear();
  }
}

}  // namespace node
