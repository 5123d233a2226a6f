#include "systems/process/service.h"

#include <algorithm>
#include <array>

namespace dissensus::process {

namespace {

using Json = nlohmann::json;
/// By the key as JSON.
using Map = std::map<std::string, Json>;

Json error(int code, const char* text) {
  return {{"type", "error"}, {"code", code}, {"text", text}};
}

bool is_type(const Json& request, const char* type) {
  return member(request, "type") == type;
}

/// One request to one map.
Json apply(Map& map, const Json& request) {
  const std::string key = member(request, "key").dump();
  const auto found = map.find(key);
  if (is_type(request, "read")) {
    if (found == map.end()) return error(20, "no such key");
    return {{"type", "read_ok"}, {"value", found->second}};
  }
  if (is_type(request, "write")) {
    map[key] = member(request, "value");
    return {{"type", "write_ok"}};
  }
  if (!is_type(request, "cas")) return error(10, "not a request of this service");
  if (found == map.end()) {
    if (member(request, "create_if_not_exists") != true) return error(20, "no such key");
  } else if (found->second != member(request, "from")) {
    return error(22, "the value is another one");
  }
  map[key] = member(request, "to");
  return {{"type", "cas_ok"}};
}

class Linearizable final : public Service {
 public:
  using Service::Service;

 private:
  Json serve(NodeId, const Json& request, Random&) override { return apply(map_, request); }
  Map map_;
};

/// All see the same order of changes, each at its own pace: a read may show any state that is not
/// older than what its reader has seen or done. A change happens in the newest one.
class Sequential final : public Service {
 public:
  using Service::Service;

 private:
  static constexpr std::size_t kStatesMax = 64;

  Json serve(NodeId from, const Json& request, Random& random) override {
    std::uint64_t& seen = seen_[from];
    if (is_type(request, "read")) {
      seen = std::max(seen, oldest_);
      const std::uint64_t newest = oldest_ + states_.size() - 1;
      seen += random.below(newest - seen + 1);
      return apply(states_[seen - oldest_], request);
    }
    Map next = states_.back();
    Json answer = apply(next, request);
    if (!is_type(answer, "error")) {
      states_.push_back(std::move(next));
      if (states_.size() > kStatesMax) {
        states_.erase(states_.begin());
        ++oldest_;
      }
    }
    // Also one that failed was compared with the newest.
    seen = oldest_ + states_.size() - 1;
    return answer;
  }

  std::vector<Map> states_{Map{}};
  std::uint64_t oldest_ = 0;
  std::map<NodeId, std::uint64_t> seen_;
};

/// Some replicas; each request is served by any of them, and now and then two of them exchange what
/// they have. Of two values the later written one stays.
class LastWriteWins final : public Service {
 public:
  using Service::Service;

 private:
  struct Written {
    Json value;
    std::uint64_t time = 0;
  };
  using Replica = std::map<std::string, Written>;

  Json serve(NodeId, const Json& request, Random& random) override {
    Replica& replica = replicas_[random.below(replicas_.size())];
    const std::string key = member(request, "key").dump();
    Map map;
    if (const auto found = replica.find(key); found != replica.end()) {
      map[key] = found->second.value;
    }
    const Json answer = apply(map, request);
    if (is_type(answer, "write_ok") || is_type(answer, "cas_ok")) {
      replica[key] = {map[key], ++time_};
    }
    merge(replica, replicas_[random.below(replicas_.size())]);
    return answer;
  }
  static void merge(Replica& a, Replica& b) {
    if (&a == &b) return;
    const auto take = [](Replica& into, const Replica& from) {
      for (const auto& [key, written] : from) {
        Written& own = into[key];
        if (own.time < written.time) own = written;
      }
    };
    take(a, b);
    take(b, a);
  }

  std::array<Replica, 3> replicas_;
  std::uint64_t time_ = 0;
};

class Timestamps final : public Service {
 public:
  using Service::Service;

 private:
  Json serve(NodeId, const Json& request, Random&) override {
    if (!is_type(request, "ts")) return error(10, "not a request of this service");
    return {{"type", "ts_ok"}, {"ts", next_++}};
  }
  std::uint64_t next_ = 0;
};

}  // namespace

void Service::receive(Context& context, NodeId from, const Message& message) {
  const Json request = Json::parse(*message.get<ProcessMessage>()->body);
  Json answer = serve(from, request, context.random());
  if (const auto id = request.find("msg_id"); id != request.end()) answer["in_reply_to"] = *id;
  book_.send(context, from, answer);
}

std::unique_ptr<Service> make_service(ServiceKind kind, const Book& book) {
  switch (kind) {
    case ServiceKind::lin_kv:
      return std::make_unique<Linearizable>(book);
    case ServiceKind::seq_kv:
      return std::make_unique<Sequential>(book);
    case ServiceKind::lww_kv:
      return std::make_unique<LastWriteWins>(book);
    case ServiceKind::lin_tso:
      break;
  }
  return std::make_unique<Timestamps>(book);
}

}  // namespace dissensus::process
