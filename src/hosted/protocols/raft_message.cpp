#include "hosted/protocols/raft_message.h"

#include <array>
#include <utility>

namespace dissensus::protocols {

namespace {

constexpr std::size_t kWord = 8;
// Types in the notation of appends.
constexpr char kNothing = 0;
constexpr char kEntries = 1;
constexpr char kMessage = 2;
// Numbers of fields.
constexpr std::uint64_t kType = 1;
constexpr std::uint64_t kTo = 2;
constexpr std::uint64_t kFrom = 3;
constexpr std::uint64_t kTerm = 4;
constexpr std::uint64_t kLogTerm = 5;
constexpr std::uint64_t kIndex = 6;
constexpr std::uint64_t kEntry = 7;
constexpr std::uint64_t kCommit = 8;
constexpr std::uint64_t kReject = 10;
// Of an entry.
constexpr std::uint64_t kEntryType = 1;
constexpr std::uint64_t kEntryTerm = 2;
constexpr std::uint64_t kEntryIndex = 3;
constexpr std::uint64_t kEntryData = 4;
constexpr std::uint64_t kChangeOfMembers = 1;
// Of the data of an entry that changes members.
constexpr std::uint64_t kChangeType = 2;
constexpr std::uint64_t kChangedServer = 3;

constexpr std::size_t kHeartbeat = 8;
constexpr std::size_t kAppend = 3;
constexpr std::size_t kVoteReply = 6;

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (const char byte : bytes.substr(at, kWord)) {
    value = value << 8 | static_cast<unsigned char>(byte);
  }
  return value;
}

/// Fields of Protocol Buffers, one after another.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  /// False at the end, and where it is no field.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t tag = variable();
    number = tag >> 3;
    content = {};
    value = 0;
    switch (tag & 7) {
      case 0:
        value = variable();
        break;
      case 1:
        content = take(8);
        break;
      case 2:
        content = take(variable());
        break;
      case 5:
        content = take(4);
        break;
      default:
        is_wrong_ = true;
    }
    return !is_wrong_;
  }
  bool is_wrong() const { return is_wrong_; }

  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view content;

 private:
  std::uint64_t variable() {
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      if (byte.empty()) return 0;
      const auto bits = static_cast<unsigned char>(byte.front());
      result |= std::uint64_t{bits & 0x7FU} << shift;
      if ((bits & 0x80U) == 0) return result;
    }
    is_wrong_ = true;
    return 0;
  }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) {
      is_wrong_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  bool is_wrong_ = false;
};

/// Nothing: it changes something else about a member.
std::optional<RaftChange> read_change(std::string_view bytes) {
  using Type = RaftChange::Type;
  constexpr std::array<std::optional<Type>, 4> kTypes{Type::add, Type::remove, std::nullopt,
                                                      Type::learner};
  std::uint64_t type = 0;
  ServerName server = 0;
  for (FieldReader field(bytes); field.next();) {
    if (field.number == kChangeType) type = field.value;
    if (field.number == kChangedServer) server = field.value;
  }
  if (type >= kTypes.size() || !kTypes[type]) return std::nullopt;
  return RaftChange{*kTypes[type], {server}};
}

struct NumberedEntry {
  std::uint64_t index = 0;
  RaftEntry entry;
};

NumberedEntry read_entry(std::string_view bytes) {
  NumberedEntry read;
  std::uint64_t type = 0;
  std::string_view data;
  for (FieldReader field(bytes); field.next();) {
    if (field.number == kEntryType) type = field.value;
    if (field.number == kEntryTerm) read.entry.term = field.value;
    if (field.number == kEntryIndex) read.index = field.value;
    if (field.number == kEntryData) data = field.content;
  }
  read.entry.content = DigestBuilder().add(type).add(data).finish();
  if (type == kChangeOfMembers) read.entry.change = read_change(data);
  return read;
}

/// The entries of a message in the notation of appends: a length before each.
std::vector<RaftEntry> read_entries(std::string_view bytes, std::uint64_t count) {
  std::vector<RaftEntry> entries;
  for (; count > 0; --count) {
    const std::uint64_t length = word_at(bytes, 0);
    entries.push_back(read_entry(bytes.substr(kWord, length)).entry);
    bytes.remove_prefix(kWord + length);
  }
  return entries;
}

}  // namespace

const std::vector<std::string>& raft_message_kinds() {
  static const std::vector<std::string> kKinds{"hup",
                                               "beat",
                                               "propose",
                                               "append",
                                               "append-reply",
                                               "vote",
                                               "vote-reply",
                                               "snapshot",
                                               "heartbeat",
                                               "heartbeat-reply",
                                               "unreachable",
                                               "snapshot-status",
                                               "check-quorum",
                                               "transfer-leader",
                                               "timeout-now",
                                               "read-index",
                                               "read-index-reply",
                                               "pre-vote",
                                               "pre-vote-reply"};
  return kKinds;
}

