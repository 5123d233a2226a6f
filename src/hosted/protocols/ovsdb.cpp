#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "hosted/protocols/raft.h"

namespace dissensus::protocols {

namespace {

using Json = nlohmann::json;

/// A method, and what its parameters are called.
struct Method {
  std::string_view name;
  std::string_view kind;
  const char* index = "";
  const char* log_term = "";
  const char* commit = "";
};

constexpr std::array<Method, 15> kMethods{{
    {"hello_request", "hello"},
    {"append_request", "append", "prev_log_index", "prev_log_term", "leader_commit"},
    {"append_reply", "append-reply", "prev_log_index", "prev_log_term"},
    {"vote_request", "vote", "last_log_index", "last_log_term"},
    {"vote_reply", "vote-reply"},
    {"add_server_request", "add-server"},
    {"add_server_reply", "add-server-reply"},
    {"remove_server_request", "remove-server"},
    {"remove_server_reply", "remove-server-reply"},
    {"install_snapshot_request", "install-snapshot", "last_index", "last_term"},
    {"install_snapshot_reply", "install-snapshot-reply", "last_index", "last_term"},
    {"become_leader", "become-leader"},
    {"execute_command_request", "execute-command"},
    {"execute_command_reply", "execute-command-reply", "", "", "commit_index"},
    // Between a client and its server.
    {"transact", "transact"},
}};

std::uint64_t number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// Each answer has its own way to say no.
bool says_no(std::string_view method, const Json& body) {
  const auto is = [&](const char* key, const Json& value) {
    const auto found = body.find(key);
    return found != body.end() && *found == value;
  };
  if (method == "append_reply") return !is("result", "OK");
  if (method == "vote_reply") {
    const auto vote = body.find("vote");
    return vote == body.end() || !is("to", *vote);
  }
  if (method == "execute_command_reply") return !is("status", "success");
  return is("success", false);
}

/// The first half of a UUID, whose beginning is what logs of servers say.
ServerName name_of(std::string_view uuid) {
  std::string digits(uuid.substr(0, 18));
  std::erase(digits, '-');
  ServerName name = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), name, 16);
  return name;
}

ServerName name_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return 0;
  return name_of(found->get_ref<const std::string&>());
}

/// All servers, by name.
std::optional<RaftChange> members_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return std::nullopt;
  RaftChange members;
  for (const auto& [uuid, address] : found->items()) members.servers.push_back(name_of(uuid));
  return members;
}

RaftEntry entry_of(const Json& entry) {
  RaftEntry read;
  if (!entry.is_object()) return read;
  read.term = number_in(entry, "term");
  read.change = members_in(entry, "servers");
  Json content = entry;
  content.erase("term");
  read.content = digest_of_text(content.dump(-1, ' ', false, Json::error_handler_t::replace));
  return read;
}

RaftFields fields_of(const Method& method, const Json& body) {
  RaftFields fields;
  fields.from = name_in(body, "from");
  fields.to = name_in(body, "to");
  fields.vote = name_in(body, "vote");
  fields.members = members_in(body, "last_servers");
  fields.term = number_in(body, "term");
  fields.index = number_in(body, method.index);
  fields.log_term = number_in(body, method.log_term);
  fields.commit = number_in(body, method.commit);
  fields.entries = number_in(body, "n_entries");
  if (const auto log = body.find("log"); log != body.end() && log->is_array()) {
    fields.entries = log->size();
    for (const Json& entry : *log) fields.log.push_back(entry_of(entry));
  }
  if (method.name.ends_with("_reply")) fields.is_refused = says_no(method.name, body);
  // Up to where it has what the leader has.
  if (method.name == "append_reply" && !fields.is_refused) fields.index += fields.entries;
  return fields;
}

/// Kind and fields of an object, if it is one of those above.
void name_object(Part& part) {
  const Json object = Json::parse(part.bytes, nullptr, false);
  if (!object.is_object()) return;
  const auto method = object.find("method");
  if (method == object.end() || !method->is_string()) return;
  const std::string& name = method->get_ref<const std::string&>();
  const auto known = std::find_if(kMethods.begin(), kMethods.end(),
                                  [&](const Method& each) { return each.name == name; });
  if (known == kMethods.end()) return;
  part.kind = static_cast<std::size_t>(known - kMethods.begin());
  part.content = std::make_shared<RaftFields>();
  const auto parameters = object.find("params");
  if (parameters == object.end() || !parameters->is_array() || parameters->empty()) return;
  if (!parameters->front().is_object()) return;
  part.content = std::make_shared<RaftFields>(fields_of(*known, parameters->front()));
}

/// One direction: objects, one after another.
class ObjectStream {
 public:
  std::vector<Part> add(std::string_view bytes) {
    std::vector<Part> parts;
    for (const char byte : bytes) {
      buffer_ += byte;
      if (is_opaque_ || !ends_object(byte)) continue;
      Part& part = parts.emplace_back();
      part.bytes = std::exchange(buffer_, {});
      name_object(part);
    }
    if (buffer_.size() > kMessageBytesMax) is_opaque_ = true;
    if (is_opaque_ && !buffer_.empty()) parts.emplace_back().bytes = std::exchange(buffer_, {});
    return parts;
  }
  std::string rest() { return std::exchange(buffer_, {}); }

 private:
  bool ends_object(char byte) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (is_text_) {
      is_escaped_ = byte == '\\';
      is_text_ = byte != '"';
    } else if (byte == '"') {
      is_text_ = true;
    } else if (byte == '{' || byte == '[') {
      ++depth_;
    } else if (byte == '}' || byte == ']') {
      if (depth_ > 0) --depth_;
      return depth_ == 0;
    } else if (depth_ == 0 && byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t') {
      is_opaque_ = true;  // no JSON, e.g. TLS
    }
    return false;
  }

  std::string buffer_;
  std::size_t depth_ = 0;
  bool is_text_ = false;
  bool is_escaped_ = false;
  bool is_opaque_ = false;
};

class OvsdbReader final : public ConnectionReader {
 public:
  std::vector<Part> add(bool to_acceptor, std::string_view bytes) override {
    return streams_[to_acceptor ? 0 : 1].add(bytes);
  }
  std::string rest(bool to_acceptor) override { return streams_[to_acceptor ? 0 : 1].rest(); }

 private:
  std::array<ObjectStream, 2> streams_;
};

}  // namespace

Protocol ovsdb_protocol() {
  Protocol protocol;
  protocol.name = "ovsdb";
  for (const Method& method : kMethods) protocol.kinds.emplace_back(method.kind);
  protocol.fields = raft_fields();
  protocol.make_reader = []() -> std::unique_ptr<ConnectionReader> {
    return std::make_unique<OvsdbReader>();
  };
  return protocol;
}

}  // namespace dissensus::protocols
