#include "systems/live/loop/web_socket.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>

#include "dissensus/random.h"

#include "systems/live/loop/stream.h"
#include "systems/live/loop/timer.h"

namespace dissensus::live {

namespace {

using WebSocketError = boost::system::error_code;
constexpr std::size_t kHeadBytesMax = 16384;

enum Opcode : std::uint8_t {
  kContinuation = 0,
  kText = 1,
  kBinary = 2,
  kClose = 8,
  kPing = 9,
  kPong = 10
};

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3), '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return text;
}

/// What a server that has understood the key answers.
std::string answer_to(const std::string& key) {
  const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned bytes = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &bytes, EVP_sha1(), nullptr);
  return base64({reinterpret_cast<const char*>(digest.data()), bytes});
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The value of a header field in lower-case `name`; empty if there is none.
std::string_view field_of(std::string_view head, std::string_view name) {
  for (std::size_t begin = head.find("\r\n"); begin != head.npos;) {
    begin += 2;
    const std::size_t end = head.find("\r\n", begin);
    const std::string_view line = head.substr(begin, end == head.npos ? head.npos : end - begin);
    const std::size_t colon = line.find(':');
    if (colon != line.npos && lower_case(line.substr(0, colon)) == name) {
      std::string_view value = line.substr(colon + 1);
      while (value.starts_with(' ')) value.remove_prefix(1);
      while (value.ends_with(' ')) value.remove_suffix(1);
      return value;
    }
    begin = end;
  }
  return {};
}

struct WebSocketFrame {
  bool is_final = false;
  std::uint8_t opcode = 0;
  std::size_t head_bytes = 0;
  std::uint64_t payload_bytes = 0;
};

/// The head of the frame that the bytes begin with; head_bytes is 0 while it is not there.
WebSocketFrame read_head(std::string_view bytes) {
  WebSocketFrame frame;
  if (bytes.size() < 2) return frame;
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  frame.is_final = (at(0) & 0x80) != 0;
  frame.opcode = at(0) & 0x0f;
  const std::uint8_t size = at(1) & 0x7f;
  const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (bytes.size() < 2 + more) return frame;
  frame.payload_bytes = more == 0 ? size : 0;
  for (std::size_t i = 0; i < more; ++i) frame.payload_bytes = frame.payload_bytes << 8 | at(2 + i);
  frame.head_bytes = 2 + more;
  return frame;
}

}  // namespace

