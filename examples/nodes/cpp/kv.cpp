// A replicated key-value store (workload lin-kv): the node of ../python/kv.py in C++.
//
//   node_kv           reads are answered by the first node, too
//   node_kv --local   reads are answered from the copy: faster, and a bug
#include <string_view>

#include "node.h"

namespace {

using node::Json;

bool is_local = false;  // set once, by main

class KeyValue final : public node::Node {
 public:
  void start() override {
    primary_ = nodes.front();
    data_ = stored.value("data", Json::object());
    version_ = stored.value("version", std::uint64_t{0});
    seen_ = stored.value("seen", Json::object());
  }

  void receive(const std::string& source, const Json& body) override {
    const std::string type = body["type"];
    if (type == "copy") {
      copy(body);
    } else if (type == "forward") {
      serve(body["client"], body["request"]);
    } else if (type != "read" && type != "write" && type != "cas") {
      error(source, body, 10, "no such request: " + type);
    } else if (name == primary_ || (is_local && type == "read")) {
      serve(source, body);
    } else {
      send(primary_, {{"type", "forward"}, {"client", source}, {"request", body}});
    }
  }

 private:
  void keep() {
    store("data", data_);
    store("version", version_);
  }
  void serve(const std::string& client, const Json& request) {
    const std::string key = request["key"].dump();
    if (request["type"] != "read") {
      change(client, request, key);
    } else if (data_.contains(key)) {
      reply(client, request, {{"type", "read_ok"}, {"value", data_[key]}});
    } else {
      error(client, request, 20, "no such key");
    }
  }
  void change(const std::string& client, const Json& request, const std::string& key) {
    if (request["msg_id"].get<std::int64_t>() <= seen_.value(client, std::int64_t{0})) return;
    seen_[client] = request["msg_id"];
    store("seen", seen_);
    const bool is_cas = request["type"] == "cas";
    if (is_cas && !data_.contains(key)) return error(client, request, 20, "no such key");
    if (is_cas && data_[key] != request["from"]) {
      return error(client, request, 22, "the value is another one");
    }
    data_[key] = request[is_cas ? "to" : "value"];
    ++version_;
    keep();
    decide(version_, Json::array({key, data_[key]}));
    for (const std::string& other : others()) {
      send(other, {{"type", "copy"}, {"version", version_}, {"data", data_}});
    }
    reply(client, request, {{"type", is_cas ? "cas_ok" : "write_ok"}});
  }
  void copy(const Json& body) {
    if (body["version"].get<std::uint64_t>() <= version_) return;
    version_ = body["version"];
    data_ = body["data"];
    keep();
  }

  std::string primary_;
  Json data_;
  std::uint64_t version_ = 0;
  Json seen_;  ///< last request of each client that was carried out
};

}  // namespace

int main(int argc, char** argv) {
  is_local = argc > 1 && std::string_view(argv[1]) == "--local";
  node::run<KeyValue>();
}
