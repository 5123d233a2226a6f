// A program that behaves like a rippled as far as Dissensus can see, for tests on machines without
// one:
//   stand_in_server --version | --conf FILE [--start | --net] [--silent]
// It reads the configuration that Dissensus writes, speaks TLS, the upgrade and frames on its peer
// port, JSON on its WebSocket port, and runs a toy consensus over the links that others make to it.
//
// STAND_IN_TICK_MS sets its pace (250: a ledger every 2.5 to 3 s). Misbehaviour, for all servers or
// for the one in the folder node-N, or on the machine nN, with STAND_IN_NODE=N:
//   STAND_IN_DIE_AT_START=1    STAND_IN_DIE_AFTER_MS=T     STAND_IN_IGNORE_TERM=1
//   STAND_IN_NEVER_READY=1     STAND_IN_GARBAGE=1          STAND_IN_LOG_FLOOD=BYTES_PER_TICK
//   STAND_IN_QUORUM=N          STAND_IN_DIE_ONCE=FILE      (one server, which makes the file)
// STAND_IN_FROM_NETWORK=N leaves the folders network-1 to network-(N-1) in peace,
// STAND_IN_VERSION=V all but the servers of that version.
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket.hpp>
#include <nlohmann/json.hpp>

// GCC 12 with sanitizers takes an empty boost::optional of Beast's parser for uninitialised.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <signal.h>
#include <unistd.h>

#include "systems/live/servers/toy_consensus.h"
#include "systems/live/wire/handshake.h"
#include "systems/live/wire/payment.h"

namespace dissensus::live::toy {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using nlohmann::json;

/// Of a copy of this program under the name "anything@VERSION": that version.
std::string version_of_this() {
  const std::string name = program_invocation_short_name;
  const std::size_t at = name.find('@');
  return at == name.npos ? "0.0.0-stand-in" : name.substr(at + 1);
}

/// "[section]" -> its lines.
using Sections = std::map<std::string, std::vector<std::string>>;

Sections read_sections(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  Sections sections;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      section = line.substr(1, line.find(']') - 1);
    } else {
      sections[section].push_back(line);
    }
  }
  return sections;
}

std::string setting(const Sections& sections, const std::string& section, const std::string& key) {
  for (const std::string& line : sections.at(section)) {
    if (line.starts_with(key + " = ")) return line.substr(key.size() + 3);
  }
  throw std::runtime_error("[" + section + "]: no " + key);
}

tcp::endpoint endpoint_of(const Sections& sections, const std::string& section) {
  return {asio::ip::make_address(setting(sections, section, "ip")),
          static_cast<std::uint16_t>(std::stoul(setting(sections, section, "port")))};
}

/// Whether the environment leaves a server with this folder in peace.
bool is_spared(const std::string& folder) {
  const char* const version = std::getenv("STAND_IN_VERSION");
  if (version != nullptr && version != version_of_this()) return true;
  const char* const from = std::getenv("STAND_IN_FROM_NETWORK");
  constexpr std::string_view kNetwork = "/network-";
  const std::size_t at = folder.rfind(kNetwork);
  return from != nullptr && at != std::string::npos &&
         std::strtol(folder.c_str() + at + kNetwork.size(), nullptr, 10) <
             std::strtol(from, nullptr, 10);
}

/// A misbehaviour that is asked of this server; 0 if not.
long misbehaviour(const std::string& folder, const char* name) {
  const char* const value = std::getenv(name);
  const char* const node = std::getenv("STAND_IN_NODE");
  if (value == nullptr || is_spared(folder)) return 0;
  std::array<char, 64> machine{};  // in virtual time every server is in /node, on nN
  gethostname(machine.data(), machine.size() - 1);
  const bool ours = node == nullptr || folder.ends_with(std::string("node-") + node) ||
                    std::string(machine.data()) == std::string("n") + node;
  return ours ? std::strtol(value, nullptr, 10) : 0;
}

void use_new_certificate(SSL_CTX* context) {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 30L * 24 * 3600);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

class Server;

/// One link: a TLS session that another end has dialled.
class PeerSession : public std::enable_shared_from_this<PeerSession> {
 public:
  PeerSession(Server& server, tcp::socket socket, asio::ssl::context& tls, LinkNumber number)
      : server_(server), stream_(std::move(socket), tls), number_(number) {}
  void start();
  void send(const Frame& frame);

 private:
  void read();
  void take(ByteView bytes);
  void answer_upgrade();
  void write_next();
  void end();

  Server& server_;
  asio::ssl::stream<tcp::socket> stream_;
  LinkNumber number_;
  std::string head_;
  bool upgraded_ = false;
  bool ended_ = false;
  FrameReader frames_;
  std::deque<std::string> outgoing_;
  std::array<std::uint8_t, 16384> buffer_;
};

