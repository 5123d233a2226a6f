// What programs say to each other, message by message: where each ends in a stream of bytes, its
// kind and its fields, and how it is written again. No I/O; bytes may be anything.
//
// A protocol is a file, and a row in protocol.cpp. Generic code knows of it what it describes:
// genes of schedules, mutation, isolation, labels and traces follow from kinds and fields.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dissensus/description.h"

namespace dissensus::protocols {

/// What a message says; each protocol has a type of its own, which derives from ContentOf.
class Content {
 public:
  virtual ~Content() = default;
  virtual std::unique_ptr<Content> clone() const = 0;
};
template <class Self>
class ContentOf : public Content {
 public:
  std::unique_ptr<Content> clone() const override {
    return std::make_unique<Self>(static_cast<const Self&>(*this));
  }
};

/// A field of the messages of a protocol, as systems describe theirs.
struct Field {
  std::string name;
  SemanticType type = SemanticType::number;
  std::function<FieldValue(const Content&)> get;
  /// Empty: it cannot be changed.
  std::function<void(Content&, const FieldValue&)> set = nullptr;
};

/// A field that is a data member; it can be read.
template <class Self, class Member>
Field field(std::string name, SemanticType type, Member Self::*member) {
  return {std::move(name), type, [member](const Content& content) {
            const Member& value = static_cast<const Self&>(content).*member;
            if constexpr (std::is_same_v<Member, bool>)
              return FieldValue(std::uint64_t{value});
            else
              return FieldValue(value);
          }};
}

/// A part of a stream that arrives as a whole.
struct Part {
  std::string bytes;
  std::optional<std::size_t> kind = std::nullopt;  ///< of Protocol::kinds; none: bytes like others
  std::shared_ptr<const Content> content = nullptr;  ///< of a kind
};

/// Larger messages, and what does not look like one, are passed on as they come.
inline constexpr std::size_t kMessageBytesMax = std::size_t{1} << 20;

/// Reads both directions of one connection.
class ConnectionReader {
 public:
  virtual ~ConnectionReader() = default;

  /// The parts that these bytes complete. Parts and rest are the stream, byte by byte.
  virtual std::vector<Part> add(bool to_acceptor, std::string_view bytes) = 0;
  /// What is left at the end of a direction.
  virtual std::string rest(bool to_acceptor) = 0;
};

struct Protocol {
  std::string_view name;
  std::vector<std::string> kinds;
  std::vector<Field> fields;
  std::unique_ptr<ConnectionReader> (*make_reader)() = nullptr;
  /// The bytes of a message, whose fields may have been changed. Null: it can only be read.
  std::string (*write)(const Content& content) = nullptr;
  /// Of its messages. Streams lose nothing: the cluster sends again what a schedule loses.
  Loss loss = Loss::resent;
};

/// The names that scenarios use.
std::vector<std::string_view> protocol_names();
/// `number` counts these names.
const Protocol& protocol(std::size_t number);

}  // namespace dissensus::protocols
