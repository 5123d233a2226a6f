// Sockets in the hands of people who mean no good, and of many at once.
#include "serve/http_server.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dissensus/options.h"
#include "dissensus/random.h"

namespace dissensus::serve {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A client that sends bytes and reads what comes until the other end closes, or for a while.
class Client {
 public:
  explicit Client(std::uint16_t port, int seconds = 10) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    const timeval limit{seconds, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void half_close() { shutdown(socket_, SHUT_WR); }
  /// Everything until the end, or until `enough` is in it.
  std::string read(std::string_view enough = {}) {
    std::string result;
    char buffer[4096];
    for (;;) {
      const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) return result;
      result.append(buffer, static_cast<std::size_t>(got));
      if (!enough.empty() && result.find(enough) != std::string::npos) return result;
    }
  }
  std::string ask(std::string_view bytes) {
    send(bytes);
    return read();
  }

 private:
  int socket_;
  bool connected_ = false;
};

Response echo(const Request& request) {
  if (request.target == "/bad") throw InputError("said \"so\"");
  if (request.target == "/worse") throw std::runtime_error("broken");
  Response response;
  response.body = request.method + " " + request.target + " " + std::to_string(request.body.size());
  return response;
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  HttpServer server({}, echo);
  Client client(server.port());
  ASSERT_TRUE(client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_THAT(client.read("GET /a 0"), StartsWith("HTTP/1.1 200 OK\r\n"));
  ASSERT_TRUE(client.send("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"));
  EXPECT_THAT(client.read("POST /b 3"), HasSubstr("Content-Security-Policy: default-src 'none'"));
}

TEST(HttpServer, WhatIsThrownIsAnAnswer) {
  HttpServer server({}, echo);
  EXPECT_THAT(
      Client(server.port()).ask("GET /bad HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
      testing::AllOf(StartsWith("HTTP/1.1 400"), HasSubstr(R"({"error":"said \"so\""})")));
  EXPECT_THAT(
      Client(server.port()).ask("GET /worse HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
      StartsWith("HTTP/1.1 500"));
}

TEST(HttpServer, RefusesWhatIsTooLarge) {
  HttpServer server({}, echo);
  // A body of 1 GB is refused by what its header says: nobody waits for it.
  EXPECT_THAT(
      Client(server.port()).ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n"),
      StartsWith("HTTP/1.1 413"));
  std::string chunks = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 20; ++i) chunks += "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  EXPECT_THAT(Client(server.port()).ask(chunks), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Client(server.port())
                  .ask("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(Client(server.port()).ask("GET /" + std::string(100'000, 'x') + " HTTP/1.1\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
}

TEST(HttpServer, RefusesWhatIsNoRequest) {
  HttpServer server({}, echo);
  for (const char* text : {"\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                           "\x16\x03\x01\x02", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                           "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                           "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    Client client(server.port());
    client.send(text);
    client.half_close();
    const std::string answer = client.read();
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 4")) << text << ": " << answer;
  }
  EXPECT_THAT(Client(server.port()).ask("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              HasSubstr("GET /a 0"));
}

// Somebody who sends a byte now and then does not hold a connection for ever.
TEST(HttpServer, LosesPatienceWithTheSlow) {
  HttpOptions options;
  options.patience = std::chrono::milliseconds(200);
  HttpServer server(options, echo);
  Client client(server.port(), 5);
  ASSERT_TRUE(client.send("GET / HT"));
  EXPECT_EQ(client.read(), "");
  for (int i = 0; i < 100 && server.connections() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(server.connections(), 0u);
}

TEST(HttpServer, ServesTwoHundredAtOnce) {
  HttpServer server({}, echo);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    ASSERT_TRUE(clients.back()->connected());
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (auto& client : clients) ASSERT_TRUE(client->send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n"));
    for (auto& client : clients) ASSERT_THAT(client->read("GET /x 0"), HasSubstr("200 OK"));
  }
  EXPECT_EQ(server.connections(), 200u);
}

TEST(HttpServer, TellsOneTooManySo) {
  HttpOptions options;
  options.connections_max = 2;
  HttpServer server(options, echo);
  Client first(server.port());
  Client second(server.port());
  first.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(first.read("GET /x 0"), HasSubstr("200 OK"));
  second.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(second.read("GET /x 0"), HasSubstr("200 OK"));
  EXPECT_THAT(Client(server.port()).read(), StartsWith("HTTP/1.1 503"));
}

TEST(HttpServer, SendsWhatGoesOnPieceByPiece) {
  HttpOptions options;
  options.between_pieces = std::chrono::milliseconds(1);
  HttpServer server(options, [](const Request&) {
    Response response;
    response.more = [number = std::make_shared<int>(0)]() -> std::optional<std::string> {
      if (++*number > 5) return std::nullopt;
      return *number % 2 == 0 ? std::string() : "piece " + std::to_string(*number) + "\n";
    };
    return response;
  });
  const std::string answer = Client(server.port()).ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(answer, HasSubstr("piece 1\n"));
  EXPECT_THAT(answer, HasSubstr("piece 5\n"));
  EXPECT_THAT(answer, HasSubstr("0\r\n\r\n"));
}

// Requests that were damaged at random: none ends the server, and none keeps a connection.
TEST(HttpServer, SurvivesNoise) {
  HttpOptions options;
  options.patience = std::chrono::milliseconds(300);
  HttpServer server(options, echo);
  const std::string request =
      "POST /token/api/runs/1/branch?q=1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Length: 12\r\n"
      "Content-Type: application/json\r\n\r\n{\"record\":1}";
  Random random(7, "noise");
  for (int round = 0; round < 300; ++round) {
    std::string bytes = request;
    const std::uint64_t changes = 1 + random.below(6);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const auto at = static_cast<std::size_t>(random.below(bytes.size()));
      switch (random.below(3)) {
        case 0:
          bytes[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          bytes.erase(at, static_cast<std::size_t>(random.below(20)));
          break;
        default:
          bytes.insert(at, bytes.substr(at / 2, static_cast<std::size_t>(random.below(60))));
      }
      if (bytes.empty()) bytes = request;
    }
    Client client(server.port(), 2);
    client.send(bytes);
    client.half_close();
    client.read();
  }
  EXPECT_THAT(Client(server.port()).ask("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              HasSubstr("GET /a 0"));
  for (int i = 0; i < 200 && server.connections() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(server.connections(), 0u);
}

}  // namespace
}  // namespace dissensus::serve
