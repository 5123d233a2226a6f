#include "systems/live/servers/server_network.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/assert.h"
#include "systems/live/loop/timer.h"
#include "systems/live/servers/configuration.h"
#include "systems/live/servers/temporary_folder.h"
#include "systems/live/wire/bytes.h"

namespace dissensus::live {

using nlohmann::json;

namespace {

constexpr std::uint16_t kPeerPort = 12459;
constexpr std::uint16_t kWebSocketPort = 16006;
constexpr std::size_t kLedgersKept = 128;
constexpr std::size_t kLogLinesTold = 3;

struct Server {
  ServerIdentity identity;
  ServerConfiguration configuration;
  bool was_started = false;
  std::unique_ptr<ServerClient> client;
  ServerState state;
  std::map<std::uint32_t, Hash256> ledgers;
  bool info_asked = false;
};

const json& member(const json& object, const char* key) {
  static const json kNone;
  return object.is_object() && object.contains(key) ? object[key] : kNone;
}

std::uint32_t number_of(const json& value) {
  return value.is_number_unsigned() ? value.get<std::uint32_t>() : 0;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// The last lines of a text, joined: for messages of one line.
std::string last_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (lines.size() < kLogLinesTold && !text.empty()) {
    const std::size_t end = text.find_last_not_of('\n');
    if (end == text.npos) break;
    text = text.substr(0, end + 1);
    const std::size_t begin = text.rfind('\n') + 1;  // npos + 1 is 0
    lines.emplace_back(text.substr(begin, 300));
    text = text.substr(0, begin);
  }
  std::reverse(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, " | "));
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

struct ServerNetwork::State : std::enable_shared_from_this<ServerNetwork::State> {
  State(boost::asio::io_context& context_used, VirtualServers& place_used,
        ServerNetworkOptions options_used)
      : context(context_used),
        place(place_used),
        options(std::move(options_used)),
        poll_timer(context_used) {}

  boost::asio::io_context& context;
  VirtualServers& place;
  ServerNetworkOptions options;
  std::vector<std::string> programs;          ///< by node
  std::vector<std::string> restart_programs;  ///< by node
  std::string version;
  std::vector<Server> servers;
  Timer poll_timer;
  std::uint64_t account_calls = 0;