class ClientSession : public std::enable_shared_from_this<ClientSession> {
 public:
  ClientSession(Server& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {}
  void start();
  void send(std::string text);
  bool subscribed = false;

 private:
  void read();
  void write_next();
  void end();

  Server& server_;
  beast::websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  std::deque<std::string> outgoing_;
};

class Server {
 public:
  Server(asio::io_context& context, const Sections& sections, std::string folder);

  Consensus& consensus() { return *consensus_; }
  const KeyPair& node_keys() const { return node_keys_; }
  bool speaks_garbage() const { return garbage_; }
  void log(const std::string& text) { log_ << text << std::endl; }
  void link_up(LinkNumber number, std::shared_ptr<PeerSession> session) {
    links_[number] = std::move(session);
    log("link " + std::to_string(number) + " up");
  }
  void link_down(LinkNumber number, const std::string& reason) {
    if (links_.erase(number) > 0) log("link " + std::to_string(number) + " down: " + reason);
  }
  void client_gone(const std::shared_ptr<ClientSession>& client) { clients_.erase(client); }
  json reply(const json& request);

 private:
  void accept_peer();
  void accept_client();
  void tick();
  json run_command(const json& request);
  json server_info() const;
  json account_info(const json& request) const;
  json ledger_info(const json& request) const;
  const Ledger* named_ledger(const json& request) const;

  asio::ssl::context tls_{asio::ssl::context::tls_server};
  tcp::acceptor peer_port_;
  tcp::acceptor websocket_port_;
  asio::steady_timer timer_;
  std::ofstream log_;
  KeyPair node_keys_;
  KeyPair validator_keys_;
  std::unique_ptr<Consensus> consensus_;
  std::map<LinkNumber, std::shared_ptr<PeerSession>> links_;
  std::set<std::shared_ptr<ClientSession>> clients_;
  LinkNumber next_link_ = 1;
  std::chrono::milliseconds tick_{250};
  long flood_bytes_ = 0;
  bool garbage_ = false;
  bool quiet_ = false;  // log level above what floods
};

void PeerSession::start() {
  stream_.next_layer().set_option(tcp::no_delay(true));
  stream_.async_handshake(asio::ssl::stream_base::server,
                          [self = shared_from_this()](error_code error) {
                            if (!error) self->read();
                          });
}

void PeerSession::read() {
  stream_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this()](error_code error, std::size_t count) {
                            if (error) return self->end();
                            try {
                              self->take(ByteView(self->buffer_.data(), count));
                            } catch (const std::exception& failure) {
                              self->server_.log(failure.what());
                              return self->end();
                            }
                            if (!self->ended_) self->read();
                          });
}

void PeerSession::take(ByteView bytes) {
  if (!upgraded_) {
    head_ += text_of(bytes);
    return answer_upgrade();
  }
  frames_.feed(bytes);
  while (const auto frame = frames_.next()) server_.consensus().receive(number_, *frame);
}

void PeerSession::answer_upgrade() {
  const auto request = parse_upgrade(head_);
  if (!request) return;
  std::array<std::uint8_t, 64> own;
  std::array<std::uint8_t, 64> peer;
  SSL* const session = stream_.native_handle();
  const std::size_t own_bytes = SSL_get_finished(session, own.data(), own.size());
  const std::size_t peer_bytes = SSL_get_peer_finished(session, peer.data(), peer.size());
  const auto shared =
      shared_value(ByteView(own).first(own_bytes), ByteView(peer).first(peer_bytes));
  if (!shared) throw WireError("no shared value");
  verify_identity(*request, *shared);
  outgoing_.push_back(
      upgrade_response({&server_.node_keys(), "rippled-" + version_of_this(), {}}, *shared));
  write_next();
  upgraded_ = true;
  server_.link_up(number_, shared_from_this());
  const std::string rest = head_.substr(request->bytes);
  if (!rest.empty()) take(view_of(rest));
}

void PeerSession::send(const Frame& frame) {
  if (ended_) return;
  outgoing_.emplace_back(frame.bytes.begin(), frame.bytes.end());
  if (outgoing_.size() == 1) write_next();
}

void PeerSession::write_next() {
  asio::async_write(stream_, asio::buffer(outgoing_.front()),
                    [self = shared_from_this()](error_code error, std::size_t) {
                      if (error) return self->end();
                      self->outgoing_.pop_front();
                      if (!self->outgoing_.empty()) self->write_next();
                    });
}

void PeerSession::end() {
  if (std::exchange(ended_, true)) return;
  error_code ignored;
  stream_.next_layer().close(ignored);
  server_.link_down(number_, "closed");
}

