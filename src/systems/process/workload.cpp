#include "systems/process/workload.h"

#include <algorithm>
#include <array>
#include <map>

#include "systems/process/book.h"

namespace dissensus::process {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t kNoSuchKey = 20;

class Echo final : public Workload {
 public:
  explicit Echo(SharedNumbers& numbers) : numbers_(numbers) {}
  Question next(Random&) override {
    const std::string text = "please echo " + std::to_string(numbers_.next++);
    return {"echo", text, {{"type", "echo"}, {"echo", text}}};
  }
  Json answer(const Question&, const Json& body) override { return member(body, "echo"); }

 private:
  SharedNumbers& numbers_;
};

class UniqueIds final : public Workload {
 public:
  Question next(Random&) override { return {"generate", Json(), {{"type", "generate"}}}; }
  Json answer(const Question&, const Json& body) override { return member(body, "id"); }
};

/// Sets, broadcasts and counters: something is added, and everything is read.
class Additions final : public Workload {
 public:
  struct Words {
    const char* function;
    const char* key;     ///< of what is added
    const char* result;  ///< of what is read
  };
  Additions(const WorkloadSettings& settings, SharedNumbers& numbers, const Words& words)
      : settings_(settings), numbers_(numbers), words_(words) {}

  Question next(Random& random) override {
    if (random.chance(settings_.reads)) return read();
    const std::int64_t value = amount(random);
    return {words_.function, value, {{"type", words_.function}, {words_.key, value}}};
  }
  Question last() override { return read(); }
  Json answer(const Question& question, const Json& body) override {
    return question.is_read ? member(body, words_.result) : question.value;
  }

 private:
  std::int64_t amount(Random& random) {
    switch (settings_.kind) {
      case WorkloadKind::g_counter:
        return random.between(0, 5);
      case WorkloadKind::pn_counter:
        return random.between(-5, 5);
      default:
        return numbers_.next++;
    }
  }
  static Question read() { return {"read", Json(), {{"type", "read"}}, true}; }

  const WorkloadSettings& settings_;
  SharedNumbers& numbers_;
  Words words_;
};

class KeyValue final : public Workload {
 public:
  explicit KeyValue(const WorkloadSettings& settings) : settings_(settings) {}

  Question next(Random& random) override {
    const auto key = static_cast<std::int64_t>(random.below(settings_.keys));
    if (random.chance(settings_.reads)) {
      return {"read", {key, nullptr}, {{"type", "read"}, {"key", key}}, true};
    }
    const std::int64_t value = random.between(0, 4);
    if (random.chance(settings_.compare_and_set)) {
      const std::int64_t from = random.between(0, 4);
      return {"cas",
              {key, {from, value}},
              {{"type", "cas"}, {"key", key}, {"from", from}, {"to", value}}};
    }
    return {"write", {key, value}, {{"type", "write"}, {"key", key}, {"value", value}}};
  }
  Json answer(const Question& question, const Json& body) override {
    if (!question.is_read) return question.value;
    return {question.value[0], member(body, "value")};
  }
  bool is_answer(const Question& question, std::int64_t code) override {
    return question.is_read && code == kNoSuchKey;
  }

 private:
  const WorkloadSettings& settings_;
};

class Transactions final : public Workload {
 public:
  Transactions(const WorkloadSettings& settings, SharedNumbers& numbers)
      : settings_(settings), numbers_(numbers) {}

  Question next(Random& random) override {
    const bool is_list = settings_.kind == WorkloadKind::txn_list_append;
    Json operations = Json::array();
    const std::uint64_t count = 1 + random.below(settings_.operations_max);
    bool only_reads = true;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto key = static_cast<std::int64_t>(random.below(settings_.keys));
      if (random.chance(settings_.reads)) {
        operations.push_back({"r", key, nullptr});
      } else {
        only_reads = false;
        operations.push_back({is_list ? "append" : "w", key, numbers_.next++});
      }
    }
    return {"txn", operations, {{"type", "txn"}, {"txn", operations}}, only_reads};
  }
  Json answer(const Question&, const Json& body) override { return member(body, "txn"); }

 private:
  const WorkloadSettings& settings_;
  SharedNumbers& numbers_;
};

/// Logs: sends, polls from where the client is, commits of that, and new assignments, which go back
/// to what was committed.
class Logs final : public Workload {
 public:
  Logs(const WorkloadSettings& settings, SharedNumbers& numbers)
      : settings_(settings), numbers_(numbers) {}

  Question next(Random& random) override {
    const double what = random.unit();
    if (what < 0.1) {
      Json keys = Json::array();
      for (std::uint64_t key = 0; key < settings_.keys; ++key) keys.push_back(std::to_string(key));
      return {"assign", keys, {{"type", "list_committed_offsets"}, {"keys", keys}}, true};
    }
    if (what < 0.2 && !positions_.empty()) {
      Json offsets = Json::object();
      for (const auto& [key, next] : positions_) {
        if (next > 0) offsets[key] = next - 1;
      }
      if (!offsets.empty()) {
        Question question{"commit", Json(), {{"type", "commit_offsets"}, {"offsets", offsets}}};
        question.in_history = false;
        return question;
      }
    }
    if (random.chance(settings_.reads)) return poll();
    const std::string key = std::to_string(random.below(settings_.keys));
    const std::int64_t value = numbers_.next++;
    return {"send",
            Json::array({Json::array({"send", key, value})}),
            {{"type", "send"}, {"key", key}, {"msg", value}}};
  }
  Question last() override { return poll(); }
  Json answer(const Question& question, const Json& body) override {
    if (question.function == "assign") {
      positions_.clear();
      const Json offsets = member(body, "offsets");
      for (const Json& key : question.value) {
        const std::string& name = key.get_ref<const std::string&>();
        const auto found = offsets.find(name);
        const bool is_known =
            offsets.is_object() && found != offsets.end() && found->is_number_integer();
        positions_[name] = is_known ? found->get<std::int64_t>() + 1 : 0;
      }
      return question.value;
    }
    if (question.function == "send") {
      Json result = question.value;
      result[0][2] = Json::array({member(body, "offset"), question.value[0][2]});
      return result;
    }
    const Json messages = member(body, "msgs");
    if (messages.is_object()) {
      for (const auto& [key, list] : messages.items()) {
        for (const Json& pair : list) {
          if (!pair.is_array() || pair.empty() || !pair[0].is_number_integer()) continue;
          std::int64_t& position = positions_[key];
          position = std::max(position, pair[0].get<std::int64_t>() + 1);
        }
      }
    }
    return Json::array({Json::array({"poll", messages})});
  }

