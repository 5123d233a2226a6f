#include "systems/live/virtual_servers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <utility>

#include <arpa/inet.h>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <signal.h>

#include "dissensus/random.h"

#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

using ErrorCode = boost::system::error_code;

/// Time 0 of programs; some way from the clock's own zero, so that nothing before it is negative.
constexpr LoopTime kBeginning{std::chrono::hours(1)};
constexpr const char* kSeenFolder = "/node";
constexpr std::string_view kOutput = "output.log";
/// After which a program hears that nobody listens where it wants to connect to.
constexpr auto kRefusalDelay = std::chrono::milliseconds(1);

/// Servers make an RSA key when they start, and how long that takes is luck. With these streams of
/// random bytes, the quickest twenty of 240 that were tried once each with rippled 1.7.2 and
/// OpenSSL 3.0, a server starts in two thirds of the usual computation or less
/// (docs/results/live.md); with other versions they are as good as any. Each run draws its own of
/// them.
constexpr std::array<std::uint64_t, 20> kQuickStreams{
    116, 68, 57, 155, 140, 152, 111, 14, 189, 9, 154, 84, 163, 157, 106, 24, 22, 64, 108, 50};

std::uint32_t ip_of(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return INADDR_LOOPBACK;
  return ntohl(address.s_addr);
}

std::string text_of_ip(std::uint32_t ip) {
  const std::string text = host::to_string(host::Endpoint{ip, 0});
  return text.substr(0, text.find(':'));
}

host::HostTime to_host_time(LoopTime time) {
  return std::chrono::duration_cast<host::HostTime>(time - kBeginning);
}

}  // namespace

// ---- connections

class VirtualServers::Connection final : public VirtualConnection {
 public:
  explicit Connection(VirtualServers& owner) : owner_(owner) {}
  ~Connection() override { close(); }

  void connect(const std::string& source, const std::string& address, std::uint16_t port,
               Connected done) override {
    if (owner_.next_port_ == UINT16_MAX) owner_.next_port_ = 50'000;
    const host::Endpoint from{ip_of(source), owner_.next_port_++};
    const std::uint32_t to = ip_of(address);
    for (std::size_t machine = 0; machine < owner_.folders_.size() && owner_.host_; ++machine) {
      const auto number = static_cast<host::MachineId>(machine);
      if (host::address_of(number) == to) id_ = owner_.host_->dial(from, number, port);
    }
    if (id_) owner_.connections_[*id_] = this;
    const ErrorCode error = id_ ? ErrorCode() : boost::asio::error::connection_refused;
    boost::asio::post(owner_.io_, [done = std::move(done), error] { done(error); });
  }

  void read_some(boost::asio::mutable_buffer to, Moved done) override {
    wanted_ = to;
    reader_ = std::move(done);
    serve();
  }

  void write_some(boost::asio::const_buffer from, Moved done) override {
    ErrorCode error;
    if (!id_ || is_gone_) {
      error = boost::asio::error::broken_pipe;
    } else {
      owner_.host_->deliver(*id_, host::Side::acceptor,
                            {static_cast<const char*>(from.data()), from.size()});
    }
    const std::size_t bytes = error ? 0 : from.size();
    boost::asio::post(owner_.io_, [done = std::move(done), error, bytes] { done(error, bytes); });
  }

  void close() override {
    if (id_) {
      owner_.connections_.erase(*id_);
      if (!is_gone_) owner_.host_->deliver_end(*id_, host::Side::acceptor, true);
      id_.reset();
    }
    is_gone_ = true;
    if (reader_) answer(boost::asio::error::operation_aborted, 0);
  }

  void arrived(std::string_view bytes) {
    unread_ += bytes;
    serve();
  }
  void ended(bool is_gone) {
    has_ended_ = true;
    is_gone_ = is_gone_ || is_gone;
    serve();
  }

 private:
  void serve() {
    if (!reader_) return;
    if (!unread_.empty() || wanted_.size() == 0) {
      const std::size_t bytes = std::min(unread_.size(), wanted_.size());
      // Whoever wants nothing has no place for it either.
      if (bytes > 0) std::memcpy(wanted_.data(), unread_.data(), bytes);
      unread_.erase(0, bytes);
      answer({}, bytes);
    } else if (has_ended_ || is_gone_) {
      answer(boost::asio::error::eof, 0);
    }
  }
  void answer(ErrorCode error, std::size_t bytes) {
    boost::asio::post(owner_.io_,
                      [done = std::exchange(reader_, {}), error, bytes] { done(error, bytes); });
  }

  VirtualServers& owner_;
  std::optional<host::ConnectionId> id_;
  std::string unread_;
  boost::asio::mutable_buffer wanted_;
  Moved reader_;
  bool has_ended_ = false;
  bool is_gone_ = false;
};

std::unique_ptr<VirtualConnection> VirtualServers::make_connection() {
  return std::make_unique<Connection>(*this);
}

/// Servers reach each other through us only.
void VirtualServers::on_connect(const host::Connection& connection) {
  agenda::add(io_, now() + kRefusalDelay, [this, id = connection.id] { host_->answer(id, false); });
  host_->finish_soon();
}

