// RESP, as Redis speaks it: between a primary and its replicas, and between clients and servers.
#include <algorithm>
#include <array>
#include <charconv>

#include "hosted/protocols/stream_reader.h"

namespace dissensus::protocols {

namespace {

constexpr std::string_view kMarks = "+-:$*";  ///< what values begin with
constexpr std::array<std::string_view, 9> kKinds{"command",  "replicate", "ping",
                                                 "psync",    "replconf",  "acknowledge",
                                                 "snapshot", "reply",     "error"};

struct RedisMessage final : ContentOf<RedisMessage> {
  bool is_command = false;         ///< otherwise only its bytes are known
  std::vector<std::string> words;  ///< of a command
  std::string bytes;
};

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  return trouble == std::errc() && end == text.data() + text.size() ? number : ~std::uint64_t{0};
}

bool is_acknowledgement(const std::vector<std::string>& words) {
  return words.size() == 3 && words[0] == "REPLCONF" && words[1] == "ACK";
}

class RedisReader final : public StreamReader {
  std::size_t take(bool to_acceptor, std::string_view bytes, Part& part) override {
    if (bytes.front() == '\n') return 1;  // keeps a connection alive
    auto message = std::make_shared<RedisMessage>();
    const bool is_snapshot = !to_acceptor && awaits_snapshot_ && bytes.front() == '$';
    const std::size_t end = is_snapshot ? end_of_snapshot(bytes) : end_of(bytes, 0, message->words);
    if (end == 0 || end == kNone) return end;
    message->bytes = bytes.substr(0, end);
    message->is_command = bytes.front() == '*' && (to_acceptor || is_replica_);
    const std::string_view kind = is_snapshot ? "snapshot" : kind_of(to_acceptor, *message);
    part.kind =
        static_cast<std::size_t>(std::find(kKinds.begin(), kKinds.end(), kind) - kKinds.begin());
    part.content = message;
    if (kind == "psync") is_replica_ = true;
    if (bytes.starts_with("+FULLRESYNC") || is_snapshot) awaits_snapshot_ = !is_snapshot;
    return end;
  }

  static std::string_view kind_of(bool to_acceptor, const RedisMessage& message) {
    if (message.bytes.front() == '-') return "error";
    if (!message.is_command || message.words.empty()) return "reply";
    const std::string& name = message.words.front();
    if (name == "PING") return "ping";
    if (name == "PSYNC") return "psync";
    if (name != "REPLCONF") return to_acceptor ? "command" : "replicate";
    return is_acknowledgement(message.words) ? "acknowledge" : "replconf";
  }

  /// Where the value ends that begins at `at`, and the strings in it.
  static std::size_t end_of(std::string_view bytes, std::size_t at, std::vector<std::string>& words,
                            int depth_left = 16) {
    if (depth_left == 0 || kMarks.find(bytes[at]) == kNone) return kNone;
    const std::size_t line = bytes.find("\r\n", at);
    if (line == kNone) return 0;
    const std::string_view text = bytes.substr(at + 1, line - at - 1);
    std::size_t end = line + 2;
    if ((bytes[at] != '$' && bytes[at] != '*') || text == "-1") return end;
    const std::uint64_t count = number_in(text);
    if (count > kMessageBytesMax) return kNone;
    if (bytes[at] == '$') {
      if (end + count + 2 > bytes.size()) return 0;
      words.emplace_back(bytes.substr(end, count));
      return end + count + 2;
    }
    for (std::size_t i = 0; i < count && end != 0 && end != kNone; ++i) {
      end = end < bytes.size() ? end_of(bytes, end, words, depth_left - 1) : 0;
    }
    return end;
  }

  /// All that a primary has: behind it comes no end of line. Its length is told, or what ends it.
  static std::size_t end_of_snapshot(std::string_view bytes) {
    const std::size_t line = bytes.find("\r\n");
    if (line == kNone) return 0;
    const std::string_view text = bytes.substr(1, line - 1);
    if (text.starts_with("EOF:")) {
      const std::size_t end = bytes.find(text.substr(4), line + 2);
      return end == kNone ? 0 : end + text.size() - 4;
    }
    const std::uint64_t count = number_in(text);
    if (count > kMessageBytesMax) return kNone;
    return line + 2 + count <= bytes.size() ? line + 2 + count : 0;
  }

  bool is_replica_ = false;  ///< whoever connects is one: what it is sent are commands
  bool awaits_snapshot_ = false;
};

std::string written(const Content& content) {
  const auto& message = static_cast<const RedisMessage&>(content);
  if (!message.is_command) return message.bytes;
  std::string text = "*" + std::to_string(message.words.size()) + "\r\n";
  for (const std::string& word : message.words) {
    text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  return text;
}

/// The word at this place of a command, where there is one.
Field word_field(std::string name, std::size_t place) {
  return {std::move(name), SemanticType::value,
          [place](const Content& content) -> FieldValue {
            const auto& words = static_cast<const RedisMessage&>(content).words;
            return place < words.size() ? words[place] : std::string();
          },
          [place](Content& content, const FieldValue& value) {
            auto& words = static_cast<RedisMessage&>(content).words;
            if (place < words.size()) words[place] = std::get<std::string>(value);
          }};
}

/// Up to where a replica has what its primary wrote, as it acknowledges.
Field offset_field() {
  return {"offset", SemanticType::sequence,
          [](const Content& content) -> FieldValue {
            const auto& words = static_cast<const RedisMessage&>(content).words;
            return is_acknowledgement(words) ? number_in(words[2]) : 0;
          },
          [](Content& content, const FieldValue& value) {
            auto& words = static_cast<RedisMessage&>(content).words;
            if (!is_acknowledgement(words)) return;
            words[2] = std::to_string(std::get<std::uint64_t>(value));
          }};
}

}  // namespace

Protocol redis_protocol() {
  Field name = word_field("command", 0);
  name.set = nullptr;  // a liar says something else, in the same language
  return {"redis",
          {kKinds.begin(), kKinds.end()},
          {std::move(name), word_field("key", 1), word_field("value", 2), offset_field()},
          []() -> std::unique_ptr<ConnectionReader> { return std::make_unique<RedisReader>(); },
          written};
}

}  // namespace dissensus::protocols
