// What travels between nodes: the body of a message, as JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dissensus/digest.h"
#include "dissensus/message.h"
#include "dissensus/system.h"

#include "systems/process/settings.h"

namespace dissensus::process {

struct ProcessMessage {
  MessageKind message_kind = 0;
  /// Keys in alphabetical order and without blanks, so that equal bodies are equal texts.
  std::shared_ptr<const std::string> body;

  MessageKind kind() const { return message_kind; }
  std::uint32_t wire_bytes() const { return static_cast<std::uint32_t>(body->size()) + 40; }
  Digest digest() const { return DigestBuilder().add(message_kind).add(*body).finish(); }
};

/// Messages whose type nobody declared.
inline constexpr MessageKind kOther = 0;

SystemDescription describe(const Settings& settings);

}  // namespace dissensus::process