void VirtualServers::on_bytes(const host::Connection& connection, host::Side, std::string bytes) {
  const auto found = connections_.find(connection.id);
  if (found == connections_.end()) return;
  found->second->arrived(bytes);
  host_->finish_soon();
}

void VirtualServers::on_end(const host::Connection& connection, host::Side, bool gone) {
  const auto found = connections_.find(connection.id);
  if (found == connections_.end()) return;
  found->second->ended(gone);
  host_->finish_soon();
}

// ---- processes

class VirtualServers::HostedProcess final : public ServerProcess {
 public:
  HostedProcess(VirtualServers& owner, host::ProgramId id) : owner_(owner), id_(id) {}
  ~HostedProcess() override { kill(); }

  bool running() const override { return !is_seen_; }
  pid_t pid() const override { return -1; }
  std::optional<int> poll() override {
    const auto found = owner_.statuses_.find(id_);
    if (is_seen_ || found == owner_.statuses_.end()) return std::nullopt;
    is_seen_ = true;
    return found->second;
  }
  void terminate() override {
    if (!is_seen_) owner_.host_->signal(id_, SIGTERM);
  }
  std::optional<int> kill() override {
    if (is_seen_) return std::nullopt;
    if (const std::optional<int> status = poll()) return status;
    is_seen_ = true;
    owner_.host_->kill(id_);
    return SIGKILL;  // as a wait status
  }

 private:
  VirtualServers& owner_;
  host::ProgramId id_;
  bool is_seen_ = false;
};

std::string VirtualServers::obstacle() {
  try {
    boost::asio::io_context io;
    VirtualServers tried(io, {});
    tried.prepared({}, {""});
    return {};
  } catch (const OutsideError& error) {
    return error.what();
  }
}

VirtualServers::VirtualServers(boost::asio::io_context& io, const Plan& plan)
    : io_(io), plan_(plan) {
  put_into(io, *this);
}

VirtualServers::~VirtualServers() = default;

std::vector<std::string> VirtualServers::addresses(std::size_t nodes) {
  std::vector<std::string> result;
  for (std::size_t node = 0; node < nodes; ++node) {
    result.push_back(text_of_ip(host::address_of(static_cast<host::MachineId>(node))));
  }
  return result;
}

std::string VirtualServers::seen_folder(const std::string&) const {
  return kSeenFolder;
}

void VirtualServers::prepared(const std::vector<std::string>& programs,
                              const std::vector<std::string>& folders) {
  host::Plan plan;
  plan.seed = plan_.seed;
  plan.order = plan_.order;
  plan.sleep_min = plan_.sleep_min;
  plan.visible = programs;
  std::sort(plan.visible.begin(), plan.visible.end());
  plan.visible.erase(std::unique(plan.visible.begin(), plan.visible.end()), plan.visible.end());
  plan.limits.wall_time = std::chrono::hours(1);
  folders_ = folders;
  for (std::size_t node = 0; node < folders.size(); ++node) {
    plan.machines.push_back({fmt::format("n{}", node), folders[node]});
  }
  host::HostListener& listener = *this;  // private: make_unique may not convert
  host_ = std::make_unique<host::Host>(plan, listener);
}

std::uint64_t VirtualServers::next_stream() {
  std::vector<std::uint64_t> order(kQuickStreams.begin(), kQuickStreams.end());
  Random random(plan_.seed, "streams", started_ / order.size());
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
  }
  return order[started_++ % order.size()];
}

std::unique_ptr<ServerProcess> VirtualServers::start(NodeId node, const Command& command) {
  host::Program program;
  program.machine = node;
  program.name = fmt::format("n{}", node);
  program.command = command.arguments;
  program.environment = command.environment;
  program.random_seed = next_stream();
  const host::ProgramId id = host_->start(program);
  nodes_[id] = node;
  return std::make_unique<HostedProcess>(*this, id);
}

std::string VirtualServers::file_of(NodeId node, const std::string& folder,
                                    const std::string& name) const {
  if (name == kOutput || !host_) return folder + "/" + name;
  return host_->folder(node) + "/" + name;
}

void VirtualServers::on_output(host::ProgramId program, host::Stream, std::string_view bytes) {
  const auto found = nodes_.find(program);
  if (found == nodes_.end()) return;
  std::ofstream(fmt::format("{}/{}", folders_[found->second], kOutput), std::ios::app) << bytes;
}

void VirtualServers::on_exit(host::ProgramId program, const host::Exit& exit) {
  if (exit.by_owner) return;
  statuses_[program] = exit.signal != 0 ? exit.signal : exit.code << 8;
  host_->finish_soon();
}

// ---- time

LoopTime VirtualServers::now() const {
  return host_ ? kBeginning + std::chrono::duration_cast<LoopTime::duration>(host_->now())
               : kBeginning;
}

bool VirtualServers::advance(LoopTime until) {
  return host_ && host_->run_until(std::max(to_host_time(until), host_->now()));
}

void VirtualServers::push_calendars(std::chrono::seconds by) {
  pushed_ += by;
  for (std::size_t machine = 0; machine < folders_.size(); ++machine) {
    host_->set_calendar_offset(static_cast<host::MachineId>(machine), pushed_);
  }
}

std::vector<host::ThreadView> VirtualServers::threads() const {
  return host_ ? host_->threads() : std::vector<host::ThreadView>{};
}

}  // namespace dissensus::live