 private:
  Question poll() {
    Json offsets = Json::object();
    for (std::uint64_t key = 0; key < settings_.keys; ++key) {
      const std::string name = std::to_string(key);
      offsets[name] = positions_[name];
    }
    return {"poll",
            Json::array({Json::array({"poll"})}),
            {{"type", "poll"}, {"offsets", offsets}},
            true};
  }

  const WorkloadSettings& settings_;
  SharedNumbers& numbers_;
  std::map<std::string, std::int64_t> positions_;  ///< what to poll next, by key
};

DeclaredMessage declared(const char* type,
                         std::vector<std::pair<const char*, SemanticType>> fields = {}) {
  DeclaredMessage message{type, {}};
  for (const auto& [name, semantic] : fields) message.fields.push_back({name, semantic, true});
  return message;
}

}  // namespace

std::unique_ptr<Workload> make_workload(const WorkloadSettings& settings, SharedNumbers& numbers) {
  switch (settings.kind) {
    case WorkloadKind::echo:
      return std::make_unique<Echo>(numbers);
    case WorkloadKind::unique_ids:
      return std::make_unique<UniqueIds>();
    case WorkloadKind::broadcast:
      return std::make_unique<Additions>(settings, numbers,
                                         Additions::Words{"broadcast", "message", "messages"});
    case WorkloadKind::g_set:
      return std::make_unique<Additions>(settings, numbers,
                                         Additions::Words{"add", "element", "value"});
    case WorkloadKind::g_counter:
    case WorkloadKind::pn_counter:
      return std::make_unique<Additions>(settings, numbers,
                                         Additions::Words{"add", "delta", "value"});
    case WorkloadKind::lin_kv:
      return std::make_unique<KeyValue>(settings);
    case WorkloadKind::txn_list_append:
    case WorkloadKind::txn_rw_register:
      return std::make_unique<Transactions>(settings, numbers);
    case WorkloadKind::kafka:
      break;
  }
  return std::make_unique<Logs>(settings, numbers);
}

std::vector<DeclaredMessage> workload_messages(WorkloadKind kind) {
  using enum SemanticType;
  const DeclaredMessage error = declared("error", {{"code", number}});
  switch (kind) {
    case WorkloadKind::echo:
      return {declared("echo", {{"echo", text}}), declared("echo_ok", {{"echo", text}}), error};
    case WorkloadKind::unique_ids:
      return {declared("generate"), declared("generate_ok", {{"id", value}}), error};
    case WorkloadKind::broadcast:
      return {declared("topology"),
              declared("topology_ok"),
              declared("broadcast", {{"message", value}}),
              declared("broadcast_ok"),
              declared("read"),
              declared("read_ok", {{"messages", value}}),
              error};
    case WorkloadKind::g_set:
      return {declared("add", {{"element", value}}), declared("add_ok"), declared("read"),
              declared("read_ok", {{"value", value}}), error};
    case WorkloadKind::g_counter:
    case WorkloadKind::pn_counter:
      return {declared("add", {{"delta", amount}}), declared("add_ok"), declared("read"),
              declared("read_ok", {{"value", amount}}), error};
    case WorkloadKind::lin_kv:
      return {declared("read", {{"key", number}}),
              declared("read_ok", {{"value", value}}),
              declared("write", {{"key", number}, {"value", value}}),
              declared("write_ok"),
              declared("cas", {{"key", number}, {"from", value}, {"to", value}}),
              declared("cas_ok"),
              error};
    case WorkloadKind::txn_list_append:
    case WorkloadKind::txn_rw_register:
      return {declared("txn", {{"txn", value}}), declared("txn_ok", {{"txn", value}}), error};
    case WorkloadKind::kafka:
      break;
  }
  return {declared("send", {{"key", text}, {"msg", value}}),
          declared("send_ok", {{"offset", sequence}}),
          declared("poll", {{"offsets", value}}),
          declared("poll_ok", {{"msgs", value}}),
          declared("commit_offsets", {{"offsets", value}}),
          declared("commit_offsets_ok"),
          declared("list_committed_offsets"),
          declared("list_committed_offsets_ok", {{"offsets", value}}),
          error};
}

std::vector<DeclaredMessage> service_messages(const std::vector<ServiceKind>& services) {
  if (services.empty()) return {};
  std::vector<DeclaredMessage> messages = workload_messages(WorkloadKind::lin_kv);
  messages.push_back(declared("ts"));
  messages.push_back(declared("ts_ok", {{"ts", SemanticType::sequence}}));
  return messages;
}

bool is_definite(std::int64_t code) {
  static constexpr std::array<std::int64_t, 9> kDefinite{1, 10, 11, 12, 14, 20, 21, 22, 30};
  return std::find(kDefinite.begin(), kDefinite.end(), code) != kDefinite.end();
}

}  // namespace dissensus::process