class WebSocket::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& io, const WebSocketPlan& plan, std::uint64_t number,
        WebSocketEvents events)
      : plan_(plan), events_(std::move(events)), stream_(io), timer_(io) {
    random_ = Random(surroundings_of(io).seed(), "web socket", number);
  }

  void connect() {
    limit("connect: no answer in time");
    stream_.connect({}, plan_.address, plan_.port,
                    [self = shared_from_this()](const WebSocketError& result) {
                      if (self->closed_) return;
                      if (result) return self->end("connect: " + result.message());
                      self->begin_handshake();
                    });
  }

  void send(Opcode opcode, std::string_view payload) {
    if (closed_) return;
    std::string frame;
    frame += static_cast<char>(0x80 | opcode);
    const std::size_t more = payload.size() < 126 ? 0 : payload.size() < 65536 ? 2 : 8;
    frame += static_cast<char>(0x80 | (more == 0 ? payload.size() : more == 2 ? 126 : 127));
    for (std::size_t i = more; i > 0; --i) {
      frame += static_cast<char>(payload.size() >> (8 * (i - 1)) & 0xff);
    }
    const std::uint64_t mask = random_.next();
    for (std::size_t i = 0; i < 4; ++i) frame += static_cast<char>(mask >> (8 * i) & 0xff);
    for (std::size_t i = 0; i < payload.size(); ++i) {
      frame += static_cast<char>(payload[i] ^ static_cast<char>(mask >> (8 * (i % 4)) & 0xff));
    }
    write(std::move(frame));
  }

  void close() {
    if (std::exchange(closed_, true)) return;
    events_ = {};
    timer_.cancel();
    stream_.close();
  }

 private:
  void end(const std::string& reason) {
    if (closed_) return;
    const auto ended = std::move(events_.ended);
    close();
    if (ended) ended(reason);
  }

  void limit(const char* reason) {
    timer_.after(plan_.open_limit, [self = shared_from_this(), reason] { self->end(reason); });
  }

  void begin_handshake() {
    limit("WebSocket handshake: no answer in time");
    std::string raw;
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t number = random_.next();
      for (int byte = 0; byte < 8; ++byte) raw += static_cast<char>(number >> (8 * byte) & 0xff);
    }
    key_ = base64(raw);
    write(
        fmt::format("GET / HTTP/1.1\r\nHost: {}:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n\r\n",
                    plan_.address, plan_.port, key_));
    read();
  }

  void write(std::string bytes) {
    unwritten_ += bytes;
    if (writing_.empty()) write_next();
  }

  void write_next() {
    writing_ = std::exchange(unwritten_, {});
    if (writing_.empty()) return;
    boost::asio::async_write(stream_, boost::asio::buffer(writing_),
                             [self = shared_from_this()](const WebSocketError& error, std::size_t) {
                               if (self->closed_) return;
                               if (error) return self->end("write: " + error.message());
                               self->writing_.clear();
                               self->write_next();
                             });
  }

  void read() {
    stream_.async_read_some(
        boost::asio::buffer(buffer_),
        [self = shared_from_this()](const WebSocketError& error, std::size_t bytes) {
          if (self->closed_) return;
          if (error) return self->end("read: " + error.message());
          self->take({self->buffer_.data(), bytes});
          if (!self->closed_) self->read();
        });
  }

  void take(std::string_view bytes) {
    unread_ += bytes;
    if (!open_ && !take_answer()) return;
    watch();
    while (!closed_ && take_frame()) {
    }
  }

  bool take_answer() {
    const std::size_t end_of_head = unread_.find("\r\n\r\n");
    if (end_of_head == unread_.npos) {
      if (unread_.size() > kHeadBytesMax) end("WebSocket handshake: an answer without end");
      return false;
    }
    const std::string head = unread_.substr(0, end_of_head + 2);
    unread_.erase(0, end_of_head + 4);
    if (!head.starts_with("HTTP/1.1 101") ||
        field_of(head, "sec-websocket-accept") != answer_to(key_)) {
      end("WebSocket handshake: " + head.substr(0, head.find('\r')));
      return false;
    }
    open_ = true;
    if (events_.opened) events_.opened();
    return !closed_;
  }

  /// False: there is no whole frame.
  bool take_frame() {
    const WebSocketFrame frame = read_head(unread_);
    if (frame.head_bytes == 0) return false;
    if (frame.payload_bytes + message_.size() > plan_.message_bytes_max) {
      end("read: a message that is too large");
      return false;
    }
    const auto payload_bytes = static_cast<std::size_t>(frame.payload_bytes);
    if (unread_.size() < frame.head_bytes + payload_bytes) return false;
    std::string payload = unread_.substr(frame.head_bytes, payload_bytes);
    unread_.erase(0, frame.head_bytes + payload_bytes);
    switch (frame.opcode) {
      case kContinuation:
      case kText:
      case kBinary:
        message_ += payload;
        if (frame.is_final && events_.received) {
          const auto received = events_.received;  // it may close us
          received(std::exchange(message_, {}));
        }
        break;
      case kPing:
        send(kPong, payload);
        break;
      case kPong:
        break;
      default:
        end("read: the server closed the connection");
    }
    return true;
  }

  /// Bytes have come: the next ones are expected within the limit, and asked for before that.
  void watch() {
    timer_.after(plan_.idle_limit / 2, [self = shared_from_this()] {
      self->send(kPing, {});
      self->timer_.after(self->plan_.idle_limit / 2, [self] { self->end("read: silent server"); });
    });
  }

  const WebSocketPlan plan_;
  WebSocketEvents events_;
  Stream stream_;
  Timer timer_;
  Random random_;
  bool closed_ = false;
  bool open_ = false;
  std::string key_;
  std::string unread_;
  std::string message_;  ///< fragments so far
  std::string writing_;
  std::string unwritten_;
  std::array<char, 16384> buffer_;
};

WebSocket::WebSocket(boost::asio::io_context& io, const WebSocketPlan& plan, std::uint64_t number,
                     WebSocketEvents events)
    : state_(std::make_shared<State>(io, plan, number, std::move(events))) {
  state_->connect();
}

WebSocket::~WebSocket() {
  close();
}

void WebSocket::send(const std::string& text) {
  state_->send(kText, text);
}

void WebSocket::close() {
  state_->close();
}

}  // namespace dissensus::live