void ClientSession::start() {
  stream_.async_accept([self = shared_from_this()](error_code error) {
    if (error) return self->end();
    if (self->server_.speaks_garbage()) self->send("<html>no JSON here</html>");
    self->read();
  });
}

void ClientSession::read() {
  stream_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
    if (error) return self->end();
    const json request =
        json::parse(beast::buffers_to_string(self->buffer_.data()), nullptr, false);
    self->buffer_.consume(self->buffer_.size());
    if (request.is_object() && request.value("command", "") == "subscribe") self->subscribed = true;
    self->send(self->server_.reply(request).dump());
    self->read();
  });
}

void ClientSession::send(std::string text) {
  outgoing_.push_back(std::move(text));
  if (outgoing_.size() == 1) write_next();
}

void ClientSession::write_next() {
  stream_.async_write(asio::buffer(outgoing_.front()),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->end();
                        self->outgoing_.pop_front();
                        if (!self->outgoing_.empty()) self->write_next();
                      });
}

void ClientSession::end() {
  server_.client_gone(shared_from_this());
}

Server::Server(asio::io_context& context, const Sections& sections, std::string folder)
    : peer_port_(context, endpoint_of(sections, "port_peer")),
      websocket_port_(context, endpoint_of(sections, "port_ws")),
      timer_(context),
      log_(sections.at("debug_logfile").front(), std::ios::app),
      node_keys_(live::node_keys(Seed::parse(sections.at("node_seed").front()).value())),
      validator_keys_(
          live::node_keys(Seed::parse(sections.at("validation_seed").front()).value())) {
  log("version " + version_of_this());
  use_new_certificate(tls_.native_handle());
  std::set<PublicKey> trusted;
  const Sections validators = read_sections(sections.at("validators_file").front());
  for (const std::string& line : validators.at("validators")) {
    trusted.insert(PublicKey::parse_node(line).value());
  }
  Outside outside;
  outside.broadcast = [this](const Frame& frame, LinkNumber except) {
    for (const auto& [number, session] : links_) {
      if (number != except) session->send(frame);
    }
  };
  outside.send = [this](LinkNumber number, const Frame& frame) {
    const auto found = links_.find(number);
    if (found != links_.end()) found->second->send(frame);
  };
  outside.emit = [this](const json& event) {
    log(event.dump());
    for (const auto& client : clients_) {
      if (client->subscribed) client->send(event.dump());
    }
  };
  outside.links = [this] { return links_.size(); };
  const bool proposes = misbehaviour(folder, "STAND_IN_NEVER_READY") == 0;
  consensus_ = std::make_unique<Consensus>(validator_keys_, trusted, proposes, outside);
  if (const long quorum = misbehaviour(folder, "STAND_IN_QUORUM"); quorum > 0) {
    consensus_->set_quorum(static_cast<std::size_t>(quorum));
  }
  flood_bytes_ = misbehaviour(folder, "STAND_IN_LOG_FLOOD");
  garbage_ = misbehaviour(folder, "STAND_IN_GARBAGE") != 0;
  if (const char* const tick = std::getenv("STAND_IN_TICK_MS")) {
    tick_ = std::chrono::milliseconds(std::strtol(tick, nullptr, 10));
  }
  log("started");
  accept_peer();
  accept_client();
  tick();
}

void Server::accept_peer() {
  peer_port_.async_accept([this](error_code error, tcp::socket socket) {
    if (!error)
      std::make_shared<PeerSession>(*this, std::move(socket), tls_, next_link_++)->start();
    accept_peer();
  });
}

void Server::accept_client() {
  websocket_port_.async_accept([this](error_code error, tcp::socket socket) {
    if (!error) {
      const auto client = std::make_shared<ClientSession>(*this, std::move(socket));
      clients_.insert(client);
      client->start();
    }
    accept_client();
  });
}

void Server::tick() {
  timer_.expires_after(tick_);
  timer_.async_wait([this](error_code) {
    consensus_->tick();
    if (flood_bytes_ > 0 && !quiet_) log(std::string(static_cast<std::size_t>(flood_bytes_), 'x'));
    tick();
  });
}

json Server::reply(const json& request) {
  json result;
  json answer = {{"type", "response"}, {"status", "success"}};
  try {
    answer["id"] = request.at("id");
    answer["result"] = run_command(request);
  } catch (const std::exception& failure) {
    answer["status"] = "error";
    answer["error"] = failure.what();
    answer["error_message"] = "the stand-in server cannot do that";
  }
  return answer;
}