  Server& at(NodeId node) {
    DISSENSUS_ASSERT(node < servers.size(), "ServerNetwork : a node of the network");
    return servers[node];
  }
  void make_keys();
  void prepare();
  void configure(NodeId node, const std::string& folder);
  void find_programs();
  void learn_binaries();
  void launch(NodeId node, const std::string& program, const char* mode);
  void poll_later();
  void poll();
  void learn_info(Server& server, const json& info);
  void learn_event(Server& server, const json& event);
  const std::optional<host::Exit>& exit_of(NodeId node) const;
  bool is_running(NodeId node) const;
  bool agreed() const;
  std::string log_file(NodeId node) const;
  std::string obituary(NodeId node) const;
  std::string describe(NodeId node) const;
};

void ServerNetwork::State::make_keys() {
  servers.resize(options.nodes);
  for (std::size_t i = 0; i < servers.size(); ++i) {
    Server& server = servers[i];
    server.configuration.node_seed = derived_seed(options.seed, fmt::format("node {}", i));
    server.configuration.validation_seed =
        derived_seed(options.seed, fmt::format("validator {}", i));
    server.identity.node_keys = live::node_keys(server.configuration.node_seed);
    server.identity.validator_keys = live::node_keys(server.configuration.validation_seed);
    server.identity.peer_port = kPeerPort;
    server.identity.websocket_port = kWebSocketPort;
  }
}

void ServerNetwork::State::prepare() {
  check_log_level(options.log_level);
  find_programs();
  learn_binaries();
  const std::vector<std::string> addresses = VirtualServers::addresses(servers.size());
  for (NodeId node = 0; node < servers.size(); ++node) {
    servers[node].identity.address = addresses[node];
  }
  const TemporaryFolder written;  // until servers have copies of their own
  std::vector<std::string> folders;
  for (NodeId node = 0; node < servers.size(); ++node) {
    folders.push_back(fmt::format("{}/node-{}", written.path(), node));
    configure(node, folders.back());
  }
  std::vector<std::string> all = programs;
  all.insert(all.end(), restart_programs.begin(), restart_programs.end());
  place.prepare(all, folders);
}

/// What each binary is and says of itself.
void ServerNetwork::State::learn_binaries() {
  if (options.known_binaries.empty()) {
    options.known_binaries = list_binaries(programs, restart_programs);
  }
  version.clear();
  std::set<std::string> named;
  for (ServerBinary& binary : options.known_binaries) {
    if (binary.version.empty()) binary.version = server_version(binary.path);
    if (!named.insert(binary.version).second) continue;
    version += (version.empty() ? "" : ", ") + binary.version;
  }
}

void ServerNetwork::State::find_programs() {
  DISSENSUS_ASSERT(options.binaries.empty() || options.binaries.size() == options.nodes,
                   "ServerNetwork : a binary for every node");
  programs = find_binaries(options.binaries, options.rippled, options.nodes, "binaries");
  restart_programs = programs;
  if (!options.restart_binaries.empty()) {
    restart_programs =
        find_binaries(options.restart_binaries, "", options.nodes, "restart_binaries");
  }
}

void ServerNetwork::State::configure(NodeId node, const std::string& folder) {
  Server& server = servers[node];
  ServerConfiguration& configuration = server.configuration;
  configuration.folder = folder;
  configuration.seen_folder = VirtualServers::kFolder;
  configuration.address = server.identity.address;
  configuration.peer_port = server.identity.peer_port;
  configuration.websocket_port = server.identity.websocket_port;
  configuration.log_level = options.log_level;
  configuration.account_reserve = options.account_reserve;
  configuration.more = options.configurations.empty() ? "" : options.configurations.at(node);
  configuration.certificate =
      make_certificate(derived_seed(options.seed, fmt::format("certificate {}", node)));
  configuration.fixed_peers.clear();
  configuration.trusted.clear();
  for (NodeId other = 0; other < servers.size(); ++other) {
    if (other != node) configuration.fixed_peers.push_back(servers[other].identity.address);
    const bool trusts_all = options.trusted.empty();
    const bool trusts =
        trusts_all || std::find(options.trusted[node].begin(), options.trusted[node].end(),
                                other) != options.trusted[node].end();
    if (trusts) configuration.trusted.push_back(servers[other].identity.validator_keys.public_key);
  }
  write_configuration(configuration);
}

void ServerNetwork::State::launch(NodeId node, const std::string& program, const char* mode) {
  Server& server = servers[node];
  server.state = {};
  server.ledgers.clear();
  server.info_asked = false;
  server.was_started = true;
  // Silent: what goes to the log file need not go to stderr as well.
  place.start(node, {program, "--silent", "--conf", server.configuration.seen_file(), mode},
              options.environment);
}

const std::optional<host::Exit>& ServerNetwork::State::exit_of(NodeId node) const {
  static const std::optional<host::Exit> kNone;
  const bool is_gone = !servers[node].was_started || servers[node].state.crashed_by_us;
  return is_gone ? kNone : std::as_const(place).cluster().exit_of(node);
}

bool ServerNetwork::State::is_running(NodeId node) const {
  const Server& server = servers[node];
  return server.was_started && !server.state.crashed_by_us && !exit_of(node);
}

void ServerNetwork::State::poll_later() {
  poll_timer.after(options.poll_interval, [self = weak_from_this()] {
    const auto state = self.lock();
    if (!state) return;
    state->poll();
    state->poll_later();
  });
}

std::string ServerNetwork::State::log_file(NodeId node) const {
  return place.folder(node) + "/debug.log";
}

void ServerNetwork::State::poll() {
  for (Server& server : servers) {
    if (!server.client->connected() || server.info_asked) continue;
    server.info_asked = true;
    server.client->request({{"command", "server_info"}},
                           [self = weak_from_this(), &server](const json& reply) {
                             const auto alive = self.lock();
                             if (!alive) return;
                             server.info_asked = false;
                             if (succeeded(reply)) {
                               alive->learn_info(server, member(member(reply, "result"), "info"));
                             }
                           });
  }
}

void ServerNetwork::State::learn_info(Server& server, const json& info) {
  server.state.server_state = text_of(member(info, "server_state"));
  server.state.peers = number_of(member(info, "peers"));
  const json& ledger = member(info, "validated_ledger");
  const std::uint32_t seq = number_of(member(ledger, "seq"));
  if (seq > server.state.validated_seq) {
    server.state.validated_seq = seq;
    server.state.validated_hash =
        Hash256::from_text(text_of(member(ledger, "hash"))).value_or(Hash256{});
  }
}

void ServerNetwork::State::learn_event(Server& server, const json& event) {
  if (member(event, "type") != "ledgerClosed") return;
  const std::uint32_t seq = number_of(member(event, "ledger_index"));
  const std::optional<Hash256> hash = Hash256::from_text(text_of(member(event, "ledger_hash")));
  if (seq == 0 || !hash) return;
  ++server.state.ledgers_seen;
  server.state.last_ledger = live::now(context);
  server.ledgers[seq] = *hash;
  if (server.ledgers.size() > kLedgersKept) server.ledgers.erase(server.ledgers.begin());
  if (seq >= server.state.validated_seq) {
    server.state.validated_seq = seq;
    server.state.validated_hash = *hash;
  }
}

bool ServerNetwork::State::agreed() const {
  std::uint32_t common = std::numeric_limits<std::uint32_t>::max();
  for (NodeId node = 0; node < servers.size(); ++node) {
    const Server& server = servers[node];
    if (!is_running(node) || !server.client->connected() ||
        server.state.server_state != "proposing" || server.ledgers.size() < 2) {
      return false;
    }
    common = std::min(common, server.ledgers.rbegin()->first);
  }
  const auto hash_of = [common](const Server& server) {
    const auto found = server.ledgers.find(common);
    return found == server.ledgers.end() ? Hash256{} : found->second;
  };
  const Hash256 hash = hash_of(servers.front());
  return !hash.is_zero() && std::all_of(servers.begin(), servers.end(), [&](const Server& server) {
    return hash_of(server) == hash;
  });
}

/// How it ended, and what it said last: to stderr where it aborted, else to its log.
std::string ServerNetwork::State::obituary(NodeId node) const {
  const std::string& output = std::as_const(place).cluster().written(node);
  const std::string said = last_lines(output.empty() ? text_of_file(log_file(node)) : output);
  const std::optional<host::Exit>& exit = exit_of(node);
  return fmt::format("node {}: {}{}{}", node, exit ? host::to_string(*exit) : "is not running",
                     said.empty() ? "" : ": ", said);
}

std::string ServerNetwork::State::describe(NodeId node) const {
  const Server& server = servers[node];
  const ServerState& state = server.state;
  if (const auto& exit = exit_of(node)) return host::to_string(*exit);
  if (!is_running(node)) return "not started";
  if (!server.client->connected()) {
    return fmt::format("no WebSocket connection ({})", server.client->last_error());
  }
  const std::string ledger = state.validated_seq == 0
                                 ? "no validated ledger"
                                 : fmt::format("validated ledger {}", state.validated_seq);
  return fmt::format("{}, {}, {} peers",
                     state.server_state.empty() ? "state unknown" : state.server_state, ledger,
                     state.peers);
}

ServerNetwork::ServerNetwork(boost::asio::io_context& context, VirtualServers& servers,
                             ServerNetworkOptions options)
    : state_(std::make_shared<State>(context, servers, std::move(options))) {
  const ServerNetworkOptions& used = state_->options;
  DISSENSUS_ASSERT(used.trusted.empty() || used.trusted.size() == used.nodes,
                   "ServerNetwork : trusted validators of every node");
  state_->make_keys();
}

ServerNetwork::~ServerNetwork() {
  state_->poll_timer.cancel();
  for (Server& server : state_->servers) {
    if (server.client) server.client->stop();
  }
}

void ServerNetwork::start() {
  State& state = *state_;
  state.prepare();
  for (NodeId node = 0; node < state.servers.size(); ++node) {
    if (!state.options.start_waits.empty()) {
      run_until([] { return false; }, now() + state.options.start_waits.at(node));
    }
    state.launch(node, state.programs[node], "--start");
  }
  for (Server& server : state.servers) {
    server.client = std::make_unique<ServerClient>(state.context, server.identity.address,
                                                   server.identity.websocket_port);
    server.client->on_event_of_owner(
        [&state, &server](const json& event) { state.learn_event(server, event); });
    server.client->start();
  }
  state.poll_later();
}

std::size_t ServerNetwork::size() const {
  return state_->servers.size();
}

const ServerIdentity& ServerNetwork::identity(NodeId node) const {
  return state_->at(node).identity;
}

const std::string& ServerNetwork::version() const {
  return state_->version;
}

const std::vector<ServerBinary>& ServerNetwork::binaries() const {
  return state_->options.known_binaries;
}

std::string ServerNetwork::configuration(NodeId node) const {
  return without_secrets(configuration_text(state_->at(node).configuration));
}

const ServerNetworkOptions& ServerNetwork::options() const {
  return state_->options;
}

std::string ServerNetwork::log_file(NodeId node) const {
  state_->at(node);
  return state_->log_file(node);
}

ServerClient& ServerNetwork::client(NodeId node) {
  DISSENSUS_ASSERT(state_->at(node).client != nullptr, "ServerNetwork::client : started");
  return *state_->at(node).client;
}

ServerState ServerNetwork::state(NodeId node) const {
  const Server& server = state_->at(node);
  ServerState result = server.state;
  result.running = state_->is_running(node);
  if (const auto& exit = state_->exit_of(node)) result.exit_text = host::to_string(*exit);
  if (server.client) {
    result.connected = server.client->connected();
    result.client_error = server.client->last_error();
  }
  return result;
}

std::string ServerNetwork::describe(NodeId node) const {
  state_->at(node);
  return state_->describe(node);
}

bool ServerNetwork::all_proposing() const {
  for (NodeId node = 0; node < size(); ++node) {
    if (!state(node).proposing()) return false;
  }
  return true;
}

std::string ServerNetwork::dead_server() const {
  for (NodeId node = 0; node < state_->servers.size(); ++node) {
    if (state_->exit_of(node)) return state_->obituary(node);
  }
  return {};
}

void ServerNetwork::kill_server(NodeId node) {
  lose_server(node);
  state_->place.cluster().crashed(node);
}

void ServerNetwork::lose_server(NodeId node) {
  Server& server = state_->at(node);
  server.state.crashed_by_us = true;
  server.state.server_state.clear();
  server.state.peers = 0;
  if (server.client) server.client->stop();
}

void ServerNetwork::restart_server(NodeId node) {
  Server& server = state_->at(node);
  DISSENSUS_ASSERT(server.state.crashed_by_us, "ServerNetwork::restart_server : a crashed server");
  state_->launch(node, state_->restart_programs[node], "--net");
  server.client->start();
}

bool ServerNetwork::run_until(const std::function<bool()>& condition, LoopTime deadline) {
  return drive(state_->context, deadline, condition);
}

LoopTime ServerNetwork::now() const {
  return live::now(state_->context);
}

void ServerNetwork::wait_until_synced(LoopTime deadline) {
  wait_until(deadline, [this] {
    for (NodeId node = 0; node < size(); ++node) {
      if (!state(node).synced()) return false;
    }
    return true;
  });
}

void ServerNetwork::wait_until_ready(LoopTime deadline) {
  wait_until(deadline, [this] { return state_->agreed(); });
}

void ServerNetwork::wait_until(LoopTime deadline, const std::function<bool()>& is_reached) {
  const State& state = *state_;
  const auto is_over = [&] { return !dead_server().empty() || is_reached(); };
  run_until(is_over, deadline);
  if (std::string dead = dead_server(); !dead.empty()) throw LiveError(dead);
  if (is_reached()) return;
  std::string text = "the servers do not propose in time";
  for (NodeId node = 0; node < state.servers.size(); ++node) {
    text += fmt::format("; node {}: {}", node, state.describe(node));
  }
  if (std::string trouble = state.place.trouble(); !trouble.empty()) text += "; " + trouble;
  throw LiveError(text);
}

void ServerNetwork::submit(NodeId node, ByteView blob,
                           std::function<void(const Submission&)> done) {
  const auto handle = [done = std::move(done)](const json& reply) {
    if (!done) return;
    Submission submission;
    submission.engine_result = text_of(member(member(reply, "result"), "engine_result"));
    if (submission.engine_result.empty()) submission.error = error_of(reply);
    done(submission);
  };
  client(node).request({{"command", "submit"}, {"tx_blob", to_hex(blob)}}, handle);
}

std::uint64_t ServerNetwork::next_account_call() {
  return ++state_->account_calls;
}
}  // namespace dissensus::live
