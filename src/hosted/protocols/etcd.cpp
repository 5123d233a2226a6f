#include <array>
#include <deque>
#include <utility>

#include "hosted/protocols/http_stream.h"
#include "hosted/protocols/raft_message.h"

namespace dissensus::protocols {

namespace {

constexpr std::size_t kHeadBytesMax = std::size_t{64} << 10;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// What the answer to a request will be, if it is a stream.
using Expected = std::optional<RaftStream::Notation>;

Expected expected_answer(const HttpHead& request) {
  if (request.target().starts_with("/raft/stream/message")) return RaftStream::Notation::messages;
  if (request.target().starts_with("/raft/stream/msgapp")) return RaftStream::Notation::appends;
  return std::nullopt;
}

/// Frames of HTTP/2 begin with other bytes: who answers in it never sends a head.
bool may_be_in_head(char byte) {
  return static_cast<unsigned char>(byte) >= ' ' || byte == '\r' || byte == '\n' || byte == '\t';
}

/// One direction of a connection.
class Direction {
 public:
  std::vector<Part> add(std::string_view bytes, std::deque<Expected>& questions) {
    std::vector<Part> parts;
    for (const char byte : bytes) {
      buffer_ += byte;
      take(byte, questions, parts);
    }
    if (buffer_.size() > kMessageBytesMax) state_ = State::opaque;
    if (state_ == State::opaque && !buffer_.empty()) emit(parts);
    // What ends a chunk belongs to the message that was in it.
    if (state_ == State::stream && stream_->is_between() && !parts.empty()) {
      parts.back().bytes += std::exchange(buffer_, {});
    }
    return parts;
  }
  std::string rest() { return std::exchange(buffer_, {}); }

 private:
  enum class State : std::uint8_t { head, counted, chunked, stream, opaque };

  void take(char byte, std::deque<Expected>& questions, std::vector<Part>& parts) {
    switch (state_) {
      case State::head:
        if (byte == '\n' && buffer_.ends_with(kHeadEnd)) begin(questions, parts);
        if (!may_be_in_head(byte) || buffer_.size() > kHeadBytesMax) state_ = State::opaque;
        break;
      case State::counted:
        if (--left_ == 0) end(parts);
        break;
      case State::chunked:
      case State::stream:
        take_chunk(byte, parts);
        break;
      case State::opaque:
        break;
    }
  }

  void begin(std::deque<Expected>& questions, std::vector<Part>& parts) {
    const auto head = read_http_head(buffer_);
    if (!head) {  // e.g. HTTP/2
      state_ = State::opaque;
      return;
    }
    content_at_ = buffer_.size();
    has_message_ = head->method() == "POST" && head->target() == "/raft";
    Expected expected;
    if (!head->is_answer()) {
      questions.push_back(expected_answer(*head));
    } else if (!questions.empty() && !head->first_line.starts_with("HTTP/1.1 1")) {
      expected = questions.front();
      questions.pop_front();
    }
    begin_content(*head, expected, parts);
  }

  void begin_content(const HttpHead& head, Expected expected, std::vector<Part>& parts) {
    if (head.is_chunked) {
      chunks_ = {};
      state_ = State::chunked;
      if (!expected) return;
      stream_.emplace(*expected);
      state_ = State::stream;
      emit(parts);
    } else if (head.length.value_or(0) > 0) {
      left_ = *head.length;
      state_ = State::counted;
    } else if (head.is_answer() && !head.length && !head.is_bare()) {
      state_ = State::opaque;  // up to the end of the connection
    } else {
      end(parts);
    }
  }

  void take_chunk(char byte, std::vector<Part>& parts) {
    switch (chunks_.take(byte)) {
      case ChunkReader::Role::framing:
        break;
      case ChunkReader::Role::content:
        if (state_ == State::stream && stream_->ends_message(byte)) {
          emit(parts, stream_->message());
        } else if (state_ == State::stream && stream_->is_broken()) {
          state_ = State::opaque;
        }
        break;
      case ChunkReader::Role::last:
        end(parts);
        break;
      case ChunkReader::Role::wrong:
        state_ = State::opaque;
        break;
    }
  }

  void end(std::vector<Part>& parts) {
    std::optional<RaftMessage> message;
    if (std::exchange(has_message_, false)) {
      message = read_raft_message(std::string_view(buffer_).substr(content_at_));
    }
    emit(parts, message);
    state_ = State::head;
  }

  void emit(std::vector<Part>& parts, const std::optional<RaftMessage>& message = {}) {
    Part& part = parts.emplace_back();
    part.bytes = std::exchange(buffer_, {});
    if (!message) return;
    part.kind = message->kind;
    part.content = std::make_shared<RaftFields>(message->fields);
  }

  State state_ = State::head;
  std::string buffer_;  ///< not yet a part
  std::uint64_t left_ = 0;
  std::size_t content_at_ = 0;
  bool has_message_ = false;  ///< the content is one
  ChunkReader chunks_;
  std::optional<RaftStream> stream_;
};

class EtcdReader final : public ConnectionReader {
 public:
  std::vector<Part> add(bool to_acceptor, std::string_view bytes) override {
    return directions_[to_acceptor ? 0 : 1].add(bytes, questions_);
  }
  std::string rest(bool to_acceptor) override { return directions_[to_acceptor ? 0 : 1].rest(); }

 private:
  std::array<Direction, 2> directions_;
  std::deque<Expected> questions_;  ///< without an answer
};

}  // namespace

Protocol etcd_protocol() {
  return {"etcd", raft_message_kinds(), raft_fields(),
          []() -> std::unique_ptr<ConnectionReader> { return std::make_unique<EtcdReader>(); }};
}

}  // namespace dissensus::protocols