std::optional<RaftMessage> read_raft_message(std::string_view bytes) {
  RaftMessage message;
  bool has_type = false;
  FieldReader field(bytes);
  while (field.next()) {
    switch (field.number) {
      case kType:
        if (field.value >= raft_message_kinds().size()) return std::nullopt;
        message.kind = static_cast<std::size_t>(field.value);
        has_type = true;
        break;
      case kTo:
        message.fields.to = field.value;
        break;
      case kFrom:
        message.fields.from = field.value;
        break;
      case kTerm:
        message.fields.term = field.value;
        break;
      case kLogTerm:
        message.fields.log_term = field.value;
        break;
      case kIndex:
        message.fields.index = field.value;
        break;
      case kEntry: {
        ++message.fields.entries;
        NumberedEntry read = read_entry(field.content);
        message.last_index = read.index;
        message.fields.log.push_back(std::move(read.entry));
        break;
      }
      case kCommit:
        message.fields.commit = field.value;
        break;
      case kReject:
        message.fields.is_refused = field.value != 0;
        break;
      default:
        break;
    }
  }
  if (field.is_wrong() || !has_type) return std::nullopt;
  if (message.fields.entries == 0) message.last_index = message.fields.index;
  if (message.kind == kVoteReply && !message.fields.is_refused) {
    message.fields.vote = message.fields.to;
  }
  return message;
}

bool RaftStream::ends_message(char byte) {
  if (is_broken_) return false;
  buffer_ += byte;
  bool is_whole = false;
  while (!is_whole && !is_broken_ && buffer_.size() == needed_) is_whole = advance();
  if (!is_whole) return false;
  message_ = read_whole();
  is_broken_ = !message_;
  buffer_.clear();
  needed_ = head_bytes();
  step_ = Step::head;
  return !is_broken_;
}

bool RaftStream::advance() {
  const std::uint64_t word = buffer_.size() < kWord ? 0 : word_at(buffer_, buffer_.size() - kWord);
  switch (step_) {
    case Step::head:
      return advance_head();
    case Step::length:
      need(Step::content, word);
      return false;
    case Step::count:
      entries_left_ = word;
      next_entry();
      return false;
    case Step::entry_length:
      need(Step::entry, word);
      return false;
    case Step::entry:
      next_entry();
      return false;
    case Step::content:
    case Step::commit:
      return true;
  }
  return true;
}

bool RaftStream::advance_head() {
  const char type = buffer_.front();
  if (notation_ == Notation::messages) {
    need(Step::content, word_at(buffer_, 0));
  } else if (type == kMessage) {
    need(Step::length, kWord);
  } else if (type == kEntries) {
    need(Step::count, kWord);
  } else {
    is_broken_ = type != kNothing;
    return !is_broken_;
  }
  return false;
}

void RaftStream::next_entry() {
  need(entries_left_ == 0 ? Step::commit : Step::entry_length, kWord);
  if (entries_left_ > 0) --entries_left_;
}

void RaftStream::need(Step step, std::uint64_t more) {
  step_ = step;
  if (more > kMessageBytesMax || needed_ + more > kMessageBytesMax) {
    is_broken_ = true;
  } else {
    needed_ += static_cast<std::size_t>(more);
  }
}

std::optional<RaftMessage> RaftStream::read_whole() {
  const std::string_view bytes = buffer_;
  if (notation_ == Notation::messages) return read_raft_message(bytes.substr(kWord));
  RaftMessage message;
  message.kind = kHeartbeat;
  const char type = bytes.front();
  if (type == kMessage) {
    const auto read = read_raft_message(bytes.substr(1 + kWord));
    if (!read) return std::nullopt;
    message = *read;
    last_.term = message.fields.term;
    last_.index = message.last_index;
    last_.from = message.fields.from;
    last_.to = message.fields.to;
  } else if (type == kEntries) {
    message.kind = kAppend;
    message.fields.term = message.fields.log_term = last_.term;
    message.fields.index = last_.index;
    message.fields.entries = word_at(bytes, 1);
    message.fields.log = read_entries(bytes.substr(1 + kWord), message.fields.entries);
    message.fields.commit = word_at(bytes, bytes.size() - kWord);
    message.fields.from = last_.from;
    message.fields.to = last_.to;
    last_.index += message.fields.entries;
  }
  return message;
}

}  // namespace dissensus::protocols
