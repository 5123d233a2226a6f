// Messages of etcd's Raft in Protocol Buffers, and the two notations of its streams.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosted/protocols/raft.h"

namespace dissensus::protocols {

/// Names by the number of a message's type.
const std::vector<std::string>& raft_message_kinds();

struct RaftMessage {
  std::size_t kind = 0;
  RaftFields fields;
  std::uint64_t last_index = 0;  ///< of the entries that come with it
};

/// Nothing: no such message.
std::optional<RaftMessage> read_raft_message(std::string_view bytes);

/// Fed one byte after another.
class RaftStream {
 public:
  enum class Notation : std::uint8_t {
    messages,  ///< a length and a message
    appends,   ///< a type, and then a message, entries that follow the last ones, or nothing
  };
  explicit RaftStream(Notation notation) : notation_(notation), needed_(head_bytes()) {}

  /// True if this byte is the last one of a message, which `message` then is.
  bool ends_message(char byte);
  const std::optional<RaftMessage>& message() const { return message_; }
  /// Nothing has come since the last message.
  bool is_between() const { return buffer_.empty(); }
  /// It is something else.
  bool is_broken() const { return is_broken_; }

 private:
  enum class Step : std::uint8_t { head, length, content, count, entry_length, entry, commit };

  std::size_t head_bytes() const { return notation_ == Notation::messages ? 8 : 1; }
  /// All bytes that were needed are there: true if they are a message.
  bool advance();
  bool advance_head();
  void next_entry();
  void need(Step step, std::uint64_t more);
  std::optional<RaftMessage> read_whole();

  Notation notation_;
  bool is_broken_ = false;
  std::string buffer_;
  Step step_ = Step::head;
  std::size_t needed_;  ///< before this many bytes there is nothing to find out
  std::uint64_t entries_left_ = 0;
  std::optional<RaftMessage> message_;
  RaftFields last_;  ///< what entries follow: term, last index, and whose they are
};

}  // namespace dissensus::protocols