json Server::run_command(const json& request) {
  const std::string command = request.at("command");
  if (command == "server_info") return server_info();
  if (command == "account_info") return account_info(request);
  if (command == "ledger") return ledger_info(request);
  if (command == "subscribe" || command == "ping") return json::object();
  if (command == "log_level") {
    quiet_ = request.at("severity") == "warning" || request.at("severity") == "fatal";
    return json::object();
  }
  if (command == "submit") {
    const auto blob = from_hex(request.at("tx_blob").get<std::string>());
    if (!blob) throw std::runtime_error("invalidParams");
    if (!parse_transaction(*blob).type) throw std::runtime_error("invalidTransaction");
    if (consensus_->validated() == nullptr) throw std::runtime_error("noNetwork");
    const std::string result = consensus_->submit(*blob);
    return {{"engine_result", result},
            {"accepted", !result.starts_with("te") || result.starts_with("tes")}};
  }
  throw std::runtime_error("unknownCmd");
}

json Server::server_info() const {
  json info = {{"build_version", version_of_this()},
               {"server_state", consensus_->server_state()},
               {"peers", links_.size()},
               {"validation_quorum", consensus_->quorum()},
               {"pubkey_node", node_keys_.public_key.node_text()},
               {"pubkey_validator", validator_keys_.public_key.node_text()}};
  if (const Ledger* const ledger = consensus_->validated()) {
    info["validated_ledger"] = {{"seq", ledger->sequence()}, {"hash", ledger->hash.text()}};
  }
  return {{"info", info}};
}

json Server::account_info(const json& request) const {
  const std::string address = request.at("account");
  const bool open = request.value("ledger_index", "current") == "current";
  if (!open && consensus_->validated() == nullptr) throw std::runtime_error("noNetwork");
  const Accounts accounts = open ? consensus_->open_accounts() : consensus_->validated()->accounts;
  const auto found = accounts.find(address);
  if (found == accounts.end()) throw std::runtime_error("actNotFound");
  return {{"account_data",
           {{"Account", address},
            {"Balance", std::to_string(found->second.balance)},
            {"Sequence", found->second.sequence}}},
          {"validated", !open}};
}

const Ledger* Server::named_ledger(const json& request) const {
  const json name = request.value("ledger_index", json("validated"));
  if (name.is_number_unsigned()) return consensus_->ledger(name.get<std::uint32_t>());
  return name == "closed" ? &consensus_->closed() : consensus_->validated();
}

json Server::ledger_info(const json& request) const {
  const Ledger* const ledger = named_ledger(request);
  if (ledger == nullptr) throw std::runtime_error("lgrNotFound");
  json transactions = json::array();
  for (const auto& [blob, result] : ledger->transactions) {
    transactions.push_back(transaction_id(blob).text());
  }
  const Ledger* const validated = consensus_->validated();
  return {{"ledger_hash", ledger->hash.text()},
          {"ledger_index", ledger->sequence()},
          {"validated", validated != nullptr && ledger->sequence() <= validated->sequence()},
          {"ledger",
           {{"parent_hash", ledger->header.parent_hash.text()},
            {"close_time", ledger->header.close_time},
            {"transactions", transactions}}}};
}

int serve(const std::string& configuration) {
  const std::string folder = std::filesystem::path(configuration).parent_path().string();
  if (misbehaviour(folder, "STAND_IN_DIE_AT_START") != 0) {
    std::cerr << "stand-in: asked to die at start" << std::endl;
    return 1;
  }
  if (const char* const once = std::getenv("STAND_IN_DIE_ONCE")) {
    const int made = ::open(once, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (made >= 0) {
      std::cerr << "stand-in: asked to die once" << std::endl;
      return 1;
    }
  }
  if (misbehaviour(folder, "STAND_IN_IGNORE_TERM") != 0) ::signal(SIGTERM, SIG_IGN);
  asio::io_context context;
  const Server server(context, read_sections(configuration), folder);
  asio::steady_timer death(context);
  if (const long after = misbehaviour(folder, "STAND_IN_DIE_AFTER_MS"); after > 0) {
    death.expires_after(std::chrono::milliseconds(after));
    death.async_wait([](error_code) {
      std::cerr << "stand-in: asked to die now" << std::endl;
      std::abort();
    });
  }
  context.run();
  return 0;
}

}  // namespace
}  // namespace dissensus::live::toy

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  std::string configuration;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--version") {
      std::cout << "rippled version " << dissensus::live::toy::version_of_this() << std::endl;
      return 0;
    }
    if (words[i] == "--conf" && i + 1 < words.size()) configuration = words[i + 1];
  }
  try {
    return dissensus::live::toy::serve(configuration);
  } catch (const std::exception& failure) {
    std::cerr << "stand-in: " << failure.what() << std::endl;
    return 1;
  }
}
