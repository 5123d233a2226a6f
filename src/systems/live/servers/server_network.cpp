#include "systems/live/servers/server_network.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/statvfs.h>

#include "core/assert.h"
#include "systems/live/loop/timer.h"
#include "systems/live/servers/addresses.h"
#include "systems/live/servers/configuration.h"
#include "systems/live/servers/process.h"
#include "systems/live/wire/bytes.h"

namespace dissensus::live {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kWatchInterval = std::chrono::milliseconds(50);
constexpr auto kDiskInterval = std::chrono::seconds(2);
constexpr auto kStopPoll = std::chrono::milliseconds(10);
constexpr std::size_t kLedgersKept = 128;
constexpr std::size_t kLogLinesTold = 3;

struct Server {
  ServerIdentity identity;
  ServerConfiguration configuration;
  std::unique_ptr<ServerProcess> process;
  std::unique_ptr<ServerClient> client;
  ServerState state;
  std::map<std::uint32_t, Hash256> ledgers;
  bool info_asked = false;
  bool level_lowered = false;
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

std::uint64_t file_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

std::uint64_t free_bytes(const std::string& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

/// Where a server spoke last: to its log, or (an abort, a failed assertion) to stderr.
std::string newer_file(const std::string& output, const std::string& log) {
  std::error_code error;
  const auto output_time = std::filesystem::last_write_time(output, error);
  if (error || file_bytes(output) == 0) return log;
  const auto log_time = std::filesystem::last_write_time(log, error);
  return error || output_time >= log_time ? output : log;
}

}  // namespace

struct ServerNetwork::State : std::enable_shared_from_this<ServerNetwork::State> {
  State(boost::asio::io_context& context_used, ServerNetworkOptions options_used)
      : context(context_used),
        options(std::move(options_used)),
        watch_timer(context_used),
        poll_timer(context_used),
        disk_timer(context_used) {}

  boost::asio::io_context& context;
  ServerNetworkOptions options;
  std::vector<std::string> programs;          ///< by node
  std::vector<std::string> restart_programs;  ///< by node
  std::string version;
  std::unique_ptr<ServerPlace> own_place;
  ServerPlace* place = nullptr;  ///< outlives the servers
  std::vector<Server> servers;
  Timer watch_timer;
  Timer poll_timer;
  Timer disk_timer;
  std::uint64_t starts = 0;
  std::uint64_t account_calls = 0;
  bool active = false;
  bool disk_low = false;

  Server& at(NodeId node) {
    DISSENSUS_ASSERT(node < servers.size(), "ServerNetwork : a node of the network");
    return servers[node];
  }
  void make_keys();
  void prepare();
  void configure(NodeId node);
  void find_programs();
  void check_room() const;
  void learn_binaries();
  void launch(NodeId node, const std::string& program, const char* mode);
  void repeat(Timer& timer, std::chrono::milliseconds interval, void (State::*step)());
  void watch();
  void ended(NodeId node, int status);
  void poll();
  void learn_info(Server& server, const json& info);
  void learn_event(Server& server, const json& event);
  void look_at_disk();
  void lower_log_level(Server& server, const char* level);
  void kill_all();
  bool agreed() const;
  std::string log_file(NodeId node) const;
  std::string last_words_file(NodeId node) const;
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
  options.folder = std::filesystem::absolute(options.folder).lexically_normal().string();
  make_folder(options.folder);
  check_room();
  learn_binaries();
  const std::vector<std::string> addresses = place->addresses(servers.size());
  for (NodeId node = 0; node < servers.size(); ++node) {
    servers[node].identity.address = addresses[node];
  }
  std::vector<std::string> folders;
  for (NodeId node = 0; node < servers.size(); ++node) {
    configure(node);
    folders.push_back(servers[node].configuration.folder);
  }
  std::vector<std::string> all = programs;
  all.insert(all.end(), restart_programs.begin(), restart_programs.end());
  place->prepared(all, folders);
}

/// A full disk shows itself in many ways, none of which says so.
void ServerNetwork::State::check_room() const {
  if (!place->has_disk()) return;
  const std::uint64_t free = free_bytes(options.folder);
  if (free >= options.disk_bytes_to_start) return;
  throw NoPlaceForServers(fmt::format(
      "{}: {} MiB free on the disk, expected at least {}: servers end themselves below 512; make "
      "room, or name another folder with --servers-folder",
      options.folder, free >> 20, options.disk_bytes_to_start >> 20));
}

/// What each binary is and says of itself.
void ServerNetwork::State::learn_binaries() {
  if (options.known_binaries.empty()) {
    options.known_binaries = list_binaries(programs, restart_programs);
  }
  version.clear();
  std::set<std::string> named;
  for (ServerBinary& binary : options.known_binaries) {
    if (binary.version.empty()) {
      Spawner spawner;
      binary.version = server_version(spawner, binary.path, options.folder + "/version.txt",
                                      options.version_limit);
    }
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

void ServerNetwork::State::configure(NodeId node) {
  Server& server = servers[node];
  ServerConfiguration& configuration = server.configuration;
  configuration.folder = fmt::format("{}/node-{}", options.folder, node);
  configuration.seen_folder = place->seen_folder(configuration.folder);
  configuration.address = server.identity.address;
  configuration.peer_port = server.identity.peer_port;
  configuration.websocket_port = server.identity.websocket_port;
  configuration.log_level = options.log_level;
  configuration.account_reserve = options.account_reserve;
  configuration.more = options.configurations.empty() ? "" : options.configurations.at(node);
  if (options.gives_certificates) {
    configuration.certificate =
        make_certificate(derived_seed(options.seed, fmt::format("certificate {}", node)));
  }
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
  server.level_lowered = false;
  // Silent: what goes to the log file need not go to stderr as well.
  server.process.reset();
  server.process =
      place->start(node, {{program, "--silent", "--conf", server.configuration.seen_file(), mode},
                          options.environment,
                          server.configuration.output_file()});
  server.state.running = true;
  server.state.pid = server.process->pid();
}

void ServerNetwork::State::repeat(Timer& timer, std::chrono::milliseconds interval,
                                  void (State::*step)()) {
  timer.after(interval, [self = weak_from_this(), &timer, interval, step] {
    const auto state = self.lock();
    if (!state || !state->active) return;
    (state.get()->*step)();
    if (state->active) state->repeat(timer, interval, step);
  });
}

void ServerNetwork::State::watch() {
  for (NodeId node = 0; node < servers.size(); ++node) {
    if (!servers[node].process) continue;
    const std::optional<int> status = servers[node].process->poll();
    if (status) ended(node, *status);
  }
}

std::string ServerNetwork::State::log_file(NodeId node) const {
  return place->file_of(node, servers[node].configuration.folder, "debug.log");
}

std::string ServerNetwork::State::last_words_file(NodeId node) const {
  return newer_file(place->file_of(node, servers[node].configuration.folder, "output.log"),
                    log_file(node));
}

void ServerNetwork::State::ended(NodeId node, int status) {
  Server& server = servers[node];
  server.state.running = false;
  server.state.pid = -1;
  server.state.exit_status = status;
  server.state.exit_text = fmt::format("{}; see {}", exit_text(status), last_words_file(node));
  server.state.server_state.clear();
  server.state.peers = 0;
}

void ServerNetwork::State::poll() {
  for (Server& server : servers) {
    if (!server.client->connected() || server.info_asked) continue;
    server.info_asked = true;
    server.client->request({{"command", "server_info"}},
                           [self = weak_from_this(), &server](const json& reply) {
                             const auto alive = self.lock();
                             if (!alive || !alive->active) return;
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

void ServerNetwork::State::look_at_disk() {
  const bool low = place->has_disk() && free_bytes(options.folder) < options.disk_bytes_min;
  disk_low = disk_low || low;
  for (NodeId node = 0; node < servers.size(); ++node) {
    Server& server = servers[node];
    server.state.log_bytes = file_bytes(log_file(node));
    if (server.state.log_bytes > options.log_bytes_max) server.state.log_limit_reached = true;
    if (!server.level_lowered && (low || server.state.log_limit_reached)) {
      lower_log_level(server, low ? "fatal" : "warning");
    }
  }
}

void ServerNetwork::State::lower_log_level(Server& server, const char* level) {
  if (!server.client->connected()) return;  // tried again at the next look
  server.level_lowered = true;
  server.client->request({{"command", "log_level"}, {"severity", level}},
                         [self = weak_from_this(), &server](const json& reply) {
                           const auto alive = self.lock();
                           if (alive && !succeeded(reply)) server.level_lowered = false;
                         });
}

void ServerNetwork::State::kill_all() {
  active = false;
  watch_timer.cancel();
  poll_timer.cancel();
  disk_timer.cancel();
  for (Server& server : servers) {
    if (server.client) server.client->stop();
  }
  for (NodeId node = 0; node < servers.size(); ++node) {
    if (!servers[node].process) continue;
    const std::optional<int> status = servers[node].process->kill();
    if (!status) continue;
    servers[node].state.crashed_by_us = true;
    ended(node, *status);
  }
}

bool ServerNetwork::State::agreed() const {
  std::uint32_t common = std::numeric_limits<std::uint32_t>::max();
  for (const Server& server : servers) {
    if (!server.state.running || !server.client->connected() ||
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

std::string ServerNetwork::State::obituary(NodeId node) const {
  const Server& server = servers[node];
  const std::string said = last_lines(last_words_file(node), kLogLinesTold);
  return fmt::format("node {}: {}{}{}", node, server.state.exit_text, said.empty() ? "" : ": ",
                     said);
}

std::string ServerNetwork::State::describe(NodeId node) const {
  const Server& server = servers[node];
  const ServerState& state = server.state;
  if (!state.running) {
    return state.exit_text.empty() ? "not started" : state.exit_text;
  }
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

ServerNetwork::ServerNetwork(boost::asio::io_context& context, ServerNetworkOptions options)
    : state_(std::make_shared<State>(context, std::move(options))) {
  const ServerNetworkOptions& used = state_->options;
  DISSENSUS_ASSERT(used.trusted.empty() || used.trusted.size() == used.nodes,
                   "ServerNetwork : trusted validators of every node");
  state_->make_keys();
  state_->place = used.place;
  if (used.place == nullptr) {
    state_->own_place = make_local_place(used.address_block, used.address_number);
    state_->place = state_->own_place.get();
  }
}

ServerNetwork::~ServerNetwork() {
  state_->kill_all();
}

void ServerNetwork::start() {
  State& state = *state_;
  DISSENSUS_ASSERT(!state.active, "ServerNetwork::start : not running");
  state.prepare();
  ++state.starts;
  state.disk_low = false;
  try {
    for (NodeId node = 0; node < state.servers.size(); ++node) {
      if (!state.options.start_waits.empty()) {
        run_until([] { return false; }, now() + state.options.start_waits.at(node));
      }
      state.launch(node, state.programs[node], "--start");
    }
  } catch (const LiveError&) {
    state.kill_all();
    throw;
  }
  state.active = true;
  for (Server& server : state.servers) {
    if (!server.client) {
      server.client = std::make_unique<ServerClient>(state.context, server.identity.address,
                                                     server.identity.websocket_port);
      server.client->on_event_of_owner(
          [&state, &server](const json& event) { state.learn_event(server, event); });
    }
    server.client->start();
  }
  state.repeat(state.watch_timer, kWatchInterval, &State::watch);
  state.repeat(state.poll_timer, state.options.poll_interval, &State::poll);
  state.repeat(state.disk_timer, kDiskInterval, &State::look_at_disk);
}

void ServerNetwork::stop() {
  State& state = *state_;
  state.active = false;
  for (Server& server : state.servers) {
    if (server.client) server.client->stop();
    server.state.crashed_by_us = true;
    if (server.process) server.process->terminate();
  }
  const auto deadline = Clock::now() + state.options.stop_limit;
  for (;;) {
    bool some_run = false;
    for (NodeId node = 0; node < state.servers.size(); ++node) {
      if (!state.servers[node].process) continue;
      const std::optional<int> status = state.servers[node].process->poll();
      if (status) state.ended(node, *status);
      some_run = some_run || state.servers[node].process->running();
    }
    if (!some_run || Clock::now() >= deadline) break;
    std::this_thread::sleep_for(kStopPoll);
  }
  state.kill_all();
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

std::string ServerNetwork::node_folder(NodeId node) const {
  return state_->at(node).configuration.folder;
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

std::string ServerNetwork::trouble() const {
  const State& state = *state_;
  for (NodeId node = 0; node < state.servers.size(); ++node) {
    const ServerState& one = state.servers[node].state;
    if (!one.running && !one.exit_text.empty() && !one.crashed_by_us) return state.obituary(node);
  }
  if (state.disk_low) {
    return fmt::format("{}: less than {} MiB free on the disk; log levels turned down",
                       state.options.folder, state.options.disk_bytes_min >> 20);
  }
  for (NodeId node = 0; node < state.servers.size(); ++node) {
    if (!state.servers[node].state.log_limit_reached) continue;
    return fmt::format("node {}: {} is larger than {} MiB; log level turned down", node,
                       state.log_file(node), state.options.log_bytes_max >> 20);
  }
  return {};
}

void ServerNetwork::kill_server(NodeId node) {
  Server& server = state_->at(node);
  server.state.crashed_by_us = true;
  if (server.client) server.client->stop();
  if (!server.process) return;
  const std::optional<int> status = server.process->kill();
  if (status) state_->ended(node, *status);
}

void ServerNetwork::restart_server(NodeId node) {
  Server& server = state_->at(node);
  DISSENSUS_ASSERT(state_->active && !server.state.running,
                   "ServerNetwork::restart_server : a crashed server of a running network");
  state_->launch(node, state_->restart_programs[node], "--net");
  server.client->start();
}

bool ServerNetwork::run_until(const std::function<bool()>& condition, LoopTime deadline) {
  const auto& is_interrupted = state_->options.is_interrupted;
  const bool holds = drive(state_->context, deadline, condition, is_interrupted);
  if (!holds && is_interrupted && is_interrupted()) throw LiveError("interrupted");
  return holds;
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
  const auto dead = [&state] {
    return std::find_if(state.servers.begin(), state.servers.end(),
                        [](const Server& server) { return !server.state.running; });
  };
  run_until([&] { return dead() != state.servers.end() || is_reached(); }, deadline);
  const auto found = dead();
  if (found != state.servers.end()) {
    throw LiveError(state.obituary(static_cast<NodeId>(found - state.servers.begin())));
  }
  if (is_reached()) return;
  std::string text = "the servers do not propose in time";
  for (NodeId node = 0; node < state.servers.size(); ++node) {
    text += fmt::format("; node {}: {}", node, state.describe(node));
  }
  throw LiveError(text + fmt::format("; see {}/node-*/debug.log", state.options.folder));
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
std::uint64_t ServerNetwork::starts() const {
  return state_->starts;
}

}  // namespace dissensus::live
